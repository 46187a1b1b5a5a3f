#!/usr/bin/env bash
# SwiftPM 6.3.1 (swift build, Linux), with a package whose only test uses Swift Testing, which finds its tests at run time.
# Guess: without the index store, which only editors read, tests are built and run as ever, a little faster.
# Behaviour: everything compiles, then the build fails, because the search for XCTest's methods reads the index store, also where no
# file imports XCTest. --disable-xctest changes nothing for `swift build`. Building without tests works.
# Matters to: whoever saves the time of the index in CI.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -p Sources/Small Tests/SmallTests
echo '// swift-tools-version: 6.0
import PackageDescription
let package = Package(name: "small", targets: [.target(name: "Small"), .testTarget(name: "SmallTests", dependencies: ["Small"])])' \
  >Package.swift
echo 'public func half(_ number: Int) -> Int { number / 2 }' >Sources/Small/Small.swift
echo 'import Small
import Testing
@Test func halves() { #expect(half(4) == 2) }' >Tests/SmallTests/SmallTests.swift

# built ARGUMENTS…: how a build ends, without the paths of this machine.
built() {
  rm -rf .build
  if timeout 60 swift build "$@" >log 2>&1; then echo "swift build $*: builds"; else
    echo "swift build $*: $(grep -a '^error:' log | head -n 1 | sed -E "s#[^ ']*/index/store[^ ']*#…/index/store#g")"
  fi
}

swift --version 2>&1 | grep -oE 'Swift version [0-9.]+' | head -n 1
{
  built --build-tests
  built --disable-index-store
  built --build-tests --disable-index-store
  built --build-tests --disable-index-store --disable-xctest
} | tee seen
diff seen - <<'END'
swift build --build-tests: builds
swift build --disable-index-store: builds
swift build --build-tests --disable-index-store: error: index store path does not exist: …/index/store
swift build --build-tests --disable-index-store --disable-xctest: error: index store path does not exist: …/index/store
END
