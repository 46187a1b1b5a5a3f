// swift-tools-version: 6.2
import PackageDescription

// Benchmarks, not tests: `Scripts/bench` runs these in release builds. A separate package, so that no app resolves it.
let package = Package(
  name: "tern-benchmarks",
  platforms: [.macOS(.v13)],
  products: [
    .executable(name: "bench-track", targets: ["BenchTrack"]), .executable(name: "bench-load", targets: ["BenchLoad"]),
    .executable(name: "bench-kill", targets: ["BenchKill"]),
  ],
  dependencies: [.package(name: "tern", path: "..")],
  targets: [
    .target(name: "BenchSupport"),
    .executableTarget(
      name: "BenchTrack",
      dependencies: [
        "BenchSupport", .product(name: "Tern", package: "tern"), .product(name: "_TernEvents", package: "tern"),
      ]),
    .executableTarget(
      name: "BenchKill",
      dependencies: [
        "BenchSupport", .product(name: "Tern", package: "tern"), .product(name: "_TernChildProcess", package: "tern"),
      ]),
    .executableTarget(
      name: "BenchLoad",
      dependencies: [
        "BenchSupport", .product(name: "_CTernZlib", package: "tern"), .product(name: "_TernBase", package: "tern"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"), .enableUpcomingFeature("ImmutableWeakCaptures"),
    .treatAllWarnings(as: .error), .treatWarning("DeprecatedDeclaration", as: .warning),
  ]
}
