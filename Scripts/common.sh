# Shared by the scripts beside it; not meant to be run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
started=$SECONDS

say() { printf '\033[1m▸ [%3d s] %s\033[0m\n' $((SECONDS - started)) "$*" >&2; }
fail() { printf '\033[31m✗ %s\033[0m\n' "$*" >&2; exit 1; }

# What the packages need beside the Swift toolchain: SQLite, CRoaring, simdjson and zlib; and the tests `ip`, for a
# network whose cable they can pull.
debian_packages=(libsqlite3-dev libroaring-dev libsimdjson-dev zlib1g-dev libcurl4-openssl-dev libstdc++-12-dev tzdata iproute2)

# Installs the Debian packages named after the defaults; says what to type when it cannot.
require_packages() {
  command -v swift >/dev/null || fail "Swift 6.3 is needed and 'swift' is not on the PATH; see https://www.swift.org/install"
  [ "$(uname -s)" = Linux ] || return 0
  if ! command -v dpkg-query >/dev/null; then
    say "no dpkg here: make sure the equivalents of these Debian packages are installed: ${debian_packages[*]} $*"
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
      fail "these packages are missing; type: sudo apt-get update && sudo $install"
    fi
  fi
  say "installing ${missing[*]}"
  # An old package list is the usual reason for a failed install, so try once more after refreshing it.
  DEBIAN_FRONTEND=noninteractive "${prefix[@]}" $install >&2 \
    || { "${prefix[@]}" apt-get update >&2 && DEBIAN_FRONTEND=noninteractive "${prefix[@]}" $install >&2; } \
    || fail "could not install them; type: sudo apt-get update && sudo $install"
}

# build PACKAGE-DIRECTORY ARGUMENTS… : a build that shows its progress and says how long it took.
build() {
  local package=$1
  shift
  say "building ${package#"$root"/} $* (the first build takes some minutes)"
  swift build --package-path "$package" "$@" >&2
}

# run_tests PACKAGE-DIRECTORY ARGUMENTS… : runs tests and, when some fail, says at the end which: thousands of lines tell of
# the others.
run_tests() {
  local package=$1 output
  shift
  output=$(mktemp)
  if swift test --package-path "$package" "$@" 2>&1 | tee "$output" >&2; then rm -f "$output"; return; fi
  say "what failed"
  grep -a -e ' recorded an issue' -e ' failed after' -e 'error:' -e 'WARNING: ThreadSanitizer' "$output" | tail -n 60 >&2 || tail -n 20 "$output" >&2
  rm -f "$output"
  fail "some tests failed"
}
