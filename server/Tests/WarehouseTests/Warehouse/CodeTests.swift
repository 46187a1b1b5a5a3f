import Ingest
import Questions
import TernEvents
import Testing

@testable import AppCatalog
@testable import Warehouse
@testable import WarehouseSQLite

/// Languages and countries for which devices send several codes.
@Suite struct CodeTests {
  @Test func `two codes of a language or country are one row, whenever they were sent`() async throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player", timeZone: "UTC").id
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    func add(_ locale: String, _ country: String, at start: String, install: String) async throws {
      _ = try await warehouse.commit(
        batch(["Play"], at: start, install: install, device: IncomingDevice(locale: locale, country: country)),
        app: app)
    }
    try await add("iw_IL", "UK", at: "2026-05-04T10:00:00Z", install: "a")
    try await add("he_IL", "GB", at: "2026-05-04T11:00:00Z", install: "a")
    try await add("he_IL", "GB", at: "2026-05-05T10:00:00Z", install: "b")
    try await add("in_ID", "DE", at: "2026-05-05T10:00:00Z", install: "c")
    try await warehouse.flush()
    let (reader, days) = (warehouse.reader, day("2026-05-01")...day("2026-05-10"))
    let languages = try await reader.totals(app: app, dimension: .language, days: days, limit: nil)
    #expect(languages == [KeyTotals(key: "he", count: 3, users: 2), KeyTotals(key: "id", count: 1, users: 1)])
    let countries = try await reader.totals(app: app, dimension: .country, keys: ["GB", "UK", "DE"], days: days)
    #expect(countries.map(\.count) == [3, 3, 1] && countries.map(\.users) == [2, 2, 1])
    #expect(try await reader.count(app: app, dimension: .language, days: days) == 4)
    let series = try await reader.series(app: app, dimension: .country, key: "GB", days: days)
    #expect(series.map(\.count) == [2, 1] && series.map(\.users) == [1, 1])
    let daily = try await reader.dailyCounts(app: app, dimension: .language, days: days)
    #expect(daily.map(\.key) == ["he", "he", "id"] && daily.map(\.count) == [2, 1, 1])
    func users(_ json: String) async throws -> [QueryAnswer.Row] {
      let question = try Question(.query, json: Array(json.utf8))
      let answer = try await reader.answer(
        question, app: app, calendar: try #require(QuestionCalendar("UTC")), today: day("2026-05-10"))
      guard case .query(let query) = answer.answer else { return [] }
      return query.rows
    }
    let byCountry = try await users(#"{"metrics": ["users"], "dimensions": ["country"]}"#)
    #expect(
      byCountry == [
        .init(dimensions: [.text("GB")], metrics: [2]), .init(dimensions: [.text("DE")], metrics: [1]),
      ])
    for code in ["UK", "GB"] {
      let filtered = try await users(#"{"metrics": ["events"], "filters": [["is", "country", ["\#(code)"]]]}"#)
      #expect(filtered.map(\.metrics) == [[3]], "\(code)")
    }
    try await warehouse.close()
  }
}
