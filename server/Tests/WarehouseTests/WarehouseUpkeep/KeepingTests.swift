import Columns
import Ingest
import Questions
import ServerBase
import TernEvents
import Testing

@testable import RowFiles
@testable import Warehouse
@testable import WarehouseContract
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// The removal of rows that are older than an app keeps them.
@Suite struct KeepingTests {
  private static let days = day("2026-04-20")...day("2026-05-20")
  /// In the middle of the traffic.
  private static let first = day("2026-05-05")

  private let directory: TemporaryDirectory
  private let catalog = MemoryCatalog(zones: ["Europe/Berlin", "UTC"])

  init() throws { directory = try TemporaryDirectory() }

  private func open(_ directory: TemporaryDirectory? = nil) throws -> SQLiteWarehouse {
    try SQLiteWarehouse(
      directory: (directory ?? self.directory).path, catalog: catalog,
      configuration: WarehouseConfiguration(spanRows: 50, segmentBytes: 5_000))
  }

  private func fill(_ warehouse: SQLiteWarehouse, seed: UInt64 = 7) async throws {
    var traffic = RandomTraffic(
      seed: seed, apps: catalog.apps().map(\.id), center: timestamp("2026-05-04T12:00:00Z"), days: 10,
      isOrdered: true)
    for _ in 0..<80 {
      let (batch, app) = traffic.next()
      _ = try await warehouse.commit(batch, app: app)
    }
    try await warehouse.flush()
  }

  /// The reports of whole days.
  private func reports(_ warehouse: SQLiteWarehouse, _ app: AppID) async throws -> [String] {
    let store = warehouse.reader
    var reports: [String] = []
    for dimension in Dimension.allCases where dimension != .property {
      reports += try await store.dailyCounts(app: app, dimension: dimension, days: Self.days).map { "\($0)" }
      reports += try await store.totals(app: app, dimension: dimension, days: Self.days, limit: nil).map { "\($0)" }
    }
    reports.append("\(try await store.activity(app: app, days: Self.days))")
    reports.append("\(try await store.activeInstalls(app: app, days: Self.days, window: 3))")
    reports.append("\(try await store.properties(app: app, event: "name 0", days: Self.days, limit: 9))")
    reports.append("\(try await store.errorGroups(app: app, group: nil, days: Self.days, limit: 100))")
    return reports
  }

  /// The times of an app's rows.
  private func times(_ warehouse: SQLiteWarehouse, _ app: AppID) async throws -> [Int64] {
    try await warehouse.reader.reading { connection in
      let scan = try EventScan(connection, after: 0)
      var times: [Int64] = []
      while let row = try scan.next() { if row.app == app.rawValue { times.append(row.time) } }
      return times
    }
  }

  private func expectClean(_ warehouse: SQLiteWarehouse, _ what: String) async throws {
    let report = try await warehouse.reader.verify()
    #expect(report.isClean, "\(what): \(report.differences) \(report.problems)")
  }

  @Test func `old rows go, and reports of whole days stay, also when they are rebuilt`() async throws {
    var warehouse = try open()
    try await fill(warehouse)
    let start = milliseconds("2026-05-04T22:00:00Z")
    let apps = [AppID(1), AppID(2)]
    let before = try await [reports(warehouse, apps[0]), reports(warehouse, apps[1])]
    let rows = try await [times(warehouse, apps[0]), times(warehouse, apps[1])]
    #expect(rows[0].contains { $0 < start } && rows[0].contains { $0 >= start })
    #expect(try await warehouse.removeRows(of: apps[0], before: Self.first, views: []))
    #expect(try await warehouse.removeRows(of: apps[0], before: Self.first, views: []) == false)
    for step in ["at once", "after a restart", "after rebuilding"] {
      #expect(try await times(warehouse, apps[0]) == rows[0].filter { $0 >= start }, "\(step)")
      #expect(try await times(warehouse, apps[1]) == rows[1])
      #expect(try await [reports(warehouse, apps[0]), reports(warehouse, apps[1])] == before, "\(step)")
      try await expectClean(warehouse, step)
      try await warehouse.close()
      if step != "at once" { try SQLiteWarehouse.rebuild(directory: directory.path, catalog: catalog) }
      warehouse = try open()
    }
    try await warehouse.close()
  }

