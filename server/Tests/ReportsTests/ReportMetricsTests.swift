import Ingest
import ReportsTestSupport
import TernEvents
import Testing
import Warehouse

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
      report.name, of: .app(AppID(1), timeZone: "UTC"), parameters: parameters, now: ReportRequestTests.now)
  }

  private func day(_ text: String) throws -> Day { try #require(Day(text)) }

  @Test func `the overview has every day, zeros included, and counts each install once over the range`() async throws {
    var source = MemoryStore()
    source.rows = [
      .init(day: try day("2026-05-02"), name: "a", install: 1),
      .init(day: try day("2026-05-02"), name: "a", install: 1),
      .init(day: try day("2026-05-02"), kind: .sessionStart, install: 2, startsSession: true),
      .init(day: try day("2026-05-04"), name: "b", install: 1),
      .init(day: try day("2026-04-20"), name: "b", install: 9),
    ]
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
    let source = MemoryStore.seeded(seed, ending: today)
    let overview = try await OverviewMetrics(try request(AppReports.overview, "2026-05-01", "2026-05-30"), from: source)
    let events = try await request(AppReports.events, "2026-05-01", "2026-05-30").ranking(
      AppReports.eventRanking, from: source)
    #expect(overview.days.count == 30)
    #expect(overview.totals.events == overview.days.reduce(0) { $0 + $1.events })
    #expect(overview.totals.events == events.reduce(0) { $0 + $1.count })
    #expect(overview.days.allSatisfy { $0.dau <= $0.wau && $0.wau <= $0.mau })
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
    var source = MemoryStore()
    for (name, count) in [("a", 6), ("b", 3), ("c", 1)] {
      for _ in 0..<count { source.rows.append(.init(day: try day("2026-05-01"), name: name)) }
    }
    let events = try await request(AppReports.events, "2026-05-01", "2026-05-01", limit: 2).ranking(
      AppReports.eventRanking, from: source)
    #expect(events.map(\.key) == ["a", "b"])
    #expect(events.map(\.share) == [0.6, 0.3])
  }

  @Test func `a ranking combines the users of only the keys that it shows`() async throws {
    var source = MemoryStore()
    for key in 0..<100 { source.rows.append(.init(day: try day("2026-05-01"), name: "event \(key)", install: key)) }
    source.rows.append(.init(day: try day("2026-05-01"), dropped: ("queue_full", 3)))
    source.rows.append(.init(day: try day("2026-05-01"), dropped: ("name_limit", 7)))
    let store = CountingStore(source)
    let events = try await request(AppReports.events, "2026-05-01", "2026-05-01", limit: 6)
      .ranking(AppReports.eventRanking, from: store)
    #expect(events.count == 6 && events.allSatisfy { $0.share == 0.01 && $0.users == 1 })
    #expect(store.unitedKeys == 6)
    let dropped = try await request(AppReports.dropped, "2026-05-01", "2026-05-01", limit: 1)
      .rankedKeys(.dropped, limit: 1, omitting: "name_limit", from: store)
    #expect(dropped.map(\.key) == ["queue_full"] && dropped.map(\.share) == [1])
  }

  @Test func `an event that never occurred has zeros, not an error`() async throws {
    let event = try await EventMetrics(
      try request(AppReports.event, "2026-05-01", "2026-05-03", event: "never"), from: MemoryStore())
    #expect(event.count == 0)
    #expect(event.days.map(\.count) == [0, 0, 0])
    #expect(event.properties.isEmpty)
  }

  @Test func `countries have names; other texts stay as they are`() async throws {
    var source = MemoryStore()
    for (code, count) in [("DE", 4), ("BR", 3), ("", 2), ("ZZZ", 1)] {
      for _ in 0..<count {
        source.rows.append(.init(day: try day("2026-05-01"), name: "e", device: IncomingDevice(country: code)))
      }
    }
    let countries = try await request(AppReports.countries, "2026-05-01", "2026-05-01").ranking(
      AppReports.countryRanking, from: source)
    #expect(countries.map(\.key) == ["DE", "BR", "", "ZZZ"])
    #expect(countries.map(\.name) == ["Germany", "Brazil", "Unknown", "ZZZ"])
  }
}
