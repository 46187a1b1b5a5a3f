// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "tern-server",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "tern", targets: ["TernCommand"])],
  traits: [
    .trait(name: "TLS", description: "tern serve --tls-cert: encrypts connections itself, with BoringSSL"),
    .default(enabledTraits: ["TLS"]),
  ],
  dependencies: [
    .package(name: "tern", path: ".."),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0", traits: []),
    .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.0"),
    .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.0"),
    .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
  ],
  targets: [
    // The JSON reader in C++, and shims that each wrap one maintained library of the system.
    .target(name: "CTernJSON"),
    .systemLibrary(name: "CTernRoaring", providers: [.apt(["libroaring-dev"]), .brew(["croaring"])]),
    .systemLibrary(name: "CTernCrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),

    // Data flows down this list: bytes -> events -> rollups -> metrics -> pages -> HTTP -> command line.
    .target(
      name: "Ingest",
      dependencies: [
        "ErrorGrouping", "ServerBase", .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"), "CTernJSON", .product(name: "_CTernZlib", package: "tern"),
      ]),
    // Which errors are the same. No I/O.
    .target(name: "ErrorGrouping", dependencies: ["ServerBase", .product(name: "_TernBase", package: "tern")]),
    // Bytes, hashes, sets and calendars, for everyone below.
    .target(
      name: "ServerBase",
      dependencies: [
        "CTernRoaring", .product(name: "_TernBase", package: "tern"), .product(name: "_TernEvents", package: "tern"),
      ]),
    // JSON as values: reading, writing, and members that are declared once, with their schema.
    .target(name: "JSON", dependencies: [.product(name: "_TernEvents", package: "tern")]),
    // Hashes, message authentication codes, signatures and passwords, computed by the system's libcrypto.
    .target(name: "Cryptography", dependencies: ["CTernCrypto"]),
    // Threads for one kind of work each, and the fair order of that work.
    .target(name: "Threads", dependencies: [.product(name: "_TernBase", package: "tern")]),
    // The port: the protocols of warehouse and catalog, and the values that they exchange.
    .target(
      name: "Warehouse",
      dependencies: [
        "JSON", "ServerBase", "Ingest", .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"),
      ]),
    // The data directory: its paths, its owner, and the versions of its databases.
    .target(
      name: "DataFiles",
      dependencies: ["Warehouse", "Threads", .product(name: "_TernBase", package: "tern")]),
    .target(
      name: "Views",
      dependencies: [
        "Warehouse", "Ingest", "ServerBase", .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"),
      ]),
    // Questions about rows as values, and the folds over one person's rows that every store shares. No I/O.
    .target(
      name: "Questions",
      dependencies: [
        "JSON", "ServerBase", "Views", "Warehouse", "Ingest", .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"),
      ]),
    // Rows as columns, derived from a store's rows, and the evaluator of questions over them.
    .target(
      name: "Columns",
      dependencies: [
        "CTernMapping", "ServerBase", "Threads", "Questions", "Views", "Warehouse", "Ingest",
        .product(name: "_TernBase", package: "tern"),
      ]),
    // Mails, webhooks and messages to chats: the one way out for everything that the server tells people.
    .target(
      name: "Outgoing",
      dependencies: [
        "Cryptography", "ServerBase", "Threads", .product(name: "_CTernCurl", package: "tern"),
        .product(name: "_TernHTTP", package: "tern"), .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"),
      ]),
    // The decisions of alerts, and the words of their messages. No I/O.
    .target(
      name: "Alerts",
      dependencies: [
        "JSON", "ServerBase", "Outgoing", "Questions", "Warehouse", .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"),
      ]),
    // Signing in with an identity provider: the requests, and the checks of the answers.
    .target(
      name: "SignOn",
      dependencies: [
        "JSON", "Cryptography", "ServerBase", "Outgoing", "Warehouse", .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"),
      ]),
    // SQLite's shared memory on disks that are full.
    .target(name: "CTernSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
      name: "AppCatalog",
      dependencies: [
        "DataFiles", "CTernSQLite", "JSON", "Cryptography", "ServerBase", "Alerts", "Outgoing", "Views", "Warehouse",
        .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    // A process that gives up its rights before it reads hostile files.
    .target(name: "CTernSandbox"),
    // Files with symbols: which are stored, and what they say about stacks.
    .target(
      name: "Symbols",
      dependencies: [
        "DataFiles", "Cryptography", .product(name: "_CTernZlib", package: "tern"), "CTernSandbox", "Threads",
        "Warehouse", "Ingest",
        "ErrorGrouping", .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"), .product(name: "_TernChildProcess", package: "tern"),
      ]),
    // Mapped files whose pages may get lost.
    .target(name: "CTernMapping"),
    // Rows, keys and their segments as files: bytes and syncs. No SQLite.
    .target(
      name: "RowFiles",
      dependencies: [
        "DataFiles", "CTernMapping", "ServerBase", "Threads", "Warehouse", "Ingest",
        .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"),
      ]),
    // The embedded warehouse: writing, counting and reading.
    .target(
      name: "WarehouseSQLite",
      dependencies: [
        "DataFiles", "CTernMapping", "CTernSQLite", "JSON", "RowFiles", "ServerBase", "Threads", "Columns", "Questions",
        "Views",
        "Warehouse",
        "ErrorGrouping", "Ingest",
        .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"),
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]),
    // Background work: deleting, export, backups, retiring, recovery, verification.
    .target(
      name: "WarehouseUpkeep",
      dependencies: [
        "DataFiles", "RowFiles", "WarehouseSQLite", "ServerBase", "Threads", "Columns", "Questions", "Views",
        "Warehouse",
        "ErrorGrouping", "Ingest",
        .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"),
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]),
    // A cluster that holds a copy of every row: what is sent to it and how.
    .target(
      name: "ClickHouse",
      dependencies: [
        "ServerBase", .product(name: "_TernBase", package: "tern"), .product(name: "_TernGzip", package: "tern"),
        .product(name: "_TernHTTP", package: "tern"), .product(name: "_TernValues", package: "tern"),
      ]),
    // The schedule of what goes there, and the record of what is there.
    .target(
      name: "Shipping",
      dependencies: [
        "DataFiles", "ServerBase", "ClickHouse", "Warehouse", "Ingest", .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .target(
      name: "Reports",
      dependencies: [
        "ErrorGrouping", "ServerBase", "Questions", "Ingest", "Warehouse",
        .product(name: "_TernBase", package: "tern"), .product(name: "_TernEvents", package: "tern"),
      ]),
    // The portal's files, embedded by clang.
    .target(name: "PortalResources", path: "Sources/Portal/Resources", exclude: ["Assets", "Templates"]),
    .target(
      name: "Portal",
      dependencies: [
        "PortalResources",
        "ServerBase", "Alerts", "Outgoing", "Reports", "Questions", "Warehouse", "Ingest",
        .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"),
        .product(name: "Mustache", package: "swift-mustache"),
      ],
      exclude: ["Resources"]),
    // Sockets, connections, rights and errors; an endpoint says what it requires, takes and answers.
    .target(
      name: "HTTP",
      dependencies: [
        "JSON", "ServerBase", "Cryptography", "Threads", "Ingest", "Warehouse", "Questions", "Reports",
        .product(name: "_TernBase", package: "tern"), .product(name: "_TernEvents", package: "tern"),
        .product(name: "_TernGzip", package: "tern"), .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["TLS"])),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    // The protocols in which apps send, and their gates.
    .target(
      name: "Ingestion",
      dependencies: [
        "HTTP", "JSON", "ServerBase", "Threads", "Ingest", "Warehouse",
        .product(name: "_TernBase", package: "tern"), .product(name: "_TernEvents", package: "tern"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    // The part that API and portal share: reports and questions run in fair order, changes to persons and states of errors.
    .target(
      name: "Answering",
      dependencies: [
        "HTTP", "JSON", "Threads", "Alerts", "Warehouse", "Questions", "Reports",
        .product(name: "_TernBase", package: "tern"), .product(name: "_TernEvents", package: "tern"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"), .product(name: "NIOCore", package: "swift-nio"),
      ]),
    // The endpoints for programs: one file per thing, from which the OpenAPI document is derived.
    .target(
      name: "API",
      dependencies: [
        "Answering", "HTTP", "JSON", "ServerBase", "Threads", "Ingest", "Warehouse", "Questions", "Reports", "Portal",
        "Symbols", "Alerts",
        .product(name: "_TernBase", package: "tern"), .product(name: "_TernEvents", package: "tern"),
        .product(name: "_TernGzip", package: "tern"), .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"), .product(name: "NIOCore", package: "swift-nio"),
      ]),
    // The routes of the portal's pages: one file per thing.
    .target(
      name: "Site",
      dependencies: [
        "Answering", "HTTP", "JSON", "ServerBase", "Threads", "Ingest", "Warehouse", "Questions", "Reports", "Portal",
        "Alerts", "Outgoing", "SignOn",
        .product(name: "_TernBase", package: "tern"), .product(name: "_TernEvents", package: "tern"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    // The running server: its start, jobs and services.
    .target(
      name: "TernServer",
      dependencies: [
        "DataFiles", "API", "Ingestion", "Site", "Answering", "HTTP", "ServerBase", "Threads", "ErrorGrouping",
        "Ingest", "Warehouse", "WarehouseSQLite", "WarehouseUpkeep", "AppCatalog", "Questions", "Reports",
        "Portal", "Symbols",
        "ClickHouse", "Shipping", "Alerts", "Outgoing", "SignOn",
        .product(name: "_TernBase", package: "tern"), .product(name: "_TernEvents", package: "tern"),
        .product(name: "_TernChildProcess", package: "tern"), .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ]),
    // Commands and the demo.
    .executableTarget(
      name: "TernCommand",
      dependencies: [
        "TernServer", "Ingestion", "HTTP", "JSON", "Cryptography", "ServerBase", "Portal", "Reports", "Questions",
        "Warehouse", "WarehouseSQLite", "WarehouseUpkeep", "AppCatalog", "Ingest", "Symbols", "ClickHouse",
        "Shipping", "Alerts",
        "Outgoing", "SignOn",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Tern", package: "tern"), .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"), .product(name: "_TernGzip", package: "tern"),
        .product(name: "_TernChildProcess", package: "tern"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    // A benchmark, not a test: `swift run -c release bench-ingest`.
    .executableTarget(
      name: "bench-ingest",
      dependencies: [
        "Ingest", .product(name: "_TernBase", package: "tern"), .product(name: "_TernEvents", package: "tern"),
      ],
      path: "Benchmarks/BenchIngest"),
    // Likewise: `swift run -c release bench-warehouse DIRECTORY`.
    .executableTarget(
      name: "bench-warehouse",
      dependencies: [
        "ServerBase", "AppCatalog", "WarehouseSQLite", "WarehouseUpkeep", "Warehouse", "Ingest",
        .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"),
      ],
      path: "Benchmarks/BenchWarehouse"),
    // Likewise: `swift run -c release bench-questions DIRECTORY`.
    .executableTarget(
      name: "bench-questions",
      dependencies: [
        "ServerBase", "AppCatalog", "Columns", "Questions", "Threads", "WarehouseSQLite", "Warehouse",
        "Ingest",
        .product(name: "_TernBase", package: "tern"), .product(name: "_TernEvents", package: "tern"),
      ],
      path: "Benchmarks/BenchQuestions"),
    .testTarget(
      name: "IngestTests",
      dependencies: [
        "ErrorGrouping", "Ingest", "ServerBase", .product(name: "_CTernZlib", package: "tern"), "CTernJSON",
        .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"),
      ]),
    .testTarget(name: "ErrorGroupingTests", dependencies: ["ErrorGrouping"], exclude: ["Fixtures"]),
    // The contract of every store of events, with a naive store as the oracle. Any test framework can run it.
    .target(
      name: "WarehouseContract",
      dependencies: [
        "ServerBase", "Views", "Warehouse", "Ingest", .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"),
      ],
      path: "Tests/WarehouseContract"),
    .testTarget(
      name: "WarehouseTests",
      dependencies: [
        "DataFiles",
        "SimulatedDisk", "Cryptography", "ServerBase", "Threads", "QuestionsTestSupport", "Columns", "Questions",
        "WarehouseContract",
        "RowFiles", "WarehouseSQLite", "WarehouseUpkeep",
        "AppCatalog", "Views",
        "Warehouse", "Ingest",
        .product(name: "_TernBase", package: "tern"), .product(name: "_TernEvents", package: "tern"),
      ]),
    // A disk that forgets and tears what wasn't synced, and a program that runs a server's stores on it (docs/simulator.md).
    .target(
      name: "SimulatedDisk", dependencies: [.product(name: "_TernEvents", package: "tern")], path: "Tests/SimulatedDisk"
    ),
    .target(name: "CTernDisk", path: "Tests/CTernDisk"),
    .executableTarget(
      name: "simulate-server",
      dependencies: [
        "DataFiles",
        "CTernDisk", "SimulatedDisk", "WarehouseContract", "TernServer", "WarehouseSQLite",
        "WarehouseUpkeep", "AppCatalog", "Questions",
        "Views",
        "Warehouse", "Ingest", .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/SimulateServer"),
    .testTarget(
      name: "ServerBaseTests",
      dependencies: [
        "ServerBase", .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernChildProcess", package: "tern"),
      ]),
    // The oracle: answers questions from rows in memory, slowly and by the definitions alone.
    .target(
      name: "QuestionsTestSupport",
      dependencies: ["ServerBase", "Questions", "Warehouse", "Ingest", .product(name: "_TernEvents", package: "tern")],
      path: "Tests/QuestionsTestSupport"),
    // Where the servers of `Scripts/clickhouse` are.
    .target(name: "ClickHouseTestSupport", dependencies: ["ClickHouse"], path: "Tests/ClickHouseTestSupport"),
    .testTarget(
      name: "ClickHouseTests",
      dependencies: [
        "ClickHouse", "ClickHouseTestSupport", "ServerBase", .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernGzip", package: "tern"), .product(name: "_TernHTTP", package: "tern"),
        .product(name: "_TernValues", package: "tern"),
      ]),
    .testTarget(
      name: "ShippingTests",
      dependencies: [
        "Shipping", "ClickHouse", "ClickHouseTestSupport", "ServerBase", "WarehouseContract", "RowFiles",
        "WarehouseSQLite", "WarehouseUpkeep",
        "Warehouse", "Ingest", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "_TernBase", package: "tern"), .product(name: "_TernEvents", package: "tern"),
      ]),
    .testTarget(
      name: "SymbolsTests",
      dependencies: [
        "Symbols", "TernCommand", "AppCatalog", "Warehouse", "Ingest", .product(name: "_CTernZlib", package: "tern"),
        "ErrorGrouping", .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"), .product(name: "_TernChildProcess", package: "tern"),
      ]),
    .testTarget(
      name: "OutgoingTests",
      dependencies: [
        "Outgoing", "ServerBase", .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"),
      ]),
    .testTarget(name: "CryptographyTests", dependencies: ["Cryptography"]),
    // An identity provider whose answers a test can make false.
    .target(
      name: "SignOnTestSupport",
      dependencies: [
        "JSON", "CTernCrypto", "Cryptography", "Outgoing", "SignOn", .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"),
      ],
      path: "Tests/SignOnTestSupport"),
    .testTarget(
      name: "SignOnTests",
      dependencies: [
        "JSON", "Cryptography", "ServerBase", "SignOn", "SignOnTestSupport", "Outgoing", "Warehouse",
        .product(name: "_TernBase", package: "tern"), .product(name: "_TernEvents", package: "tern"),
      ]),
    .testTarget(
      name: "AlertsTests",
      dependencies: [
        "DataFiles",
        "Alerts", "Outgoing", "AppCatalog", "TernCommand", "HTTP", "Questions", "Warehouse",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "_TernBase", package: "tern"), .product(name: "_TernEvents", package: "tern"),
      ]),
    .testTarget(name: "ThreadsTests", dependencies: ["Threads", .product(name: "_TernBase", package: "tern")]),
    .testTarget(
      name: "ColumnsTests",
      dependencies: [
        "JSON", "ServerBase", "Threads", "QuestionsTestSupport", "Columns", "Questions", "Views", "Warehouse", "Ingest",
        .product(name: "_TernBase", package: "tern"), .product(name: "_TernEvents", package: "tern"),
      ]),
    .testTarget(
      name: "QuestionsTests",
      dependencies: [
        "JSON", "ServerBase", "QuestionsTestSupport", "Questions", "Warehouse", "Ingest",
        .product(name: "_TernEvents", package: "tern"),
      ]),
    .target(
      name: "ReportsTestSupport",
      dependencies: [
        "ServerBase", "WarehouseContract", "Reports", "Questions", "Warehouse", "Ingest",
        .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"),
      ],
      path: "Tests/ReportsTestSupport"),
    .testTarget(
      name: "ReportsTests",
      dependencies: [
        "ServerBase", "ReportsTestSupport", "WarehouseContract", "Reports", "Questions", "Warehouse", "Ingest",
        .product(name: "_TernBase", package: "tern"), .product(name: "_TernEvents", package: "tern"),
      ]),
    .testTarget(
      name: "PortalTests",
      dependencies: [
        "JSON", "ServerBase", "Alerts", "Outgoing", "ReportsTestSupport", "WarehouseContract", "Portal", "Reports",
        "Questions",
        "Warehouse",
        "Ingest",
        .product(name: "_TernBase", package: "tern"), .product(name: "_TernEvents", package: "tern"),
      ]),
    .testTarget(
      name: "CollectorTests",
      dependencies: [
        "ServerBase", "Alerts", "Outgoing", "SignOn", "SignOnTestSupport", "Threads", "HTTP", "Ingestion", "Answering",
        "API", "Site", "TernServer", "TernCommand",
        "Symbols", "Portal",
        "Warehouse",
        "RowFiles", "WarehouseSQLite", "WarehouseUpkeep", "AppCatalog",
        "Ingest",
        "Reports",
        "Questions",
        "ReportsTestSupport", "WarehouseContract",
        .product(name: "_TernBase", package: "tern"), .product(name: "_TernEvents", package: "tern"),
        .product(name: "_TernGzip", package: "tern"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["TLS"])),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // The targets of the fuzzer that read what the server reads; links lead to them (docs/fuzzing.md).
    .testTarget(
      name: "ReplayTests",
      dependencies: [
        "ServerBase", "Symbols", "WarehouseContract", "RowFiles", "WarehouseSQLite", "WarehouseUpkeep", "Reports",
        "Columns", "Questions", "Views",
        "Warehouse", "Ingest", .product(name: "_TernBase", package: "tern"),
        .product(name: "_TernEvents", package: "tern"), .product(name: "_TernGzip", package: "tern"),
      ]),
    .testTarget(
      name: "EndToEndTests", dependencies: ["TernCommand", .product(name: "_TernChildProcess", package: "tern")]),
  ],
  swiftLanguageModes: [.v6],
  // For #embed.
  cLanguageStandard: .gnu2x,
  cxxLanguageStandard: .cxx17
)

for target in package.targets
where [.regular, .test, .executable].contains(target.type) && !target.name.hasPrefix("CTern")
  && target.name != "PortalResources"
{
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      .enableUpcomingFeature("InferIsolatedConformances"), .enableUpcomingFeature("ImmutableWeakCaptures"),
      .treatAllWarnings(as: .error), .treatWarning("DeprecatedDeclaration", as: .warning),
    ]
}
