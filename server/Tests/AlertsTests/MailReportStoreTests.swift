import Foundation
import Outgoing
import Portal
import Questions
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import Alerts
@testable import AppCatalog
@testable import TernServer

/// Reports in the catalog, and their mails through stops, kills and clock changes.
@Suite struct MailReportStoreTests {
  private static let addresses = ["a@example.org", "b@example.org"].compactMap { MailAddress($0) }

  private static func evaluator(_ catalog: Catalog, _ generator: Box<FastGenerator>, isKilled: Bool = false)
    -> MailReportEvaluator
  {
    MailReportEvaluator(
      catalog: catalog,
      compose: { _, _, period, _ in
        if isKilled { throw CancellationError() }
        return MailReportContent(
          title: "\(period.occasion)", text: "\(period.days.upperBound)", sections: [], path: "/")
      }, newID: { time in generator.change { UniqueID.timeOrdered(at: time, using: &$0) } }, portal: { nil })
  }

  private func report(
    _ app: AppID, _ cadence: MailReport.Cadence = .day, subject: MailReport.Subject = .overview, hour: Int = 7
  ) -> MailReport {
    MailReport(app: app, subject: subject, cadence: cadence, hour: hour, recipients: Self.addresses)
  }

  /// The days on which a naive clock shows an hour or a later one for the first time, from minute to minute.
  private func occasions(_ zone: TimeZone, hour: Int, from begin: Timestamp, to end: Timestamp) -> [String] {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    var seen: [String] = []
    for seconds in stride(from: 0, through: end.secondsSince1970 - begin.secondsSince1970, by: 900) {
      let now = begin + .seconds(seconds)
      let parts = calendar.dateComponents(
        [.year, .month, .day, .hour], from: Date(timeIntervalSince1970: Double(now.secondsSince1970)))
      let date = String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
      let isBegun = (parts.hour ?? 0) >= hour
      // The report of a day that has begun when the report is added isn't sent.
      if seconds == 0 { seen = [isBegun ? date : ""] }
      if isBegun, seen.last.map({ $0 < date }) ?? true { seen.append(date) }
    }
    return Array(seen.dropFirst())
  }

