import AppCatalog
import Foundation
import HTTPTypes
import Ingest
import Logging
import NIOCore
import Portal
import Symbols
import TernEvents
import Testing
import Threads
import Warehouse

@testable import HTTP
@testable import Reports
@testable import TernServer
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Crashes of an Android app in two builds that R8 has shortened, as App Center's client sends them, before and after mappings.
@Suite struct MappingGroupTests {
  private static let start = Timestamp(millisecondsSince1970: 20_000 * 86_400_000)

  private static let first = """
    com.example.radio.Player -> d.a.a.a:
    # {"id":"sourceFile","fileName":"Player.kt"}
        5:5:int com.example.radio.Decoder.decode(byte[]):88:88 -> a
        5:5:void play(int):25 -> a
        6:6:void stop():40:40 -> a
    com.example.radio.PlayerError -> d.a.a.c:
        1:1:void <init>():3:3 -> <init>
    """

  private static let second = """
    com.example.radio.Player -> e.b:
    # {"id":"sourceFile","fileName":"Player.kt"}
        8:8:int com.example.radio.Decoder.decode(byte[]):89:89 -> c
        8:8:void play(int):27 -> c
    com.example.radio.PlayerError -> e.f:
        1:1:void <init>():3:3 -> <init>
    """

  /// A server's warehouse, and what finds names in it.
  private final class Server {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-mapping-\(UUID().uuidString)").path
    let catalog: Catalog
    let warehouse: SQLiteWarehouse
    let app: AppID
    let symbolicator: Symbolicator
    private var regrouping: Regrouping
    private var count = 0

