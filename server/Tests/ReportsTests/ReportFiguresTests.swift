import Ingest
import Reports
import ReportsTestSupport
import TernEvents
import Testing
import Warehouse

struct ReportFiguresTests {
  private func request(_ name: ReportName, _ from: String, _ to: String, event: String? = nil, limit: Int? = nil) throws
    -> ReportRequest
  {
    var parameters = ["from": from, "to": to]
    parameters["event"] = event
    parameters["limit"] = limit.map(String.init)
    return try ReportRequest(
      name: name.rawValue, app: AppID(1), timeZone: "UTC", parameters: parameters, now: ReportRequestTests.now)
  }

  private func day(_ text: String) throws -> Day { try #require(Day(text)) }

  @Test func `the overview has every day, zeros included, and counts each install once over the range`() async throws {
    var source = MemoryFigures()
    source.rows = [
      .init(day: try day("2026-05-02"), name: "a", install: 1),
      .init(day: try day("2026-05-02"), name: "a", install: 1),
      .init(day: try day("2026-05-02"), kind: .sessionStart, install: 2, startsSession: true),
      .init(day: try day("2026-05-04"), name: "b", install: 1),
      .init(day: try day("2026-04-20"), name: "b", install: 9),
    ]
    let report = try await OverviewReport(try request(.overview, "2026-05-01", "2026-05-04"), from: source)
    #expect(report.days.map(\.date.description) == ["2026-05-01", "2026-05-02", "2026-05-03", "2026-05-04"])
    #expect(report.days.map(\.events) == [0, 2, 0, 1])
    #expect(report.days.map(\.sessions) == [0, 1, 0, 0])
    #expect(report.days.map(\.dau) == [0, 2, 0, 1])
    #expect(report.days.map(\.wau) == [0, 2, 2, 2])
    #expect(report.days.map(\.mau) == [1, 3, 3, 3])
    #expect(report.totals.events == 3)
    #expect(report.totals.sessions == 1)
    #expect(report.totals.users == 2)
    #expect(report.totals.wau == 2)
    #expect(report.totals.mau == 3)
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `sums over days, shares and totals agree whatever the data`(seed: UInt64) async throws {
    let today = try day("2026-05-30")
    let source = MemoryFigures.seeded(seed, ending: today)
    let overview = try await OverviewReport(try request(.overview, "2026-05-01", "2026-05-30"), from: source)
    let events = try await EventsReport(try request(.events, "2026-05-01", "2026-05-30"), from: source).events
    #expect(overview.days.count == 30)
    #expect(overview.totals.events == overview.days.reduce(0) { $0 + $1.events })
    #expect(overview.totals.events == events.reduce(0) { $0 + $1.count })
    #expect(overview.days.allSatisfy { $0.dau <= $0.wau && $0.wau <= $0.mau })
    #expect(overview.totals.mau == overview.totals.users, "the range is the 30 days that the last day looks back on")
    if !events.isEmpty { #expect(abs(events.reduce(0) { $0 + $1.share } - 1) < 0.00001) }
    for line in events {
      let event = try await EventReport(
        try request(.event, "2026-05-01", "2026-05-30", event: line.name), from: source
      ).event
      #expect(event.count == line.count)
      #expect(event.users == line.users)
      #expect(event.days.reduce(0) { $0 + $1.count } == line.count)
      #expect(event.days.count == 30)
      #expect(event.properties.first?.values.reduce(0) { $0 + $1.count } == line.count)
    }
    let losses = try await LossesReport(try request(.losses, "2026-05-01", "2026-05-30"), from: source)
    #expect(losses.total == losses.losses.reduce(0) { $0 + $1.count })
  }

  @Test func `a limit cuts the list but not the whole that shares are part of`() async throws {
    var source = MemoryFigures()
    for (name, count) in [("a", 6), ("b", 3), ("c", 1)] {
      for _ in 0..<count { source.rows.append(.init(day: try day("2026-05-01"), name: name)) }
    }
    let events = try await EventsReport(try request(.events, "2026-05-01", "2026-05-01", limit: 2), from: source).events
    #expect(events.map(\.name) == ["a", "b"])
    #expect(events.map(\.share) == [0.6, 0.3])
  }

  @Test func `an event that never occurred has zeros, not an error`() async throws {
    let event = try await EventReport(
      try request(.event, "2026-05-01", "2026-05-03", event: "never"), from: MemoryFigures()
    ).event
    #expect(event.count == 0)
    #expect(event.days.map(\.count) == [0, 0, 0])
    #expect(event.properties.isEmpty)
  }

  @Test func `countries have names, and what is no code stays as it is`() async throws {
    var source = MemoryFigures()
    for (code, count) in [("DE", 4), ("BR", 3), ("", 2), ("ZZZ", 1)] {
      for _ in 0..<count {
        source.rows.append(.init(day: try day("2026-05-01"), name: "e", device: IncomingDevice(country: code)))
      }
    }
    let countries = try await CountriesReport(try request(.countries, "2026-05-01", "2026-05-01"), from: source)
      .countries
    #expect(countries.map(\.code) == ["DE", "BR", "", "ZZZ"])
    #expect(countries.map(\.name) == ["Germany", "Brazil", "Unknown", "ZZZ"])
  }
}