  @Test(arguments: [
    ("Europe/Berlin", "2026-10-01T12:30:00Z"), ("America/Havana", "2026-02-01T12:30:00Z"),
    ("Australia/Lord_Howe", "2026-03-01T12:30:00Z"), ("UTC", "2026-06-01T12:30:00Z"),
  ])
  func `each mail of a quarter goes out once to each recipient, through clock changes, failures and kills`(
    zone: String, first: String
  ) async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = FastGenerator(seed: seed)
    let shared = Box(FastGenerator(seed: seed &+ 1))
    let begin = time(first)
    let hour = Int.random(in: 0...20, using: &generator)
    let directory = TemporaryDirectory()
    let clock = Box(begin)
    func open() throws -> Catalog {
      try Catalog(directory: directory.path, passwordCost: .init(), now: { clock.value })
    }
    var catalog = try open()
    let app = try catalog.createApp(name: "App", timeZone: zone).id
    _ = try catalog.createMailReport(report(app, hour: hour))
    let attempts = Box<[String: Int]>([:])
    var (sent, ids, kills, repeats) = ([String: [String]](), [String: Set<UniqueID>](), 0, 0)
    while clock.value.since(begin) < .seconds(91 * 86_400) {
      // Pauses are shorter than the time between two mails, so that none is skipped.
      clock.value = clock.value + .seconds(Int64.random(in: 60...14_400, using: &generator))
      // A clock that is set back for a moment.
      let isBack = Int.random(in: 0..<50, using: &generator) == 0
      let now = isBack ? clock.value - .seconds(86_400) : clock.value
      let kill = Int.random(in: 0..<60, using: &generator)
      for stored in try catalog.mailReports() {
        _ = try? await Self.evaluator(catalog, shared, isKilled: kill == 0).evaluate(stored, now: now)
      }
      if kill > 1 {
        let got = Box<[(String, String, UniqueID)]>([])
        let delivery = AlertDelivery(catalog: catalog) { message, destination throws(OutgoingError) in
          // Not for a whole day, after which a mail is given up.
          let attempt = attempts.change {
            $0["\(destination.text) \(message.title)", default: 0] += 1
            return $0["\(destination.text) \(message.title)", default: 0]
          }
          if attempt < 5, shared.change({ Int.random(in: 0..<4, using: &$0) }) == 0 {
            throw OutgoingError(.connection, "away")
          }
          got.change { $0.append((destination.text, message.title, message.id)) }
          if kill == 2 { throw OutgoingError(.cancelled, "killed") }
          return "ok"
        }
        try await delivery.deliverDue(now: { now })
        if kill == 2 { repeats += got.value.count }
        for (to, title, id) in got.value {
          sent[to, default: []].append(title)
          ids["\(to) \(title)", default: []].insert(id)
        }
      }
      if kill < 3 {
        kills += 1
        try catalog.close()
        catalog = try open()
      }
    }
    let expected = occasions(try #require(TimeZone(identifier: zone)), hour: hour, from: begin, to: clock.value)
      .map { "App: \($0)" }
    for address in Self.addresses {
      let all = sent["mail:\(address.text)"] ?? []
      let distinct = all.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
      #expect(Array(expected.prefix(distinct.count)) == distinct, "\(zone) at \(hour), seed \(seed)")
      // The last one may still be on its way.
      #expect(distinct.count >= expected.count - 1 && distinct.count > 85, "\(zone) at \(hour), seed \(seed)")
      #expect(all.count - distinct.count <= repeats, "seed \(seed)")
    }
    #expect(ids.values.allSatisfy { $0.count == 1 }, "repeats have the same identifier, seed \(seed)")
    #expect(kills > 20, "seed \(seed)")
    try catalog.close()
  }

  /// The places at which a process can be killed while it composes and sends.
  private enum Kill: Int, CaseIterable {
    case never, whileComposing, afterStoring, afterSending
  }

  @Test func `killed at any place, a server sends a mail once, or twice with one identifier`() async throws {
    let directory = TemporaryDirectory()
    let clock = Box(time("2026-11-26T12:00:00Z"))
    func open() throws -> Catalog {
      try Catalog(directory: directory.path, passwordCost: .init(), now: { clock.value })
    }
    var catalog = try open()
    let app = try catalog.createApp(name: "App").id
    let generator = Box(FastGenerator(seed: 1))
    for number in 0..<64 {
      clock.value = time("2026-11-26T12:00:00Z")
      let plan = (0..<3).compactMap { Kill(rawValue: number >> ($0 * 2) & 3) }
      let id = try catalog.createMailReport(report(app)).id
      let receiver = Receiver()
      for look in 0..<5 {
        let kill = look < plan.count ? plan[look] : .never
        clock.value = time("2026-11-27T07:00:00Z") + .seconds(look * 60)
        for stored in try catalog.mailReports() {
          _ = try? await Self.evaluator(catalog, generator, isKilled: kill == .whileComposing)
            .evaluate(stored, now: clock.value)
        }
        if kill == .never || kill == .afterSending {
          let delivery = AlertDelivery(catalog: catalog) { message, destination throws(OutgoingError) in
            if destination.text.hasPrefix("mail:a") { receiver.take(message) }
            if kill == .afterSending { throw OutgoingError(.cancelled, "killed") }
            return "ok"
          }
          try await delivery.deliverDue(now: { clock.value })
        }
        if kill != .never {
          try catalog.close()
          catalog = try open()
        }
      }
      #expect(receiver.distinct.map(\.title) == ["App: 2026-11-27"], "\(plan)")
      #expect(receiver.messages.count - 1 <= plan.filter { $0 == .afterSending }.count, "\(plan)")
      _ = try catalog.removeMailReport(id, app: app)
    }
    try catalog.close()
  }

