import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Questions
@testable import RowFiles
@testable import ServerBase
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// An import can bring any number in any member: it is refused or counted, and reports go on.
@Suite struct ImportNumberTests {
  private static let extremes: [Int64] = [
    .min, .min + 1, -1 << 62, -(1 << 53) - 1, -1, 0, 1, 1 << 53 + 1, 1 << 62, .max - 1, .max,
  ]
  private static let header = #"{"tern":"export","version":1,"server":"other","app":9,"name":"A","timeZone":"UTC"}"#
  private static let days = day("2026-05-01")...day("2026-05-31")

  private func withApp(_ body: (SQLiteWarehouse, App, View) async throws -> Void) async throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "A", timeZone: "UTC")
    let view = try catalog.createView(app: app.id, name: "V", timeZone: "UTC")
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    try await body(warehouse, app, view)
    try await warehouse.close()
  }

  private func add(_ lines: [String], to warehouse: SQLiteWarehouse, _ app: App) async throws -> ImportSummary {
    var rest = [[UInt8](([Self.header] + lines + [#"{"end":true}"#]).map { $0 + "\n" }.joined().utf8)]
    return try await warehouse.importRows(to: app, server: "this") { rest.popLast() ?? [] }
  }

  @Test func `old rows that are imported twice count once, although keys of that age have expired`() async throws {
    try await withApp { warehouse, app, _ in
      let old = milliseconds("2019-01-01T00:00:00Z")
      let line = """
        {"row":1,"kind":"event","name":"e","time":\(old),"received":\(old),"install":"i","session":"1",\
        "key":{"time":\(old),"hash":"\(UInt64(7).hex)"},"device":{"timeZoneOffset":0},"properties":[]}
        """
      #expect(try await add([line], to: warehouse, app).rows == 1)
      try await warehouse.perform { writer in
        writer.duplicates.drain(throughRow: writer.lastID)
        _ = writer.expireKeys(now: WallClock.system().millisecondsSince1970)
      }
      let again = try await add([line], to: warehouse, app)
      #expect(again.rows == 0 && again.duplicates == 1)
    }
  }

  @Test func `rows with any times, offsets and properties are counted, and reports of them are made`() async throws {
    try await withApp { warehouse, app, view in
      var generator = FastGenerator(seed: 1)
      let lines = Self.extremes.flatMap { time in
        Self.extremes.flatMap { other in
          [
            """
            {"row":1,"kind":"event","name":"e","time":\(time),"received":\(other),"install":"i","session":"1",\
            "key":{"time":\(other),"hash":"\(generator.next().hex)"},\
            "device":{"timeZoneOffset":\(time)},"properties":[{"name":"n","integer":\(other)},\
            {"name":"d","date":\(time)},{"name":"x","double":"nan"},{"name":"y","double":1e308}]}
            """,
            """
            {"row":2,"kind":"drops","name":"drops","time":\(time),"received":\(other),"install":"i",\
            "properties":[{"name":"queue_full","integer":\(other)}]}
            """,
            """
            {"row":3,"kind":"other","name":"transaction","measurement":true,"time":\(time),"received":\(other),\
            "install":"c","session":"2","parameters":[["t","transaction"],["ti","A"],["tr","\(other)"],["pa","refund"],\
            ["pr1nm","P"],["pr1pr","-0.000001"],["pr1qt","\(time)"],["_s","\(other)"],["ev","\(time)"]]}
            """,
          ]
        }
      }
      let summary = try await add(lines, to: warehouse, app)
      #expect(summary.rows + summary.duplicates == lines.count)
      let reader = warehouse.reader
      let all = Day(number: TimeBounds.days.lowerBound)...Day(number: TimeBounds.days.upperBound)
      for dimension in Warehouse::Dimension.allCases {
        _ = try await reader.totals(app: app.id, dimension: dimension, days: all, limit: nil)
      }
      // The session lasts from the first to the last supported year.
      let durations = try await reader.sessionDurations(app: app.id, days: all)
      #expect(durations.buckets.reduce(0, +) + durations.unknown == 2)
      _ = try await reader.recent(app: app.id, kinds: [.event, .other], limit: 100)
      _ = try await reader.viewMetrics(view, days: Self.days, tables: Set(ViewTable.allCases), now: .max)
      for last in [Self.days.upperBound, all.upperBound] {
        let metrics = try await reader.viewMetrics(
          view, days: last.advanced(by: -3)...last, tables: Set(ViewTable.allCases), now: TimeBounds.latest)
        #expect(metrics.days.count == 4)
      }
      try await ask(reader, app)
      #expect(try await reader.verify().isClean)
    }
  }

  /// Asks for every aggregate of numbers that no sum, order or group can hold.
  private func ask(_ reader: WarehouseReader, _ app: App) async throws {
    let calendar = { try #require(QuestionCalendar("UTC")) }
    for range in [Self.days, day("1970-01-01")...day("1970-01-10")] {
      let scope = QuestionScope(range: .dates(range.lowerBound, range.upperBound))
      for name in ["n", "x", "y", "d"].map({ ExactText($0) }) {
        let metrics =
          QuestionMetric.Aggregate.allCases.map { QuestionMetric.property($0, name) }
          + QuestionMetric.Plain.allCases.map { .plain($0) }
        for groups in [[], [QueryQuestion.Group(.property(name))], [.init(.property(name), bins: [-1e308, 0, 1e308])]] {
          let question = QueryQuestion(scope: scope, metrics: metrics, groups: groups, comparesPreviousPeriod: true)
          _ = try await reader.answer(.query(question), app: app.id, calendar: calendar(), today: range.upperBound)
        }
      }
      let funnel = FunnelQuestion(
        scope: scope, steps: [Selector(.event("e")), Selector(.any)], window: 3_660 * 86_400_000)
      _ = try await reader.answer(.funnel(funnel), app: app.id, calendar: calendar(), today: range.upperBound)
    }
  }

  @Test func `counts of rejections that can't be are refused, and the largest ones add up`() async throws {
    try await withApp { warehouse, app, _ in
      func rejected(_ day: Int64, _ count: Int64, _ source: String = "native") -> String {
        #"{"rejected":{"day":\#(day),"protocol":"\#(source)","reason":"r","count":\#(count)}}"#
      }
      let day = Int64(Self.days.lowerBound.number)
      for line in [rejected(day, -1), rejected(day, .min), rejected(.max, 1), rejected(.min, 1)] {
        await #expect(throws: WarehouseError.self) { try await add([line], to: warehouse, app) }
      }
      _ = try await add(
        [rejected(day, .max), rejected(day, .max, "measurement"), rejected(day + 1, .max)], to: warehouse, app)
      let reader = warehouse.reader
      let totals = try await reader.totals(app: app.id, dimension: .dropped, days: Self.days, limit: nil)
      #expect(totals.map(\.count) == [.max])
      let key = try #require(totals.first?.key)
      #expect(
        try await reader.series(app: app.id, dimension: .dropped, key: key, days: Self.days).map(\.count) == [
          .max, .max,
        ])
      #expect(try await reader.count(app: app.id, dimension: .dropped, days: Self.days) == .max)
    }
  }

  @Test func `an attachment with invalid base64 ends the import, and the next import works`() async throws {
    try await withApp { warehouse, app, _ in
      func attachment(_ data: String) -> String {
        """
        {"attachment":{"error":"e","id":"a","name":"n","contentType":"text/plain","received":0,"part":0,"parts":1,\
        "data":"\(data)"}}
        """
      }
      let error = await #expect(throws: WarehouseError.self) { try await add([attachment("!!")], to: warehouse, app) }
      #expect(error?.code == .invalid && error?.message.contains("Line 2") == true)
      let summary = try await add([attachment("AAAA")], to: warehouse, app)
      #expect(summary.attachments == 1)
    }
  }

  @Test func `ledgers and attachments with any numbers are stored`() async throws {
    try await withApp { warehouse, app, _ in
      let lines = Self.extremes.enumerated().flatMap { index, number in
        [
          """
          {"ledger":{"install":"i\(index)","received":\(number),"tracked":\(number),"delivered":\(number),\
          "waiting":\(number),"inFlight":\(number),"dropped":\(number)}}
          """,
          """
          {"attachment":{"error":"e","id":"a\(index)","name":"n","contentType":"text/plain","received":\(number),\
          "part":\(number),"parts":\(number),"data":"AAAA"}}
          """,
        ]
      }
      let summary = try await add(lines, to: warehouse, app)
      let ledger = try await warehouse.reader.ledger(
        app: app.id, since: Timestamp(millisecondsSince1970: TimeBounds.earliest))
      #expect(ledger.installs == Self.extremes.count)
      #expect(summary.attachments == Self.extremes.count)
    }
  }
}

extension UInt64 {
  fileprivate var hex: String { String(self, radix: 16) }
}
