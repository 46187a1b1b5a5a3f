#!/usr/bin/env bash
# SwiftPM 6.3.1 (swift build, Linux), started with `nice -n 19` so that it leaves the processor to others.
# Guess: the compilers that it starts have niceness 19, too, since child processes inherit it.
# Behaviour: for an ordinary user they have. For root, which may raise priorities, swift-build itself stays at 19, but every
# swift-frontend runs at 0, since swift-build sets the priority of its threads itself (strace: setpriority(PRIO_PROCESS, 0, 0)).
# The build takes as much of the processor as one without `nice`.
# Matters to: whoever builds in a container beside something that must not become slow, such as tests with time limits.
# Run it as root: it also builds as `nobody`, for comparison.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "Run this as root: the behaviour is one of root's builds." >&2; exit 64; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cat >"$work/watch" <<'END'
# The niceness of what a build starts, one line for each program.
set -eu
export HOME=$1
mkdir -p "$HOME/Sources/Small"
cd "$HOME"
echo '// swift-tools-version: 6.0
import PackageDescription
let package = Package(name: "small", targets: [.target(name: "Small")])' >Package.swift
# Enough to do that a look every 50 ms finds the compilers.
for i in $(seq 30); do
  echo "public func f$i(_ a: Double, _ b: Double) -> Double { a * b + a / b - (a + b) * $i.0 }" >"Sources/Small/F$i.swift"
done
nice -n 19 timeout 60 swift build >log 2>&1 &
build=$!
while kill -0 "$build" 2>/dev/null; do
  ps -u "$(id -u)" -o ni=,comm=,args= | awk -v home="$HOME" '$2 == "swift-frontend" && index($0, home) { print $1 }'
  sleep 0.05
done | sort -u | sed 's/^/niceness of swift-frontend: /'
wait "$build"
END
swift --version 2>&1 | grep -oE 'Swift version [0-9.]+' | head -n 1
mkdir "$work/root" "$work/nobody"
chown nobody "$work/nobody"
{
  echo "as root"
  bash "$work/watch" "$work/root"
  echo "as nobody"
  su nobody -s /bin/bash -c "PATH=$PATH bash $work/watch $work/nobody"
} | tee "$work/seen"
diff "$work/seen" - <<'END'
as root
niceness of swift-frontend: 0
as nobody
niceness of swift-frontend: 19
END