  @Test func `after a long downtime only the last mail is sent, and a requested one at once`() async throws {
    let directory = TemporaryDirectory()
    let clock = Box(time("2026-11-01T12:00:00Z"))
    let catalog = try Catalog(directory: directory.path, passwordCost: .init(), now: { clock.value })
    let app = try catalog.createApp(name: "App").id
    let id = try catalog.createMailReport(report(app)).id
    let evaluator = Self.evaluator(catalog, Box(FastGenerator(seed: 1)))
    func look() async throws -> [String] {
      for stored in try catalog.mailReports() { try await evaluator.evaluate(stored, now: clock.value) }
      return try catalog.mailReportNotifications(of: id, limit: 100).map(\.message.title)
    }
    #expect(try await look().isEmpty, "the first mail is the next one")
    clock.value = time("2026-11-20T12:00:00Z")
    #expect(try await look() == ["App: 2026-11-20"])
    #expect(try await look() == ["App: 2026-11-20"])
    clock.value = time("2026-11-21T01:00:00Z")
    #expect(try catalog.requestMailReport(id, app: app) != nil)
    #expect(try await look() == ["App: 2026-11-21", "App: 2026-11-20"])
    #expect(try await look().count == 2)
    clock.value = time("2026-11-21T07:00:00Z")
    #expect(try await look().count == 3, "a requested mail doesn't replace the regular one")
    for day in 22...30 { clock.value = time("2026-11-\(day)T08:00:00Z"); _ = try await look() }
    for day in 10...29 { clock.value = time("2026-12-\(day)T08:00:00Z"); _ = try await look() }
    #expect(try await look().count == 32, "pending mails are kept")
    for delivery in try catalog.dueDeliveries(now: clock.value, limit: 1_000) {
      try catalog.finishDelivery(delivery.id, answer: "ok")
    }
    try catalog.close()
  }

  @Test func `another schedule repeats no mail, and what was composed for the old one isn't stored`() async throws {
    let directory = TemporaryDirectory()
    let clock = Box(time("2026-11-23T12:00:00Z"))
    let catalog = try Catalog(directory: directory.path, passwordCost: .init(), now: { clock.value })
    let app = try catalog.createApp(name: "App").id
    var report = try catalog.createMailReport(report(app))
    let evaluator = Self.evaluator(catalog, Box(FastGenerator(seed: 1)))
    func look(_ time: Timestamp) async throws -> Int {
      clock.value = time
      for stored in try catalog.mailReports() { try await evaluator.evaluate(stored, now: clock.value) }
      return try catalog.mailReportNotifications(of: report.id, limit: 100).count
    }
    #expect(try await look(time("2026-11-24T08:00:00Z")) == 1)
    report.hour = 9
    #expect(try catalog.changeMailReport(report)?.hour == 9)
    #expect(try await look(time("2026-11-24T10:00:00Z")) == 1, "this day's mail was sent at 7")
    #expect(try await look(time("2026-11-25T08:00:00Z")) == 1)
    #expect(try await look(time("2026-11-25T09:00:00Z")) == 2)
    report.cadence = .week
    _ = try catalog.changeMailReport(report)
    #expect(try await look(time("2026-11-29T12:00:00Z")) == 2)
    #expect(try await look(time("2026-11-30T09:00:00Z")) == 3)
    report.cadence = .day
    _ = try catalog.changeMailReport(report)
    #expect(try await look(time("2026-12-02T12:00:00Z")) == 4, "the last mail of the new schedule")

    clock.value = time("2026-12-03T12:00:00Z")
    let stored = try #require(try catalog.mailReports().first)
    let board = try catalog.createDashboard(app: app, name: "Board", cards: []).id
    report.subject = .dashboard(board)
    _ = try catalog.changeMailReport(report)
    #expect(try await !evaluator.evaluate(stored, now: clock.value))
    #expect(try await look(clock.value) == 5)
    report.recipients = [Self.addresses[1]]
    _ = try catalog.changeMailReport(report)
    let waiting = Set(try catalog.dueDeliveries(now: clock.value, limit: 100).map(\.destination.text))
    #expect(waiting == ["mail:b@example.org"], "a removed recipient gets nothing more")
    try catalog.close()
  }

