#!/usr/bin/env bash
# SwiftPM 6.3.1 (swift build, Linux), with an ordinary package of forty C files and no dependencies.
# Guess: a build that is interrupted with Ctrl-C goes on where it was, as with make and ninja.
# Behaviour: SIGINT, SIGTERM and SIGKILL all lose the record of what was compiled. The object files are there, and the next build compiles
# every file again. A build that fails by itself, because of an error in a file, keeps what it had.
# Matters to: whoever stops a first build of twenty minutes, or runs it under a limit of time.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -p Sources/Forty/include
touch Sources/Forty/include/forty.h
echo '// swift-tools-version: 5.9
import PackageDescription
let package = Package(name: "forty", targets: [.target(name: "Forty")])' >Package.swift
for i in $(seq 40); do echo "int number_$i(void) { return $i; }" >"Sources/Forty/number_$i.c"; done

# A compiler that takes its time, and notes each file.
clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
printf '#!/bin/sh\ncase " $* " in *" -c "*) echo >>"%s/compiled"; sleep 0.3 ;; esac\nexec "%s" "$@"\n' "$work" "$clang" >compiler
chmod +x compiler
export CC=$work/compiler

# compiled COMMAND…: how many files a command compiles.
compiled() {
  : >compiled
  "$@" >log 2>&1 || true
  wc -l <compiled
}

swift --version 2>&1 | grep -oE 'Swift version [0-9.]+' | head -n 1
{
  for signal in INT TERM KILL; do
    rm -rf .build
    before=$(compiled timeout --signal "$signal" 4 swift build)
    [ "$before" -gt 0 ] && [ "$before" -lt 40 ] || { echo "the machine is too fast or too slow: $before"; exit 1; }
    [ "$(find .build -name 'number_*.o' | wc -l)" -gt 0 ] && echo "after SIG$signal: some object files exist"
    echo "after SIG$signal: the next build compiles $(compiled swift build) of 40 files"
  done
  rm -rf .build
  echo 'int number_0(void) { return }' >Sources/Forty/number_0.c
  failed=$(compiled swift build)
  rm Sources/Forty/number_0.c
  echo 'int number_0(void) { return 0; }' >Sources/Forty/number_0.c
  again=$(compiled swift build)
  [ $((failed + again)) -le 44 ] && echo "after an error in a file: the next build compiles only what is missing"
} 2>/dev/null | tee seen
diff seen - <<'END'
after SIGINT: some object files exist
after SIGINT: the next build compiles 40 of 40 files
after SIGTERM: some object files exist
after SIGTERM: the next build compiles 40 of 40 files
after SIGKILL: some object files exist
after SIGKILL: the next build compiles 40 of 40 files
after an error in a file: the next build compiles only what is missing
END
