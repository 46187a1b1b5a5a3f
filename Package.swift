// swift-tools-version: 6.2
import PackageDescription

// Apple's tools take a privacy manifest as a resource of its target; elsewhere the bundle would only be in the way.
#if os(macOS)
  let privacyManifest: [Resource] = [.copy("PrivacyInfo.xcprivacy")]
  let unusedHere: [String] = []
#else
  let privacyManifest: [Resource] = []
  let unusedHere = ["PrivacyInfo.xcprivacy"]
#endif

// The SDK: Foundation and the operating system only. The server is a package of its own in `server/`, so that an
// app that depends on this package never resolves the server's dependencies (Scripts/check proves it).
let package = Package(
  name: "tern",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .macCatalyst(.v16), .visionOS(.v1)],
  products: [
    .library(name: "Tern", targets: ["Tern"]),
    .library(name: "GoogleAnalytics", targets: ["GoogleAnalytics"]),
    .library(name: "TernTestSupport", targets: ["TernTestSupport"]),
    // Drop-in modules for apps that were written for App Center's SDK (docs/app-center.md).
    .library(name: "AppCenter", targets: ["AppCenter"]),
    .library(name: "AppCenterAnalytics", targets: ["AppCenterAnalytics"]),
    .library(name: "AppCenterCrashes", targets: ["AppCenterCrashes"]),
    // The underscore says that these are no API: they are for the server, and for Tern's own tests and tools.
    .library(name: "_TernBase", targets: ["TernBase"]),
    .library(name: "_TernValues", targets: ["TernValues"]),
    .library(name: "_TernEvents", targets: ["TernEvents"]),
    .library(name: "_TernGzip", targets: ["TernGzip"]),
    .library(name: "_TernHTTP", targets: ["TernHTTP"]),
    .library(name: "_TernChildProcess", targets: ["TernChildProcess"]),
    .library(name: "_CTernZlib", targets: ["CTernZlib"]),
    .library(name: "_CTernCurl", targets: ["CTernCurl"]),
  ],
  targets: [
    .target(name: "TernBase"),
    // What apps see of events: `Tern` exports it, and nothing else.
    .target(name: "TernValues", dependencies: ["TernBase"]),
    .target(name: "TernEvents", dependencies: ["TernValues"]),
    .target(name: "TernLog", dependencies: ["TernBase", "TernEvents"]),
    .target(name: "TernDelivery", dependencies: ["TernBase", "TernValues", "TernEvents"]),
    .systemLibrary(name: "CTernZlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(name: "CTernCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CTernNetlink"),
    .target(name: "TernGzip", dependencies: ["CTernZlib"]),
    // The signal handler, which must not call Swift, and its reports.
    .target(name: "CTernCrash"),
    .target(name: "TernCrash", dependencies: ["CTernCrash", "TernBase", "TernEvents"]),
    // Requests through libcurl, for the SDK on Linux and for what the server sends.
    .target(
      name: "TernHTTP",
      dependencies: [
        "TernBase", "TernValues", .target(name: "CTernCurl", condition: .when(platforms: [.linux, .macOS])),
      ]),
    .target(
      name: "Tern",
      dependencies: [
        "TernBase", "TernValues", "TernEvents", "TernLog", "TernDelivery", "TernGzip", "TernCrash",
        .target(name: "TernHTTP", condition: .when(platforms: [.linux])),
        .target(name: "CTernNetlink", condition: .when(platforms: [.linux])),
      ], exclude: unusedHere, resources: privacyManifest),
    .target(
      name: "AppCenter", dependencies: ["Tern", "TernCrash", "TernBase", "TernValues", "TernEvents"],
      exclude: unusedHere,
      resources: privacyManifest),
    .target(name: "AppCenterAnalytics", dependencies: ["AppCenter", "Tern", "TernBase", "TernEvents"]),
    .target(name: "AppCenterCrashes", dependencies: ["AppCenter", "Tern", "TernBase", "TernEvents"]),
    // Its own target, so that an app that uses Tern's own client does not carry another protocol along, and so that the
    // module that apps import by the name of the original holds no logic.
    .target(
      name: "TernMeasurement",
      dependencies: ["Tern", "TernBase", "TernValues", "TernEvents", "TernLog", "TernDelivery"]),
    .target(name: "GoogleAnalytics", dependencies: ["TernMeasurement", "Tern", "TernBase", "TernEvents"]),
    .target(
      name: "TernTestSupport",
      dependencies: ["TernBase", "TernValues", "TernEvents", "TernLog", "TernDelivery", "Tern", "CTernZlib"]),
    .target(
      name: "TernSimulator",
      dependencies: ["Tern", "TernBase", "TernEvents", "TernLog", "TernDelivery", "TernTestSupport"]),
    .executableTarget(name: "simulate", dependencies: ["TernSimulator", "TernBase", "TernEvents"]),
    .systemLibrary(name: "CTernSpawn"),
    .target(
      name: "TernChildProcess", dependencies: [.target(name: "CTernSpawn", condition: .when(platforms: [.linux]))]),
    .testTarget(name: "TernEventsTests", dependencies: ["TernBase", "TernEvents", "TernTestSupport"]),
    // A process that the tests of the log kill; no product, so only the tests build it.
    .executableTarget(
      name: "CrashHelper", dependencies: ["TernLog", "TernBase", "TernEvents"], path: "Tests/CrashHelper"),
    .testTarget(
      name: "TernLogTests",
      dependencies: ["TernLog", "TernBase", "TernEvents", "TernTestSupport", "TernChildProcess", "CrashHelper"]),
    .testTarget(
      name: "TernDeliveryTests", dependencies: ["TernDelivery", "TernBase", "TernEvents", "TernTestSupport"]),
    .target(name: "ProbeSupport", path: "Tests/ProbeSupport"),
    // A process for the tests to start and to kill.
    .executableTarget(
      name: "TernProbe",
      dependencies: ["Tern", "TernBase", "TernEvents", "TernMeasurement", "TernTestSupport", "ProbeSupport"],
      path: "Tests/TernProbe"),
    // A process that crashes in a chosen way, or starts after a crash.
    .executableTarget(
      name: "CrashProbe",
      dependencies: ["AppCenter", "AppCenterCrashes", "Tern", "TernEvents", "CTernCrash", "ProbeSupport"],
      path: "Tests/CrashProbe"),
    .testTarget(
      name: "TernTests",
      dependencies: [
        "Tern", "TernGzip", "TernBase", "TernEvents", "TernLog", "TernDelivery", "TernCrash", "TernMeasurement",
        "TernTestSupport", "TernChildProcess", "TernProbe", "CrashProbe",
      ]),
    .testTarget(
      name: "TernMeasurementTests",
      dependencies: ["TernMeasurement", "Tern", "TernBase", "TernEvents", "TernLog", "TernTestSupport"]),
    .testTarget(
      name: "GoogleAnalyticsTests",
      dependencies: [
        "GoogleAnalytics", "TernMeasurement", "Tern", "TernBase", "TernEvents", "TernLog", "TernTestSupport",
      ]),
    // Code as apps have it, without our settings, compiled in both language modes: the second directory is a link.
    .testTarget(
      name: "GoogleAnalyticsIdioms6", dependencies: ["GoogleAnalytics", "Tern", "TernTestSupport"],
      path: "Tests/GoogleAnalyticsIdioms", swiftSettings: [.treatAllWarnings(as: .error)]),
    .testTarget(
      name: "GoogleAnalyticsIdioms5", dependencies: ["GoogleAnalytics", "Tern", "TernTestSupport"],
      path: "Tests/GoogleAnalyticsIdioms5",
      swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
    .testTarget(
      name: "AppCenterTests",
      dependencies: [
        "AppCenter", "AppCenterAnalytics", "AppCenterCrashes", "Tern", "TernBase", "TernEvents", "TernTestSupport",
        "TernChildProcess", "TernCrash", "CrashProbe",
      ]),
    // Compiled only: code as apps have it, in both language modes.
    .testTarget(
      name: "AppCenterIdioms6", dependencies: ["AppCenter", "AppCenterAnalytics", "AppCenterCrashes"],
      path: "Tests/AppCenterIdioms", swiftSettings: [.swiftLanguageMode(.v6)]),
    .testTarget(
      name: "AppCenterIdioms5", dependencies: ["AppCenter", "AppCenterAnalytics", "AppCenterCrashes"],
      path: "Tests/AppCenterIdioms5", swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "TernIdioms", dependencies: ["Tern"],
      swiftSettings: [.enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error)]),
    .testTarget(name: "TernSimulatorTests", dependencies: ["TernSimulator", "TernBase", "TernEvents"]),
    // The targets of the fuzzer that read what the SDK reads; links lead to them (docs/fuzzing.md).
    .testTarget(
      name: "TernReplayTests",
      dependencies: [
        "Tern", "TernBase", "TernEvents", "TernLog", "TernDelivery", "TernCrash", "TernMeasurement", "TernTestSupport",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// An app's settings are its own: what apps write is compiled without ours.
let fixtures: Set = [
  "AppCenterIdioms5", "AppCenterIdioms6", "GoogleAnalyticsIdioms5", "GoogleAnalyticsIdioms6", "TernIdioms",
]
for target in package.targets
where [.regular, .test, .executable].contains(target.type) && !fixtures.contains(target.name)
  && target.name != "CTernCrash"
{
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      .enableUpcomingFeature("InferIsolatedConformances"), .enableUpcomingFeature("ImmutableWeakCaptures"),
      .treatAllWarnings(as: .error), .treatWarning("DeprecatedDeclaration", as: .warning),
    ]
}

// Scripts/check sets this for the thread sanitizer: leaves out the targets that have a single thread or are only compiled.
if Context.environment["TERN_THREADED_TARGETS"] != nil {
  let unthreaded: Set = [
    "TernDeliveryTests", "TernSimulatorTests", "TernSimulator", "simulate", "TernReplayTests", "AppCenterIdioms5",
    "AppCenterIdioms6", "TernIdioms",
  ]
  package.targets.removeAll { unthreaded.contains($0.name) }
}
