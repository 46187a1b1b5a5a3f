// swift-tools-version: 6.2
import PackageDescription

// Fuzzing by coverage, for `Scripts/fuzz` (docs/fuzzing.md). The links `Device`, `Server` and `ServerTests` lead to
// the sources of both other packages, which are compiled here a second time: as modules of one package, so that one program
// reaches what has package access in either, and with coverage for Tern's modules only.
let package = Package(
  name: "tern-fuzz",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "tern-fuzz", targets: ["TernFuzz"])],
  dependencies: [.package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0")],
  targets: [
    .systemLibrary(name: "CFuzzer"),
    .systemLibrary(name: "CTernZlib", path: "Device/CTernZlib"),
    .systemLibrary(name: "CTernCurl", path: "Device/CTernCurl"),
    .systemLibrary(name: "CTernNetlink", path: "Device/CTernNetlink"),
    .systemLibrary(name: "CTernRoaring", path: "Server/CTernRoaring"),
    .target(name: "CTernJSON", path: "Server/CTernJSON", cxxSettings: [.unsafeFlags(["-fsanitize=fuzzer-no-link"])]),
    device("TernBase", []),
    device("TernValues", ["TernBase"]),
    device("TernEvents", ["TernValues"]),
    device("TernLog", ["TernBase", "TernEvents"]),
    device("TernDelivery", ["TernBase", "TernValues", "TernEvents"]),
    device("TernGzip", ["CTernZlib"]),
    device("TernHTTP", ["TernBase", "TernValues", "CTernCurl"]),
    .target(name: "CTernCrash", path: "Device/CTernCrash"),
    device("TernCrash", ["CTernCrash", "TernBase", "TernEvents"]),
    device(
      "Tern",
      [
        "TernBase", "TernValues", "TernEvents", "TernLog", "TernDelivery", "TernGzip", "TernHTTP", "TernCrash",
        "CTernNetlink",
      ]),
    device("TernMeasurement", ["Tern", "TernBase", "TernValues", "TernEvents", "TernLog", "TernDelivery"]),
    server("ServerBase", ["CTernRoaring"]),
    server("ErrorGrouping", ["ServerBase"]),
    server("Ingest", ["ErrorGrouping", "ServerBase", "CTernJSON", "CTernZlib"]),
    server("JSON", []),
    server("Threads", []),
    server("Warehouse", ["JSON", "ServerBase", "Threads", "Ingest"]),
    server("Views", ["ServerBase", "Warehouse", "Ingest"]),
    server("Questions", ["JSON", "ServerBase", "Views", "Warehouse", "Ingest"]),
    server("Columns", ["CTernMapping", "ServerBase", "Threads", "Questions", "Views", "Warehouse", "Ingest"]),
    .target(name: "CTernSQLite", path: "Server/CTernSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CTernMapping", path: "Server/CTernMapping"),
    server("RowFiles", ["CTernMapping", "ServerBase", "Threads", "Warehouse", "Ingest"]),
    server(
      "WarehouseSQLite",
      [
        "CTernMapping", "CTernSQLite", "JSON", "RowFiles", "ServerBase", "Threads", "Columns", "Questions", "Views",
        "Warehouse",
        "ErrorGrouping", "Ingest",
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]),
    server(
      "WarehouseUpkeep",
      [
        "JSON", "RowFiles", "WarehouseSQLite", "ServerBase", "Threads", "Columns", "Questions", "Views", "Warehouse",
        "ErrorGrouping", "Ingest",
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]),
    server("Reports", ["JSON", "ErrorGrouping", "ServerBase", "Questions", "Ingest", "Warehouse"]),
    // Without the other files, which need more packages.
    server(
      "Symbols", ["CTernZlib", "ErrorGrouping"],
      sources: [
        "Objects", "Mappings/Mapping.swift", "Mappings/MappingIndex.swift", "Mappings/MappingLines.swift",
        "Reading/CodeLayout.swift", "Reading/SymbolizerOutput.swift",
      ]),
    device(
      "TernTestSupport", ["TernBase", "TernValues", "TernEvents", "TernLog", "TernDelivery", "Tern", "CTernZlib"]),
    .target(
      name: "WarehouseContract",
      dependencies: ["ServerBase", "Views", "Warehouse", "Ingest", "TernBase", "TernEvents"],
      path: "ServerTests/WarehouseContract"),
    .executableTarget(
      name: "TernFuzz",
      dependencies: [
        "CFuzzer", "CTernJSON", "TernBase", "TernEvents", "TernLog", "TernDelivery", "TernGzip", "TernCrash",
        "Tern", "TernMeasurement", "Ingest", "ServerBase",
        "Warehouse", "Views", "Questions", "Columns", "RowFiles", "WarehouseSQLite", "WarehouseUpkeep", "Reports",
        "Symbols", "WarehouseContract",
        "TernTestSupport",
      ]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

/// A module of the SDK.
func device(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, path: "Device/\(name)")
}

/// A module of the server; all of them use the values that they share with the SDK.
func server(_ name: String, _ dependencies: [Target.Dependency], sources: [String]? = nil) -> Target {
  .target(
    name: name, dependencies: dependencies + ["TernBase", "TernEvents"], path: "Server/\(name)", sources: sources)
}

for target in package.targets
where [.regular, .executable].contains(target.type) && !["CTernJSON", "CTernCrash"].contains(target.name) {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"), .enableUpcomingFeature("ImmutableWeakCaptures"),
    .treatAllWarnings(as: .error), .treatWarning("DeprecatedDeclaration", as: .warning),
    // Optimized like a release, with its traps and bounds checks; the program reads what is internal.
    .unsafeFlags(["-enable-testing"]),
  ]
  // Coverage of the tests' oracle says nothing about Tern.
  if !["WarehouseContract", "TernTestSupport"].contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-sanitize=fuzzer"]))
  }
}
