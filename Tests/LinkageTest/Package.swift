// swift-tools-version: 6.2
import PackageDescription

// A client of the SDK alone, like an app's package. Scripts/check fails if it resolves anything else.
let package = Package(
  name: "linkage",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "tern", path: "../..")],
  targets: [.executableTarget(name: "linkage", dependencies: [.product(name: "Tern", package: "tern")])],
  swiftLanguageModes: [.v6]
)
