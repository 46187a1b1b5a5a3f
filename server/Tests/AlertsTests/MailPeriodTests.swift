import Foundation
import Outgoing
import Questions
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import Alerts

/// The days on which reports are sent by mail, and the periods that they are about.
@Suite struct MailPeriodTests {
  @Test(arguments: [
    ("UTC", "day", 7, "2026-11-27T06:59:59Z", "2026-11-26", "2026-11-25…2026-11-25"),
    ("UTC", "day", 7, "2026-11-27T07:00:00Z", "2026-11-27", "2026-11-26…2026-11-26"),
    // The last minutes of a day are waited for.
    ("UTC", "day", 0, "2026-11-27T00:09:59Z", "2026-11-26", "2026-11-25…2026-11-25"),
    ("UTC", "day", 0, "2026-11-27T00:10:00Z", "2026-11-27", "2026-11-26…2026-11-26"),
    ("UTC", "week", 7, "2026-11-23T06:00:00Z", "2026-11-16", "2026-11-09…2026-11-15"),
    ("UTC", "week", 7, "2026-11-29T23:00:00Z", "2026-11-23", "2026-11-16…2026-11-22"),
    ("UTC", "month", 23, "2026-03-01T22:59:59Z", "2026-02-01", "2026-01-01…2026-01-31"),
    ("UTC", "month", 23, "2026-03-01T23:00:00Z", "2026-03-01", "2026-02-01…2026-02-28"),
    // 02:00 to 03:00 is skipped.
    ("Europe/Berlin", "day", 2, "2026-03-29T00:59:59Z", "2026-03-28", "2026-03-27…2026-03-27"),
    ("Europe/Berlin", "day", 2, "2026-03-29T01:00:00Z", "2026-03-29", "2026-03-28…2026-03-28"),
    // Midnight to one is skipped.
    ("America/Havana", "day", 0, "2026-03-08T05:10:00Z", "2026-03-08", "2026-03-07…2026-03-07"),
    // Samoa had no 30 December 2011.
    ("Pacific/Apia", "day", 7, "2011-12-30T16:59:59Z", "2011-12-29", "2011-12-28…2011-12-28"),
    ("Pacific/Apia", "day", 7, "2011-12-30T17:00:00Z", "2011-12-31", "2011-12-29…2011-12-29"),
  ])
  func `a report is about the last period that has ended`(
    zone: String, cadence: String, hour: Int, now: String, occasion: String, days: String
  ) throws {
    let calendar = try #require(QuestionCalendar(zone))
    let every = try #require(MailReport.Cadence(rawValue: cadence))
    let period = try #require(MailPeriod(every, hour: hour, at: time(now), in: calendar))
    #expect(period.occasion.description == occasion)
    #expect("\(period.days.lowerBound)…\(period.days.upperBound)" == days)
    #expect(period.before.upperBound < period.days.lowerBound)
  }

  /// A clock of Foundation, and the dates that it has shown.
  private struct Wall {
    private var calendar = Calendar(identifier: .gregorian)
    private(set) var dates: [String] = []

    init(_ zone: String) throws { calendar.timeZone = try #require(TimeZone(identifier: zone)) }

    func reading(_ now: Timestamp) -> (date: String, hour: Int) {
      let parts = calendar.dateComponents(
        [.year, .month, .day, .hour], from: Date(timeIntervalSince1970: Double(now.secondsSince1970)))
      return (
        String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0), parts.hour ?? 0
      )
    }

    mutating func see(_ now: Timestamp) {
      let date = reading(now).date
      if dates.last.map({ $0 < date }) ?? true { dates.append(date) }
    }

    /// True for a date on which a report is sent.
    func isOccasion(_ date: String, _ cadence: MailReport.Cadence) -> Bool {
      switch cadence {
      case .day: return true
      case .month: return date.hasSuffix("-01")
      case .week:
        var utc = Calendar(identifier: .gregorian)
        utc.timeZone = .gmt
        let parts = date.split(separator: "-").compactMap { Int($0) }
        let day = utc.date(from: DateComponents(year: parts[0], month: parts[1], day: parts[2]))
        return day.map { utc.component(.weekday, from: $0) == 2 } ?? false
      }
    }

    /// The last date whose report may have been sent, found by going back from today, and the date before it.
    func last(_ cadence: MailReport.Cadence, _ hour: Int, _ now: Timestamp) -> (occasion: String, ended: String)? {
      let (today, clock) = reading(now)
      let settled = reading(now - .seconds(600)).date
      for index in dates.indices.reversed() where index > 0 {
        let date = dates[index]
        let isBegun = (date < today || date == today && clock >= hour) && date <= settled
        if isBegun, isOccasion(date, cadence) { return (date, dates[index - 1]) }
      }
      return nil
    }
  }