  @Test func `texts, attachments and users of old errors go, the errors stay`() async throws {
    let warehouse = try open()
    try await fill(warehouse)
    try await warehouse.removeRows(of: AppID(1), before: Self.first, views: [])
    let counts = try await warehouse.reader.reading { connection in
      let old = "app = 1 AND t < \(milliseconds("2026-05-04T22:00:00Z"))"
      return try [
        "SELECT count(*) > 0 FROM error WHERE \(old)",
        "SELECT count(*) FROM error WHERE \(old) AND (name <> '' OR user IS NOT NULL OR session NOT IN (0, -1))",
        "SELECT count(*) FROM error_text WHERE id IN (SELECT id FROM error WHERE \(old))",
        "SELECT count(*) FROM attachment WHERE owner IN (SELECT id FROM error WHERE \(old))",
        "SELECT count(*) FROM attachment_part WHERE attachment NOT IN (SELECT id FROM attachment)",
        "SELECT count(*) > 0 FROM error_text WHERE app = 1",
      ].map { try connection.integer($0) }
    }
    #expect(counts == [1, 0, 0, 0, 0, 1])
    try await expectClean(warehouse, "afterwards")
    try await warehouse.close()
  }

  @Test func `events from before are refused, and counted as rejected`() async throws {
    var warehouse = try open()
    try await fill(warehouse)
    try await warehouse.removeRows(of: AppID(1), before: Self.first, views: [])
    let old = batch(["Old"], at: "2026-05-04T21:59:59Z", firstKey: 1)
    for _ in 0..<2 {
      let receipt = try await warehouse.commit(old, app: AppID(1))
      #expect(receipt.accepted == 0 && receipt.rejections.map(\.reason) == ["time_too_old"])
      #expect(try await warehouse.commit(old, app: AppID(2)).rejections == [])
      let recent = try await warehouse.commit(batch(["New"], at: "2026-05-04T22:00:00Z"), app: AppID(1))
      #expect(recent.accepted == 1)
      try await warehouse.close()
      warehouse = try open()
    }
    // The horizon never moves back.
    try await warehouse.removeRows(of: AppID(1), before: Self.first.advanced(by: -3), views: [])
    #expect(try await warehouse.commit(old, app: AppID(1)).accepted == 0)
    try await expectClean(warehouse, "afterwards")
    try await warehouse.close()
  }

