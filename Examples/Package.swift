// swift-tools-version: 6.2
import PackageDescription

// Apps that use the SDK. A separate package, so that apps that depend on Tern don't resolve it.
let package = Package(
  name: "tern-examples",
  platforms: [.macOS(.v13)],
  products: [
    .executable(name: "demo-player", targets: ["DemoPlayer"]),
    .executable(name: "appcenter-sample", targets: ["AppCenterSample"]),
    .executable(name: "google-analytics-sample", targets: ["GoogleAnalyticsSample"]),
  ],
  dependencies: [.package(name: "tern", path: "..")],
  targets: [
    .executableTarget(
      name: "DemoPlayer",
      dependencies: [.product(name: "Tern", package: "tern"), .product(name: "_TernEvents", package: "tern")]),
    .executableTarget(
      name: "AppCenterSample",
      dependencies: [
        .product(name: "AppCenter", package: "tern"), .product(name: "AppCenterAnalytics", package: "tern"),
        .product(name: "AppCenterCrashes", package: "tern"),
      ]),
    .executableTarget(
      name: "GoogleAnalyticsSample",
      dependencies: [.product(name: "GoogleAnalytics", package: "tern"), .product(name: "Tern", package: "tern")]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  // Apps written for Google Analytics for iOS predate Swift 6.
  if target.name == "GoogleAnalyticsSample" {
    target.swiftSettings = [
      .swiftLanguageMode(.v5), .treatAllWarnings(as: .error), .treatWarning("DeprecatedDeclaration", as: .warning),
    ]
    continue
  }
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"), .enableUpcomingFeature("ImmutableWeakCaptures"),
    .treatAllWarnings(as: .error), .treatWarning("DeprecatedDeclaration", as: .warning),
  ]
}