  @Test(arguments: [
    ("UTC", "2024-01-01T00:00:00Z"), ("Europe/Berlin", "2026-01-01T00:00:00Z"),
    ("America/Havana", "2024-01-01T00:00:00Z"), ("Australia/Lord_Howe", "2026-01-01T00:00:00Z"),
    ("America/Sao_Paulo", "2018-01-01T00:00:00Z"), ("America/St_Johns", "2010-01-01T00:00:00Z"),
    ("Pacific/Apia", "2011-06-01T00:00:00Z"), ("Asia/Beirut", "2026-01-01T00:00:00Z"),
    ("Africa/Casablanca", "2024-01-01T00:00:00Z"),
  ])
  func `each report of a year is sent once, as a naive model finds it`(zone: String, first: String) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = FastGenerator(seed: seed)
    var wall = try Wall(zone)
    let calendar = try #require(QuestionCalendar(zone))
    let begin = time(first)
    for hours in stride(from: -150 * 24, to: 0, by: 6) { wall.see(begin + .seconds(hours * 3_600)) }
    var reports = MailReport.Cadence.allCases.flatMap { cadence in
      [0, Int.random(in: 1...23, using: &generator)].map { hour in
        StoredMailReport(
          MailReport(
            app: AppID(1), subject: .overview, cadence: cadence, hour: hour,
            recipients: [MailAddress("a@example.org")].compactMap(\.self)), sent: Day(number: 0), isRequested: false)
      }
    }
    var sent = reports.map { _ in [String]() }
    for index in reports.indices {
      reports[index].sent = try #require(
        MailPeriod(reports[index].report.cadence, hour: reports[index].report.hour, at: begin, in: calendar)
      ).occasion
    }
    // A look every hour or so, with stops of up to nine days in which no server runs.
    var (now, downUntil) = (begin, begin)
    while now.since(begin) < .seconds(366 * 86_400) {
      now = now + .seconds(Int64.random(in: 300...5_400, using: &generator))
      wall.see(now)
      if now < downUntil { continue }
      if Int.random(in: 0..<400, using: &generator) == 0 {
        downUntil = now + .seconds(Int64.random(in: 0...9 * 86_400, using: &generator))
      }
      for index in reports.indices {
        let report = reports[index].report
        let model = wall.last(report.cadence, report.hour, now)
        let due = reports[index].due(at: now, in: calendar)?.period
        let expected = model.flatMap { $0.occasion > reports[index].sent.description ? $0 : nil }
        // Most looks find nothing, and each expectation takes longer than the look.
        guard due != nil || expected != nil else { continue }
        #expect(due?.occasion.description == expected?.occasion, "\(zone) \(report.schedule) \(now), seed \(seed)")
        guard let due else { continue }
        #expect(due.days.upperBound.description == expected?.ended, "\(zone) \(report.schedule), seed \(seed)")
        reports[index].sent = due.occasion
        sent[index].append(due.occasion.description)
      }
    }
    for (index, report) in reports.enumerated() {
      #expect(sent[index] == sent[index].sorted() && Set(sent[index]).count == sent[index].count, "seed \(seed)")
      let least = [.day: 200, .week: 35, .month: 10][report.report.cadence] ?? 0
      #expect(sent[index].count >= least, "\(report.report.schedule), seed \(seed)")
    }
  }

  @Test func `without recipients nothing is due, and a requested report is due at once`() throws {
    let calendar = try #require(QuestionCalendar("UTC"))
    var stored = StoredMailReport(
      MailReport(
        app: AppID(1), subject: .overview, cadence: .week, hour: 7,
        recipients: [try #require(MailAddress("a@example.org"))]),
      sent: try #require(Day("2026-11-23")), isRequested: false)
    let now = time("2026-11-27T12:00:00Z")
    #expect(stored.due(at: now, in: calendar) == nil)
    stored.isRequested = true
    #expect(stored.due(at: now, in: calendar)?.period.days.upperBound.description == "2026-11-22")
    #expect(stored.due(at: now, in: calendar)?.sent == stored.sent, "the next one is sent as well")
    stored.report.recipients = []
    #expect(stored.due(at: now, in: calendar) == nil)
  }

  @Test func `what can't be sent is refused with a reason`() throws {
    let address = try #require(MailAddress("a@example.org"))
    func fault(_ hour: Int, _ recipients: [MailAddress]) -> String? {
      MailReport(app: AppID(1), subject: .overview, cadence: .day, hour: hour, recipients: recipients).fault
    }
    #expect(fault(0, [address]) == nil && fault(23, [address]) == nil)
    #expect(fault(24, [address]) != nil && fault(-1, [address]) != nil && fault(7, []) != nil)
    let same = try #require(MailAddress("A@example.org"))
    let many = (0...20).compactMap { MailAddress("a\($0)@example.org") }
    #expect(fault(7, [address, same]) != nil && fault(7, many) != nil && fault(7, Array(many.dropLast())) == nil)
  }
}
