import Foundation
import Questions
import TernEvents
import Testing
import Warehouse

@testable import Alerts
@testable import AppCatalog
@testable import Outgoing
@testable import TernServer

/// Simulated fortnights with clock changes, failing receivers and crashes, compared with a naive model.
@Suite struct FortnightTests {
  /// Figures by the name of their hour. The names come from Foundation, not from the calendar under test.
  private struct World {
    let zone: TimeZone
    var figures: [String: Double] = [:]

    func hour(at time: Timestamp) -> String {
      let date = Date(timeIntervalSince1970: Double(time.secondsSince1970))
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = zone
      let parts = calendar.dateComponents([.year, .month, .day, .hour], from: date)
      return String(
        format: "%04d-%02d-%02dT%02d:00", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0, parts.hour ?? 0)
    }

    /// The hour that was over ten minutes ago, found by going back minute by minute.
    func ended(at now: Timestamp) -> String {
      var time = now - .seconds(600)
      let current = hour(at: time)
      while hour(at: time) == current { time = time - .seconds(60) }
      return hour(at: time)
    }
  }

  @Test(arguments: [
    ("Europe/Berlin", "2026-10-19T00:00:00Z"), ("Europe/Berlin", "2026-03-23T00:00:00Z"),
    ("Australia/Lord_Howe", "2026-03-30T00:00:00Z"), ("America/Havana", "2024-10-28T00:00:00Z"),
    ("UTC", "2026-06-01T00:00:00Z"),
  ])
  func `each breach is reported exactly once through clock changes, failures and crashes`(zone: String, first: String)
    async throws
  {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = FastGenerator(seed: seed)
    var world = World(zone: try #require(TimeZone(identifier: zone)))
    let (begin, limit) = (time(first), 10.0)
    for minute in stride(from: Int64(-4 * 1_440), through: 14 * 1_440, by: 30) {
      let hour = world.hour(at: begin + .seconds(minute * 60))
      // Runs of hours on either side of the limit.
      let isHigh = Int.random(in: 0..<4, using: &generator) == 0
      if world.figures[hour] == nil { world.figures[hour] = isHigh ? 20 : Double.random(in: 0...12, using: &generator) }
    }
    let directory = TemporaryDirectory()
    var catalog = try Catalog(directory: directory.path, passwordCost: .init())
    let app = try catalog.createApp(name: "App", timeZone: zone).id
    _ = try catalog.createAlert(try alert(.above(limit, question), app: app))
    let receiver = Receiver()
    var expected: [String] = []
    var (lastHour, isOutside, restarts, repeats) = ("", false, 0, 0)
    var now = begin
    while now.since(begin) < .seconds(14 * 86_400) {
      now = now + .seconds(Int64.random(in: 60...2_400, using: &generator))
      // The model: a new hour on the other side of the limit is reported.
      let hour = world.ended(at: now)
      let figure = world.figures[hour] ?? 0
      let crash = Int.random(in: 0..<40, using: &generator)
      if crash != 0, hour > lastHour {
        if (figure > limit) != isOutside { expected.append("\(figure > limit ? "breached" : "recovered") \(hour)") }
        (lastHour, isOutside) = (hour, figure > limit)
      }
      try await step(catalog, world, now, receiver, seed: generator.next(), crash: crash)
      if crash < 3 {
        if crash == 2 { repeats += 1 }
        restarts += 1
        try catalog.close()
        catalog = try Catalog(directory: directory.path, passwordCost: .init())
      }
    }
    // The receiver is back for good.
    for hours in 1...200 {
      try await step(catalog, nil, now + .seconds(hours * 3_600), receiver, seed: 0, crash: 99)
    }
    let told = receiver.distinct.map { message in
      "\(message.event.split(separator: ".").last ?? "") \(message.facts.first { $0.name == "period" }?.text ?? "")"
    }
    #expect(told == expected, "seed \(seed)")
    #expect(expected.count > 20 && restarts > 10, "seed \(seed)")
    #expect(receiver.messages.count - receiver.distinct.count <= repeats, "seed \(seed)")
    try catalog.close()
  }

  /// One look at the alert, which sees nothing without a world, and one at the messages that wait.
  private func step(
    _ catalog: Catalog, _ world: World?, _ now: Timestamp, _ receiver: Receiver, seed: UInt64, crash: Int
  ) async throws {
    try await look(catalog, at: now, receiver, seed: seed, crash: crash, failing: world != nil) { _, _, now in
      guard let world, let calendar = QuestionCalendar(world.zone.identifier),
        let periods = EndedPeriods(.hour, at: now, in: calendar)
      else { return .nothingNew }
      let figure = world.figures[periods.label] ?? 0
      return .figure(
        PeriodFigure(
          number: periods.last, label: periods.label, value: figure, before: nil, users: 5, usersBefore: 5,
          isCount: true))
    }
  }

  /// The places at which a process can be killed while it looks and sends.
  private enum Kill: Int, CaseIterable {
    case never, beforeStoring, afterStoring, afterSending
  }

  @Test func `killed at any place, a server reports each breach once, or twice with one identifier`() async throws {
    // Four looks: below the limit, above, above, below. Afterwards the server runs on.
    let figures = [5.0, 20, 20, 5]
    let kills = Kill.allCases
    let directory = TemporaryDirectory()
    var catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "App").id
    for number in 0..<256 {
      let plan = (0..<4).map { kills[number >> ($0 * 2) & 3] }
      let id = try catalog.createAlert(try alert(.above(10, question), app: app)).id
      let receiver = Receiver()
      for look in 0..<6 {
        let kill = look < 4 ? plan[look] : .never
        let evaluator = AlertEvaluator(
          catalog: catalog,
          observe: { _, _, _ in
            guard kill != .beforeStoring else { return .nothingNew }
            return .figure(
              PeriodFigure(
                number: min(look, 3), label: "\(look)", value: figures[min(look, 3)], before: nil, users: 5,
                usersBefore: 5, isCount: true))
          },
          newID: { time in
            var generator = SystemRandomNumberGenerator()
            return UniqueID.timeOrdered(at: time, using: &generator)
          }, portal: { nil })
        for stored in try catalog.alerts() { try await evaluator.evaluate(stored, now: time(Int64(look) * 300)) }
        if kill == .never || kill == .afterSending {
          let delivery = AlertDelivery(catalog: catalog) { message, _ throws(OutgoingError) in
            receiver.take(message)
            if kill == .afterSending { throw OutgoingError(.cancelled, "killed") }
            return "ok"
          }
          try await delivery.deliverDue(now: { time(Int64(look) * 300) })
        }
        if kill != .never {
          try catalog.close()
          catalog = try Catalog(directory: directory.path)
        }
      }
      // Above the limit was seen unless both looks at it were killed before storing.
      let wasSeen = plan[1] != .beforeStoring || plan[2] != .beforeStoring
      let events = receiver.distinct.map(\.event)
      #expect(events == (wasSeen ? ["alert.breached", "alert.recovered"] : []), "\(plan)")
      let killedAfterSending = plan.filter { $0 == .afterSending }.count
      #expect(receiver.messages.count - receiver.distinct.count <= killedAfterSending, "\(plan)")
      _ = try catalog.removeAlert(id, app: app)
    }
    try catalog.close()
  }
}
