import Foundation
import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// The state that views keep from one day to the next, which is independent of sealing and of the order of hits.
@Suite struct ViewMemoryTests {
  /// A catalog and a warehouse with one app, and a clock that follows the times of receipt.
  final class Place: Sendable {
    private let clock: Locked<Timestamp>
    let directory: TemporaryDirectory
    let catalog: Catalog
    let warehouse: SQLiteWarehouse
    let app: App

    init(copying directory: TemporaryDirectory? = nil) throws {
      let clock = Locked(timestamp("2024-05-01T00:00:00Z"))
      self.clock = clock
      self.directory = try directory?.copy() ?? TemporaryDirectory()
      catalog = try Catalog(directory: self.directory.path, now: { clock.withLock { $0 } })
      warehouse = try SQLiteWarehouse(directory: self.directory.path, catalog: catalog)
      app = try catalog.apps().first ?? catalog.createApp(name: "A", trackingID: "UA-1-1")
    }

    func send(_ hits: [String], received: Timestamp) async throws {
      clock.withLock { $0 = max($0, received) }
      let lines = hits.map { "v=1&tid=UA-1-1&\($0)" }.joined(separator: "\n")
      let batches = Array(lines.utf8).withUnsafeBytes {
        MeasurementParser.batch($0, received: received, key: DuplicateHashKey(1, 2))
      }
      for batch in batches {
        #expect(try await warehouse.commit(batch.batch, app: app.id).accepted == hits.count)
      }
    }

    func send(_ hit: String, at received: String) async throws {
      try await send([hit], received: timestamp(received))
    }

    func define(_ scope: CustomDefinition.Scope, name: String = "Plan", isActive: Bool = true, at now: String) throws {
      clock.withLock { $0 = timestamp(now) }
      try catalog.define(app: app.id, kind: .dimension, index: 3, name: name, scope: scope, isActive: isActive)
    }

    func seal(_ views: [View], at now: String) async throws {
      try await warehouse.sealDays(of: views, now: timestamp(now))
    }

    func rows(_ view: View, _ table: ViewTable, _ date: String, now: String? = nil) async throws
      -> [[String]: [SaturatingInt64]]
    {
      let metrics = try await warehouse.reader.viewMetrics(
        view, days: day(date)...day(date), tables: [table], now: milliseconds(now ?? "\(date)T23:00:00Z"))
      return Dictionary(uniqueKeysWithValues: (metrics.tables[table] ?? []).map { ($0.key, $0.numbers) })
    }

    func close() async throws {
      try await warehouse.close()
      try catalog.close()
    }
  }

  private static let direct = ["(direct)", "(none)", "(not set)"]

  @Test(arguments: [false, true]) func `a campaign applies to sessions of later days until it expires`(
    isSealed: Bool
  ) async throws {
    let place = try Place()
    let view = try place.catalog.createView(
      app: place.app.id, name: "V", timeZone: "UTC", settings: ViewSettings(campaignDays: 10))
    try await place.send("cid=1&t=screenview&cd=A&cs=news&cm=email&cn=may", at: "2024-05-01T12:00:00Z")
    for date in ["02", "11", "12"] {
      if isSealed { try await place.seal([view], at: "2024-05-\(date)T11:00:00Z") }
      try await place.send("cid=1&t=screenview&cd=A", at: "2024-05-\(date)T12:00:00Z")
    }
    let may = ["news", "email", "may"]
    #expect(try await place.rows(view, .acquisition, "2024-05-02") == [may: [1]])
    #expect(try await place.rows(view, .acquisition, "2024-05-11") == [may: [1]])
    #expect(try await place.rows(view, .acquisition, "2024-05-12") == [Self.direct: [1]])
    // Hits that have not been sent are unknown.
    try await place.send("cid=2&t=screenview&cd=A", at: "2024-05-12T13:00:00Z")
    #expect(try await place.rows(view, .acquisition, "2024-05-12") == [Self.direct: [2]])
    try await place.seal([view], at: "2024-06-01T12:00:00Z")
    try await place.warehouse.flush()
    #expect(try await place.warehouse.reader.verify().isClean)
    try await place.close()
  }