  @Test func `a recipient who unsubscribes gets no further mail, not even a pending one`() async throws {
    let directory = TemporaryDirectory()
    let clock = Box(time("2026-11-26T12:00:00Z"))
    let catalog = try Catalog(directory: directory.path, passwordCost: .init(), now: { clock.value })
    let app = try catalog.createApp(name: "App").id
    let first = try catalog.createMailReport(report(app))
    let second = try catalog.createMailReport(report(app, .week))
    clock.value = time("2026-11-30T07:00:00Z")
    let evaluator = Self.evaluator(catalog, Box(FastGenerator(seed: 1)))
    for stored in try catalog.mailReports() { try await evaluator.evaluate(stored, now: clock.value) }
    let waiting = try catalog.dueDeliveries(now: clock.value, limit: 100)
    #expect(waiting.count == 4 && Set(waiting.compactMap(\.unsubscribeToken)).count == 4)
    let token = try #require(waiting.first { $0.destination.text == "mail:a@example.org" }?.unsubscribeToken)
    #expect(try catalog.subscription(token: token) == .active(first, Self.addresses[0]))
    #expect(try !catalog.unsubscribe(token: token + "0") && catalog.subscription(token: "1-a-b") == nil)
    for _ in 0..<2 { #expect(try catalog.unsubscribe(token: token)) }
    #expect(try catalog.subscription(token: token) == .ended)
    let reports = try catalog.mailReports()
    #expect(reports.map(\.report.recipients) == [[Self.addresses[1]], Self.addresses])
    let rest = try catalog.dueDeliveries(now: clock.value, limit: 100).map(\.destination.text)
    #expect(rest.sorted() == ["mail:a@example.org", "mail:b@example.org", "mail:b@example.org"])
    let entry = try #require(try catalog.audit(limit: 1).first)
    #expect(entry.action == "unsubscribed from mail report" && entry.subject.hasSuffix("a@example.org"))
    let statuses = try catalog.mailReportNotifications(of: first.id, limit: 1).flatMap(\.deliveries).map(\.status)
    #expect(statuses == [.failed, .waiting])
    #expect(try catalog.removeMailReport(second.id, app: AppID(9)) == nil, "of another app")
    try catalog.close()
  }

  @Test func `a report goes with its dashboard, and with its app`() throws {
    let directory = TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "App").id
    let board = try catalog.createDashboard(app: app, name: "Board", cards: []).id
    _ = try catalog.createMailReport(report(app))
    _ = try catalog.createMailReport(report(app, subject: .dashboard(board)))
    let other = try catalog.createApp(name: "Other").id
    #expect(throws: WarehouseError.self) { try catalog.createMailReport(report(other, subject: .dashboard(board))) }
    #expect(throws: WarehouseError.self) { try catalog.createMailReport(report(AppID(99))) }
    #expect(throws: WarehouseError.self) { try catalog.createMailReport(report(app, hour: 24)) }
    #expect(try catalog.removeDashboard(board, app: app))
    #expect(try catalog.mailReports().map(\.report.subject) == [.overview])
    for _ in 1..<CountLimit.mailReports.maximum { _ = try catalog.createMailReport(report(app)) }
    #expect(throws: WarehouseError.self) { try catalog.createMailReport(report(app)) }
    try catalog.finishDeletion(of: app, job: 0, DataJob.Result(message: "done"))
    #expect(try catalog.mailReports().isEmpty)
    try catalog.close()
  }
}
