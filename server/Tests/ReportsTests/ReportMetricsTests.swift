import Ingest
import ReportsTestSupport
import ServerBase
import TernEvents
import Testing
import Warehouse
import WarehouseContract

@testable import Reports

struct ReportMetricsTests {
  private func request(
    _ report: ReportDefinition, _ from: String, _ to: String, event: String? = nil, limit: Int? = nil
  ) throws
    -> ReportRequest
  {
    var parameters = ["from": from, "to": to]
    parameters["event"] = event
    parameters["limit"] = limit.map(String.init)
    return try ReportRequest(
      report.name, of: .app(AppID(1), zone: .utc), parameters: parameters, now: ReportRequestTests.now)
  }

  private func day(_ text: String) throws -> Day { try #require(Day(text)) }

  @Test func `the overview has every day, zeros included, and counts each install once over the range`() async throws {
    let source = NaiveWarehouse()
    for (name, date, install) in [
      ("a", "2026-05-02", 1), ("a", "2026-05-02", 1), ("b", "2026-05-04", 1), ("b", "2026-04-20", 9),
    ] { try source.add(.event, name, on: try day(date), install: install) }
    try source.add(.sessionStart, on: try day("2026-05-02"), install: 2, startsSession: true)
    let metrics = try await OverviewMetrics(try request(AppReports.overview, "2026-05-01", "2026-05-04"), from: source)
    #expect(metrics.days.map(\.date.description) == ["2026-05-01", "2026-05-02", "2026-05-03", "2026-05-04"])
    #expect(metrics.days.map(\.events) == [0, 2, 0, 1])
    #expect(metrics.days.map(\.sessions) == [0, 1, 0, 0])
    #expect(metrics.days.map(\.dau) == [0, 2, 0, 1])
    #expect(metrics.days.map(\.wau) == [0, 2, 2, 2])
    #expect(metrics.days.map(\.mau) == [1, 3, 3, 3])
    #expect(metrics.totals.events == 3)
    #expect(metrics.totals.sessions == 1)
    #expect(metrics.totals.users == 2)
    #expect(metrics.totals.wau == 2)
    #expect(metrics.totals.mau == 3)
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `sums over days, shares and totals agree for any data`(seed: UInt64) async throws {
    let today = try day("2026-05-30")
    let source = try NaiveWarehouse.seeded(seed, ending: today)
    let overview = try await OverviewMetrics(try request(AppReports.overview, "2026-05-01", "2026-05-30"), from: source)
    let events = try await request(AppReports.events, "2026-05-01", "2026-05-30").ranking(
      AppReports.eventRanking, from: source)
    #expect(overview.days.count == 30)
    #expect(overview.totals.events == overview.days.reduce(0) { $0 + $1.events })
    #expect(overview.totals.events == events.reduce(0) { $0 + $1.count })
    #expect(overview.days.allSatisfy { $0.dau <= $0.wau ?? -1 && $0.wau ?? -1 <= $0.mau ?? -1 })
    #expect(overview.totals.mau == overview.totals.users, "the range is the 30 days up to the last day")
    if !events.isEmpty { #expect(abs(events.reduce(0) { $0 + $1.share } - 1) < 0.00001) }
    for line in events {
      let event = try await EventMetrics(
        try request(AppReports.event, "2026-05-01", "2026-05-30", event: line.key), from: source)
      #expect(event.count == line.count)
      #expect(event.users == line.users)
      #expect(event.days.reduce(0) { $0 + $1.count } == line.count)
      #expect(event.days.count == 30)
      #expect(event.properties.first?.values.reduce(0) { $0 + $1.count } == line.count)
    }
    let dropped = try await DroppedMetrics(try request(AppReports.dropped, "2026-05-01", "2026-05-30"), from: source)
    #expect(dropped.total == dropped.reasons.reduce(0) { $0 + $1.count })
  }

  @Test func `a limit shortens the list, but shares refer to the total`() async throws {
    let source = NaiveWarehouse()
    for (name, count) in [("a", 6), ("b", 3), ("c", 1)] {
      for _ in 0..<count { try source.add(.event, name, on: try day("2026-05-01")) }
    }
    let events = try await request(AppReports.events, "2026-05-01", "2026-05-01", limit: 2).ranking(
      AppReports.eventRanking, from: source)
    #expect(events.map(\.key) == ["a", "b"])
    #expect(events.map(\.share) == [0.6, 0.3])
  }

  @Test func `a ranking combines the users of only the keys that it shows`() async throws {
    let source = NaiveWarehouse()
    for key in 0..<100 { try source.add(.event, "event \(key)", on: try day("2026-05-01"), install: key) }
    try source.add(dropped: "queue_full", 3, on: try day("2026-05-01"))
    try source.add(dropped: "name_limit", 7, on: try day("2026-05-01"))
    let store = CountingStore(source)
    let events = try await request(AppReports.events, "2026-05-01", "2026-05-01", limit: 6)
      .ranking(AppReports.eventRanking, from: store)
    #expect(events.count == 6 && events.allSatisfy { $0.share == 0.01 && $0.users == 1 })
    #expect(store.unitedKeys == 6)
    let dropped = try await request(AppReports.dropped, "2026-05-01", "2026-05-01", limit: 1)
      .rankedKeys(.dropped, limit: 1, omitting: "name_limit", from: store)
    #expect(dropped.map(\.key) == ["queue_full"] && dropped.map(\.share) == [1])
  }

  @Test(arguments: [("events", "count desc", 9), ("events", "device_count desc", 109), ("models", "", 105)])
  func `App Center's lists combine the users of all keys only to order by them`(
    path: String, order: String, united: Int
  ) async throws {
    let source = NaiveWarehouse()
    for key in 0..<100 {
      try source.add(
        .event, "event \(key)", on: try day("2026-05-01"), install: key, device: IncomingDevice(model: "m\(key)"))
    }
    let store = CountingStore(source)
    let query = try AppCenterQuery(
      path: [path], parameters: ["start": "2026-05-01", "end": "2026-05-02", "$top": "4", "$orderby": order],
      app: AppID(1), zone: .utc, now: ReportRequestTests.now)
    _ = try await query.response(from: store)
    #expect(store.unitedKeys == united)
  }

  @Test func `App Center's list of versions combines the users of only the previous versions that it shows`()
    async throws
  {
    let source = NaiveWarehouse()
    for date in ["2026-05-01", "2026-05-02"] {
      for key in 0..<100 {
        let device = IncomingDevice(appVersion: "1.\(key)")
        try source.add(.event, "event", on: try day(date), install: key, device: device)
      }
    }
    let store = CountingStore(source)
    let query = try AppCenterQuery(
      path: ["versions"], parameters: ["start": "2026-05-02", "end": "2026-05-02", "$top": "4"], app: AppID(1),
      zone: .utc, now: ReportRequestTests.now)
    _ = try await query.response(from: store)
    #expect(store.unitedKeys == 100 + 4 + 1, "all of the range, for their order; those shown; the total")
  }

  @Test func `an event without occurrences in the range has zeros, and one that never occurred is an error`()
    async throws
  {
    let store = NaiveWarehouse()
    try store.add(.event, "Play", on: try day("2026-04-01"), install: 1)
    let event = try await EventMetrics(
      try request(AppReports.event, "2026-05-01", "2026-05-03", event: "Play"), from: store)
    #expect(event.count == 0 && event.properties.isEmpty)
    #expect(event.days.map(\.count) == [0, 0, 0])
    let failure = await #expect(throws: ReportError.self) {
      _ = try await EventMetrics(try request(AppReports.event, "2026-05-01", "2026-05-03", event: "never"), from: store)
    }
    #expect(failure?.code == .unknownEvent && failure?.isNotFound == true)
  }

  @Test func `countries have names; other texts stay as they are`() async throws {
    let source = NaiveWarehouse()
    for (code, count) in [("DE", 4), ("BR", 3), ("", 2), ("ZZZ", 1)] {
      for _ in 0..<count {
        try source.add(.event, "e", on: try day("2026-05-01"), device: IncomingDevice(country: code))
      }
    }
    let countries = try await request(AppReports.countries, "2026-05-01", "2026-05-01").ranking(
      AppReports.countryRanking, from: source)
    #expect(countries.map(\.key) == ["DE", "BR", "", "ZZZ"])
    #expect(countries.map(\.name) == ["Germany", "Brazil", "Unknown", "ZZZ"])
  }
}