    init() throws {
      catalog = try Catalog(directory: directory)
      app = try catalog.createApp(name: "Radio").id
      warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
      symbolicator = Symbolicator(catalog: catalog, program: "/missing/tool", launcher: "/missing/tern")
      regrouping = Regrouping(warehouse: warehouse, symbolicator: symbolicator)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// Stores a crash as App Center's client for Android sends it.
    func crash(_ version: String, _ build: String, type: String, _ frames: (String, String, Int)...) async throws {
      count += 1
      let list = frames.map { name, method, line in
        #"{"className":"\#(name)","methodName":"\#(method)","lineNumber":\#(line),"fileName":"SourceFile"}"#
      }.joined(separator: ",")
      let body = #"""
        {"logs":[{"type":"managedError","timestamp":"2024-10-04T00:00:0\#(count % 10).000Z","fatal":true,
        "id":"01900000-0000-7000-8000-00000000000\#(count)","device":{"appVersion":"\#(version)","appBuild":"\#(build)",
        "osName":"Android"},"exception":{"type":"\#(type)","message":"no","frames":[\#(list)]}}]}
        """#
      let batch = try AppCenterParser.parse(
        Array(body.utf8), install: "01900000-0000-7000-8000-0000000000a\(count)",
        received: MappingGroupTests.start + .seconds(60), key: DuplicateHashKey(1, 2), app: app.rawValue
      ).batch
      try #require(batch.errors.count == 1 && batch.rejections.isEmpty, "\(batch.rejections)")
      _ = try await warehouse.commit(batch, app: app)
    }

    func add(_ text: String, version: String, build: String) throws {
      let upload = try SymbolStore(directory: directory, catalog: catalog).receive()
      try Array(text.utf8).withUnsafeBytes { try upload.append($0) }
      _ = try upload.finish(
        app: app, image: "mapping.txt", mapping: try MappedBuild(version: version, build: build))
    }

    /// Puts errors into groups until nothing is left to do.
    func look() async throws {
      let version = GroupingVersion(symbols: try catalog.symbolsVersions()[app] ?? "", decisions: "0")
      let decisions = try catalog.errorDecisions(app: app)
      while try await regrouping.run(app: app, version: version, uptime: .zero, decisions: { decisions }) {}
    }

    /// The page at an address, as a browser gets it.
    func page(_ address: String, _ store: SymbolicatedStore) async throws -> String {
      var dependencies = CollectorDependencies(
        sink: warehouse, store: store, questions: StubQuestions(), catalog: catalog,
        duplicateKey: DuplicateHashKey(1, 2),
        storage: { StorageStatus() }, logger: Logger(label: "test"))
      dependencies.reportExecutor = ThreadPool<Int>(.reports, count: 1)
      let collector = try CollectorApplication(
        dependencies: dependencies, address: "http://127.0.0.1:8787",
        settings: CollectorSettings())
      let response = try await TestClient(collector, logger: dependencies.logger).execute(
        uri: address, method: .get, headers: [.cookie: "tern_session=\(try catalog.ownerSession())"])
      return String(buffer: response.body)
    }

    var days: ClosedRange<Day> { Day(number: 19_990)...Day(number: 20_003) }

    func groups() async throws -> [ErrorGroup] {
      try await warehouse.reader.errorGroups(app: app, group: nil, days: days, limit: 100).sorted { $0.id < $1.id }
    }
  }

  @Test func `two builds are one group once both have mappings, and stacks show the source`() async throws {
    let server = try Server()
    try await server.crash("1.2", "34", type: "d.a.a.c", ("d.a.a.a", "a", 5), ("android.view.View", "performClick", 3))
    try await server.crash("1.2", "34", type: "d.a.a.c", ("d.a.a.a", "a", 6))
    try await server.crash("1.3", "40", type: "e.f", ("e.b", "c", 8), ("android.view.View", "performClick", 3))
    try await server.look()
    let before = try await server.groups()
    #expect(before.map(\.count) == [2, 1], "one name stands for two methods, and two names for one")

    try server.add(Self.first, version: "1.2", build: "34")
    try await server.look()
    #expect(try await server.groups().map(\.count) == [1, 1, 1])
    try server.add(Self.second, version: "1.3", build: "40")
    try await server.look()
    let after = try await server.groups()
    #expect(after.map(\.count) == [2, 1] && after.first?.id == before.first?.id)
    #expect(after.map(\.place) == ["com.example.radio.Decoder.decode", "com.example.radio.Player.stop"])
    #expect(after.first?.versions.count == 2)
    #expect(after.map(\.type) == ["com.example.radio.PlayerError", "com.example.radio.PlayerError"])

    // A later crash of either build is in the group at once, and one of a third build only with its mapping.
    try await server.crash("1.3", "40", type: "e.f", ("e.b", "c", 8), ("android.view.View", "performClick", 3))
    #expect(try await server.groups().map(\.count) == [3, 1])
    try await server.crash("1.4", "50", type: "e.f", ("e.b", "c", 8), ("android.view.View", "performClick", 3))
    try await server.look()
    #expect(try await server.groups().map(\.count) == [3, 1, 1])
    try server.add(Self.second, version: "1.4", build: "50")
    try await server.look()
    #expect(try await server.groups().map(\.count) == [4, 1])

    let store = SymbolicatedStore(server.warehouse.reader, symbolicator: server.symbolicator)
    let group = try #require(after.first?.id)
    let errors = try await store.errors(app: server.app, group: group, days: server.days, limit: 9)
    for error in errors {
      let detail = try #require(try await store.error(app: server.app, id: error.id))
      #expect(detail.type == "com.example.radio.PlayerError" && detail.symbolProblem == nil)
      #expect(
        detail.trace.threads.first?.frames.prefix(2).map(\.function) == [
          "com.example.radio.Decoder.decode", "com.example.radio.Player.play",
        ])
      #expect(detail.shownStack.contains("(Player.kt:2"))
    }
    let page = try await server.page("/apps/1/error?occurrence=\(try #require(errors.first).id)", store)
    for text in [
      "com.example.radio.PlayerError", "com.example.radio.Decoder.decode", "Decoder.java:8", "Player.kt:2",
    ] {
      #expect(page.contains(text), "\(text)")
    }
    #expect(try await server.warehouse.reader.verify().isClean)
    // Deleted mappings take no group apart.
    _ = try server.catalog.removeSymbols(app: server.app, buildID: "1.2 (34)")
    try await server.look()
    #expect(try await server.groups().map(\.count) == [4, 1])
    #expect(try await server.groups().map(\.type) == after.map(\.type))
    try await server.warehouse.close()
  }

  @Test func `the list of missing symbols names builds without a mapping`() async throws {
    let server = try Server()
    try await server.crash("1.2", "34", type: "d.a.a.c", ("d.a.a.a", "a", 5))
    try await server.crash("1.3", "40", type: "E", ("com.example.radio.Player", "play", 8))
    var samples: [(detail: ErrorDetail, count: Int)] = []
    for group in try await server.groups() {
      for error in try await server.warehouse.reader.errors(
        app: server.app, group: group.id, days: server.days, limit: 9)
      {
        samples.append((try #require(try await server.warehouse.reader.error(app: server.app, id: error.id)), 1))
      }
    }
    func missing() throws -> [String] {
      let known = try server.symbolicator.builds(withSymbols: ["1.2 (34)", "1.3 (40)"], app: server.app)
      return MissingSymbolsMetrics(samples, known: known).builds.map { "\($0.image) \($0.id)" }
    }
    #expect(samples.count == 2)
    // Frames with the file SourceFile may be shortened, whatever their names are.
    #expect(try missing().sorted() == ["mapping.txt 1.2 (34)", "mapping.txt 1.3 (40)"])
    try server.add(Self.first, version: "1.2", build: "34")
    #expect(try missing() == ["mapping.txt 1.3 (40)"])
    try await server.warehouse.close()
  }
}