  @Test func `answers say since when rows are kept`() async throws {
    let warehouse = try open()
    try await fill(warehouse)
    func answer() async throws -> QuestionResult {
      let question = try Question(
        .query, json: Array(#"{"metrics":["events"],"date_range":["2026-04-20","2026-05-20"]}"#.utf8))
      return try await warehouse.reader.answer(
        question, app: AppID(1), calendar: try #require(QuestionCalendar("Europe/Berlin")), today: day("2026-05-20"))
    }
    let before = try await answer()
    #expect(before.firstKeptDay == nil)
    try await warehouse.removeRows(of: AppID(1), before: Self.first, views: [])
    let after = try await answer()
    #expect(after.firstKeptDay == Self.first && after.rowsRead < before.rowsRead)
    try await warehouse.close()
  }

  @Test func `rows stay until views have sealed their days`() async throws {
    let warehouse = try open()
    try await fill(warehouse)
    let view = View(
      id: ViewID(1), app: AppID(1), name: "V",
      zones: [View.Zone(ZoneRules("Europe/Berlin")!, start: Timestamp(millisecondsSince1970: 0))],
      first: View.Rules(lateness: .cutoff, filters: [], settings: ViewSettings()))
    catalog.add(view)
    #expect(try await warehouse.removeRows(of: AppID(1), before: Self.first, views: [view]) == false)
    let now = timestamp("2026-05-03T12:00:00Z")
    try await warehouse.sealDays(of: [view], now: now)
    func figures() async throws -> ViewMetrics {
      try await warehouse.reader.viewMetrics(
        view, days: Self.days, tables: Set(ViewTable.allCases), now: now.millisecondsSince1970)
    }
    let before = try await figures()
    #expect(try await warehouse.removeRows(of: AppID(1), before: Self.first, views: [view]))
    #expect(try await times(warehouse, AppID(1)).min() ?? 0 < milliseconds("2026-05-04T22:00:00Z"))
    #expect(try await figures() == before)
    try await expectClean(warehouse, "afterwards")
    try await warehouse.close()
  }

  @Test(arguments: 0..<4) func `a removal that a crash interrupts is completed by repeating it`(steps: Int) async throws
  {
    let warehouse = try open()
    try await fill(warehouse)
    let before = try await reports(warehouse, AppID(1))
    let time = milliseconds("2026-05-04T22:00:00Z")
    try await warehouse.perform { try $0.raiseHorizon(of: 1, to: time) }
    if steps > 0 { try await warehouse.perform { try $0.expireErrors(of: 1, before: time) } }
    if steps > 1 {
      try await warehouse.counting.perform { try $0.finish() }
      try await warehouse.perform { try $0.keepCounts(of: 1) }
    }
    if steps > 2 {
      let segments = try await warehouse.reader.reading { try StoredSpan.segments($0).sorted() }
      for segment in segments.prefix(1) {
        try await warehouse.perform { try $0.expireRows(of: 1, before: time, segment: segment) }
      }
    }
    let image = try directory.copy()
    try await warehouse.close()
    try SQLiteWarehouse.rebuild(directory: image.path, catalog: catalog)
    let restarted = try open(image)
    try await expectClean(restarted, "before repeating it")
    try await restarted.removeRows(of: AppID(1), before: Self.first, views: [])
    #expect(try await times(restarted, AppID(1)).allSatisfy { $0 >= time })
    #expect(try await reports(restarted, AppID(1)) == before)
    try await expectClean(restarted, "in the end")
    try await restarted.close()
  }

  @Test func `a person can be deleted although old rows are gone`() async throws {
    let warehouse = try open()
    try await fill(warehouse)
    try await warehouse.removeRows(of: AppID(1), before: Self.first, views: [])
    let kept = Self.days.lowerBound...Self.first.advanced(by: -1)
    func old() async throws -> [DailyCount] {
      try await warehouse.reader.dailyCounts(app: AppID(1), dimension: .event, days: kept)
    }
    let before = try await old()
    #expect(!before.isEmpty)
    for number in stride(from: 0, to: 40, by: 3) {
      try await warehouse.delete(
        PersonDeletionRequest(person: .install("client \(number)"), refusesLater: false), app: AppID(1), views: [])
    }
    for number in 0..<9 {
      try await warehouse.delete(
        PersonDeletionRequest(person: .user("user \(number)"), refusesLater: false), app: AppID(1), views: [])
    }
    #expect(try await old() == before)
    try await expectClean(warehouse, "afterwards")
    try await warehouse.close()
  }

  @Test func `periods are read and count back from today`() throws {
    #expect(try KeepingPeriod.reading("forever") == nil)
    #expect(try KeepingPeriod.reading("90d")?.firstDay(today: day("2026-05-31")) == day("2026-03-02"))
    #expect(KeepingPeriod("13mo")?.firstDay(today: day("2026-05-31")) == day("2025-04-30"))
    #expect(KeepingPeriod("3mo")?.firstDay(today: day("2026-05-31")) == day("2026-02-28"))
    #expect(KeepingPeriod("12mo")?.firstDay(today: day("2026-01-01")) == day("2025-01-01"))
    for text in ["", "d", "0d", "01d", "1000d", "100mo", "5w", "-1d", "90", "90 d", "٣d"] {
      #expect(throws: WarehouseError.self, "\(text)") { try KeepingPeriod.reading(text) }
    }
    #expect(KeepingPeriod("999d")?.text == "999d" && KeepingPeriod("99mo")?.text == "99mo")
  }
}
