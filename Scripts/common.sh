# Shared functions of the other scripts; not to be run itself.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
started=$SECONDS

say() { printf '\033[1m▸ [%3d s] %s\033[0m\n' $((SECONDS - started)) "$*" >&2; }
fail() { printf '\033[31m✗ %s\033[0m\n' "$*" >&2; exit 1; }

# step NAME COMMAND…: runs a command and appends its seconds to the file $TERN_STEPS, which .ci/run shows at its end.
step() {
  local name=$1 began=$SECONDS
  shift
  say "$name"
  "$@"
  [ -z "${TERN_STEPS:-}" ] || printf '%6d  %s\n' $((SECONDS - began)) "$name" >>"$TERN_STEPS"
}

# The packages' requirements besides the Swift toolchain. The tests need `ip` (iproute2) for virtual networks.
debian_packages=(libssl-dev libsqlite3-dev libroaring-dev zlib1g-dev libcurl4-openssl-dev libstdc++-12-dev tzdata iproute2)

# require_packages PACKAGES…: installs the required Debian packages and the given ones, or prints the command to do it.
require_packages() {
  command -v swift >/dev/null || fail "Couldn't find 'swift' on the PATH. Install Swift 6.3: https://www.swift.org/install"
  [ "$(uname -s)" = Linux ] || return 0
  if ! command -v dpkg-query >/dev/null; then
    say "no dpkg found: install the equivalents of these Debian packages: ${debian_packages[*]} $*"
    return 0
  fi
  local missing=() package
  for package in "${debian_packages[@]}" "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local install="apt-get install -y --no-install-recommends ${missing[*]}"
  local prefix=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then prefix=(sudo -n); else
      fail "Packages are missing. Run: sudo apt-get update && sudo $install"
    fi
  fi
  say "installing ${missing[*]}"
  # An outdated package list is the usual reason for a failed install: refresh it and try again.
  DEBIAN_FRONTEND=noninteractive "${prefix[@]}" $install >&2 \
    || { "${prefix[@]}" apt-get update >&2 && DEBIAN_FRONTEND=noninteractive "${prefix[@]}" $install >&2; } \
    || fail "Couldn't install them. Run: sudo apt-get update && sudo $install"
}

# Builds of whole modules, with lines as the only debug information, make a clean debug build cheaper and incremental ones dearer: only
# Scripts/run and .ci/run use them.
whole_modules=()
[ -z "${TERN_WHOLE_MODULES:-}" ] || whole_modules=(-Xswiftc -wmo -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -gline-tables-only)

# build PACKAGE-DIRECTORY ARGUMENTS…: builds a package and shows the progress. Packages that depend on the SDK alone are built in the
# SDK's folder, where its modules are. Skipped if TERN_BUILT is set.
build() {
  local package=$1 folder=$1/.build flags=(${whole_modules[@]+"${whole_modules[@]}"})
  shift
  [ -z "${TERN_BUILT:-}" ] || return 0
  case "$package" in "$root"/Examples | "$root"/Benchmarks | "$root"/Tests/LinkageTest) folder=$root/.build ;; esac
  [[ " $* " != *" -c release "* ]] || flags=()
  say "building ${package#"$root"/} $* (the first build takes several minutes)"
  swift build --package-path "$package" --scratch-path "$folder" ${flags[@]+"${flags[@]}"} "$@" >&2
}

# check_imports PACKAGE-DIRECTORY: builds a package with its tests, in which each import must be a declared dependency.
check_imports() { build "$1" --build-tests --explicit-target-dependency-import-check error; }

# build_programs: builds the programs that tests from outside use.
build_programs() {
  build "$root/server" --product tern
  build "$root/Examples" --product demo-player
}

# run_tests PACKAGE-DIRECTORY ARGUMENTS…: runs tests and lists the failed ones at the end.
run_tests() {
  local package=$1 output
  shift
  output=$(mktemp)
  if swift test --package-path "$package" ${whole_modules[@]+"${whole_modules[@]}"} "$@" 2>&1 | tee "$output" >&2; then rm -f "$output"; return; fi
  say "failures"
  grep -a -e ' recorded an issue' -e ' failed after' -e 'error:' "$output" | tail -n 60 >&2 || tail -n 20 "$output" >&2
  # The first report of the thread sanitizer, whole: it names both accesses and where their threads were started.
  grep -a -m 1 -A 80 'WARNING: ThreadSanitizer' "$output" >&2 || true
  rm -f "$output"
  fail "Some tests failed."
}

# python_environment [FOLDER REQUIREMENTS]: installs the tools of Scripts/requirements.txt or another file, unless they are there, and
# prints their directory.
python_environment() {
  local environment=${1:-"$root/.build/python"} requirements="$root/Scripts/${2:-requirements.txt}"
  if ! cmp -s "$requirements" "$environment/requirements.txt"; then
    say "installing the Python packages of ${requirements#"$root/"}"
    rm -rf "$environment"
    python3 -m venv "$environment" >&2 || fail "Couldn't create a virtual environment. Install python3 (3.11 or later) and python3-venv."
    # Only what a run imports is compiled, in run_python_tests.
    "$environment/bin/pip" install --disable-pip-version-check --quiet --only-binary :all: --no-deps --no-compile \
      --requirement "$requirements" >&2 \
      || fail "Couldn't install the Python packages of ${requirements#"$root/"}. They come from PyPI: check the network and the settings of pip."
    cp "$requirements" "$environment/requirements.txt"
  fi
  echo "$environment/bin"
}

# run_python_tests FILES…: runs tests of server/Tests/ClientTests, which start servers and talk to them on this machine.
run_python_tests() {
  local tools
  tools=$(python_environment)
  mkdir -p "$root/.build/client-tests"
  # In a directory of its own: some tools write files where they run.
  (cd "$root/.build/client-tests" && env PATH="$tools:$PATH" PYTHONPYCACHEPREFIX="$root/.build/python-cache" \
    NO_PROXY=127.0.0.1 no_proxy=127.0.0.1 TERN_PROGRAM="${TERN_PROGRAM:-$root/server/.build/debug/tern}" TERN_EXAMPLES="$root/.build/debug" \
    "$tools/pytest" --quiet -p no:cacheprovider --rootdir "$root/server/Tests/ClientTests" "$@" >&2) \
    || fail "Some tests failed."
}

# run_python_groups FIRST SECOND ARGUMENTS…: runs the files of two arrays, named FIRST and SECOND, at the same time. What the first says
# is shown at the end.
run_python_groups() {
  local -n first=$1 second=$2
  shift 2
  local said other failed=
  said=$(mktemp)
  python_environment >/dev/null
  (run_python_tests "${first[@]}" "$@") 2>"$said" &
  other=$!
  (run_python_tests "${second[@]}" "$@") || failed=1
  wait "$other" || failed=1
  cat "$said" >&2
  rm -f "$said"
  [ -z "$failed" ] || fail "Some tests failed."
}
