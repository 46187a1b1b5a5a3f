#!/usr/bin/env bash
# A subcommand with an option --version of its own (of an app, say) and a required option, in a program that has a version.
#
# Packages:  apple/swift-argument-parser 1.8.2, built with Swift 6.3.1
# Guess:     The subcommand's own option has its own meaning: with --app missing, the error says so, with the status 64 of wrong usage.
# Behaviour: With all options it has. With --app missing, the program prints its version and ends with status 0, as if asked for it.
#            The same with --version=1.2.
# Matters:   A script that uploads something for a version, and lacks an option, succeeds without a word of error and does nothing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p Sources/tool
cat >Package.swift <<'S'
// swift-tools-version: 6.0
import PackageDescription
let package = Package(
  name: "tool",
  dependencies: [.package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")],
  targets: [
    .executableTarget(name: "tool", dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")])
  ])
S
cat >Sources/tool/Tool.swift <<'S'
import ArgumentParser

@main struct Tool: ParsableCommand {
  static let configuration = CommandConfiguration(version: "tool 7", subcommands: [Upload.self])
}

struct Upload: ParsableCommand {
  @Option var app: String
  @Option var version = ""
  func run() { print("app \(app), version \(version)") }
}
S
timeout 85 swift build --quiet >log 2>&1 || { cat log; exit 1; }
try() {
  local status=0
  .build/debug/tool "$@" >said 2>&1 || status=$?
  echo "tool $*: $(head -n 1 said) (status $status)"
}
{
  try upload --app 1 --version 1.2
  try upload --version 1.2
  try upload --version=1.2
  try upload
} | tee seen
diff seen - <<'END'
tool upload --app 1 --version 1.2: app 1, version 1.2 (status 0)
tool upload --version 1.2: tool 7 (status 0)
tool upload --version=1.2: tool 7 (status 0)
tool upload: Error: Missing expected argument '--app <app>' (status 64)
END