  @Test func `a hit received before the cutoff changes the state of later open days`() async throws {
    let place = try Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC")
    try await place.send("cid=1&t=screenview&cd=A", at: "2024-05-01T12:00:00Z")
    try await place.send("cid=1&t=screenview&cd=A", at: "2024-05-02T01:00:00Z")
    #expect(try await place.rows(view, .acquisition, "2024-05-02", now: "2024-05-02T02:00:00Z") == [Self.direct: [1]])
    try await place.send("cid=1&t=screenview&cd=A&cs=news&qt=10800000", at: "2024-05-02T02:30:00Z")
    let news = ["news", "(not set)", "(not set)"]
    #expect(try await place.rows(view, .acquisition, "2024-05-02", now: "2024-05-02T02:30:00Z") == [news: [1]])
    // A late hit does not.
    try await place.send("cid=1&t=screenview&cd=A&cs=late&qt=28800000", at: "2024-05-02T05:00:00Z")
    #expect(try await place.rows(view, .acquisition, "2024-05-02", now: "2024-05-02T05:00:00Z") == [news: [1]])
    try await place.close()
  }

  @Test func `a user's dimension applies to later days, and a new definition to none before it`() async throws {
    let place = try Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC")
    try await place.send("cid=1&t=screenview&cd=A&cd3=gold", at: "2024-05-01T12:00:00Z")
    try place.define(.user, at: "2024-05-01T12:00:01Z")
    try await place.send("cid=1&t=screenview&cd=A", at: "2024-05-02T12:00:00Z")
    #expect(try await place.rows(view, .dimensions, "2024-05-01") == [["cd3", "hit", "gold"]: [1, 1]])
    #expect(try await place.rows(view, .dimensions, "2024-05-02").isEmpty)
    try await place.send("cid=1&t=screenview&cd=A&cd3=red", at: "2024-05-02T12:01:00Z")
    try await place.seal([view], at: "2024-05-03T05:00:00Z")
    for (date, scope) in [("03", CustomDefinition.Scope.user), ("04", .session)] {
      try place.define(scope, at: "2024-05-\(date)T11:00:00Z")
      try await place.send("cid=1&t=screenview&cd=A", at: "2024-05-\(date)T12:00:00Z")
    }
    let before = try await place.rows(view, .dimensions, "2024-05-03")
    #expect(try await place.rows(view, .dimensions, "2024-05-02") == [["cd3", "user", "red"]: [2, 1]])
    #expect(before == [["cd3", "user", "red"]: [1, 1]])
    try place.define(.session, name: "Tariff", isActive: false, at: "2024-05-05T11:00:00Z")
    try await place.send("cid=1&t=screenview&cd=A&cd3=blue", at: "2024-05-05T12:00:00Z")
    #expect(try await place.rows(view, .dimensions, "2024-05-03") == before)
    #expect(try await place.rows(view, .dimensions, "2024-05-05").isEmpty)
    try await place.seal([view], at: "2024-06-03T05:00:00Z")
    try await place.warehouse.flush()
    #expect(try await place.warehouse.reader.verify().isClean)
    let metrics = try await place.warehouse.reader.viewMetrics(
      view, days: day("2024-05-01")...day("2024-05-05"), tables: [.dimensions], now: 0)
    #expect(metrics.definitions.map(\.name) == ["Tariff"])
    try await place.close()
  }

  @Test func `stored state cannot be changed, and verify detects a change`() async throws {
    let place = try Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC")
    try await place.send("cid=1&t=screenview&cd=A&cs=news", at: "2024-05-01T12:00:00Z")
    try await place.send("cid=1&t=event&ec=c&ea=a&pa=purchase&ti=A&tr=1", at: "2024-05-01T12:00:00Z")
    try await place.seal([view], at: "2024-05-03T12:00:00Z")
    try await place.warehouse.flush()
    #expect(try await place.warehouse.reader.verify().isClean)
    for change in [
      "UPDATE view_state SET day = 0", "DELETE FROM view_state", "UPDATE view_order SET day = 0",
      "DELETE FROM view_order",
    ] {
      await #expect(throws: (any Error).self) {
        try await place.warehouse.perform { try $0.connection.execute(change) }
      }
    }
    for change in [
      "UPDATE view_state SET state = x'00'", "DELETE FROM view_state",
      "INSERT INTO view_state SELECT view, 77, day, state FROM view_state", "UPDATE view_order SET change = x'00'",
      "DELETE FROM view_order", "INSERT INTO view_order SELECT view, x'77', day, change FROM view_order",
    ] {
      let copy = try Place(copying: place.directory)
      try await copy.warehouse.perform {
        try $0.connection.execute(
          """
          DROP TRIGGER view_state_update; DROP TRIGGER view_state_delete;
          DROP TRIGGER view_order_update; DROP TRIGGER view_order_delete; \(change)
          """)
      }
      #expect(try await !copy.warehouse.reader.verify().isClean, "\(change)")
      try await copy.close()
    }
    try await place.close()
  }
}
