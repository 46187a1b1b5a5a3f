import Foundation
import Questions
import TernEvents
import Testing
import Warehouse

@testable import Alerts
@testable import AppCatalog
@testable import Outgoing

/// Simulated fortnights in which data arrives late, clocks are set and the server crashes, compared with a naive model.
@Suite struct LateFortnightTests {
  private static let limit = 99.0

  /// The figures of days, by their names, which come from Foundation and not from the calendar under test.
  private struct World {
    let zone: TimeZone
    /// The figures of each day with the time from which each is the right one; `nil` is too little data.
    var figures: [String: [(from: Timestamp, value: Double?)]] = [:]

    func figure(_ day: String, at time: Timestamp) -> Double? { figures[day]?.last(where: { $0.from <= time })?.value }

    func day(at time: Timestamp) -> String {
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = zone
      let date = Date(timeIntervalSince1970: Double(time.secondsSince1970))
      let parts = calendar.dateComponents([.year, .month, .day], from: date)
      return String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
    }

    /// The three days that were over ten minutes ago, the last one first, found by going back half a day at a time.
    func ended(at now: Timestamp) -> [String] {
      var time = now - .seconds(600)
      let current = day(at: time)
      var days: [String] = []
      while days.count < 3 {
        time = time - .seconds(43_200)
        let day = day(at: time)
        if day != current, day != days.last { days.append(day) }
      }
      return days
    }
  }

  /// What an alert should have reported, by the definition: each day that was once the last one is looked at every hour
  /// until three days after it.
  private struct Model {
    var decided: [String: Bool] = [:]
    var asked: [String: Timestamp] = [:]
    /// The last day that was decided on, and whether it is outside the limit.
    var last = ""
    var isRaised = false
    var expected: [String] = []

    mutating func look(_ world: World, clock: Timestamp, truth: Timestamp) {
      let ended = world.ended(at: clock)
      let followed = asked.keys.sorted().suffix(3)
      let isNew = ended[0] > followed.last ?? ""
      let old = followed.filter { day in
        ended.contains(day) && asked[day].map { $0 > clock || clock.since($0) >= .seconds(3_600) } ?? false
      }.min { (asked[$0] ?? clock) < (asked[$1] ?? clock) }
      guard let day = isNew ? ended[0] : old else { return }
      asked[day] = clock
      guard let value = world.figure(day, at: truth) else { return }
      let isOutside = value < LateFortnightTests.limit
      defer { decided[day] = isOutside }
      if decided[day] == nil, day > last {
        if isOutside != isRaised { expected.append("\(isOutside ? "breached" : "recovered") \(day) \(isOutside)") }
        (last, isRaised) = (day, isOutside)
      } else if isOutside != decided[day] ?? false {
        if day == last { isRaised = isOutside }
        let event = isOutside == isRaised ? (isOutside ? "breached" : "taken_back") : "corrected"
        expected.append("\(event) \(day) \(isOutside)")
      }
    }
  }

  @Test(arguments: [
    ("Europe/Berlin", "2026-10-19T00:00:00Z"), ("Europe/Berlin", "2026-03-23T00:00:00Z"),
    ("Australia/Lord_Howe", "2026-03-30T00:00:00Z"), ("Pacific/Apia", "2011-12-22T00:00:00Z"),
    ("UTC", "2026-06-01T00:00:00Z"),
  ])
  func `each change that late data makes is reported exactly once, and each day ends as it is`(
    zone: String, first: String
  ) async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = FastGenerator(seed: seed)
    let begin = time(first)
    let world = world(try #require(TimeZone(identifier: zone)), from: begin, using: &generator)
    let directory = TemporaryDirectory()
    var catalog = try Catalog(directory: directory.path, passwordCost: .init())
    let app = try catalog.createApp(name: "App", timeZone: zone).id
    let question = AlertQuestion(page: "explore", query: "metric=crash_free_users", period: .day)
    _ = try catalog.createAlert(try alert(.below(Self.limit, question), app: app))
    let receiver = Receiver()
    var (model, repeats, offset) = (Model(), 0, Duration.zero)
    var now = begin
    while now.since(begin) < .seconds(18 * 86_400) {
      now = now + .seconds(Int64.random(in: 60...2_400, using: &generator))
      // Now and then the clock is set back by some hours, also across midnight, or right again.
      if Int.random(in: 0..<60, using: &generator) == 0 {
        offset = .seconds([0, 0, -5, -10].randomElement(using: &generator).map { $0 * 3_600 } ?? 0)
      }
      let (truth, clock, crash) = (now, now + offset, Int.random(in: 0..<40, using: &generator))
      if crash != 0 { model.look(world, clock: clock, truth: truth) }
      try await look(catalog, at: clock, receiver, seed: generator.next(), crash: crash, failing: true) {
        _, state, now in
        guard let calendar = QuestionCalendar(zone),
          let due = state.due(EndedPeriods.recent(.day, at: now, in: calendar), at: now)
        else { return .nothingNew }
        return .figure(
          PeriodFigure(
            number: due.last, label: due.label, value: world.figure(due.label, at: truth), before: nil, users: 50,
            usersBefore: 50, isCount: false))
      }
      guard crash < 3 else { continue }
      if crash == 2 { repeats += 1 }
      try catalog.close()
      catalog = try Catalog(directory: directory.path, passwordCost: .init())
    }
    // The receiver is back for good.
    for hours in 1...100 {
      try await look(catalog, at: now + .seconds(hours * 3_600), receiver, seed: 0, crash: 99, failing: false) {
        _, _, _ in
        .nothingNew
      }
    }
    let told = receiver.distinct.map { message in
      func fact(_ name: String) -> OutgoingMessage.Fact? { message.facts.first { $0.name == name } }
      let event = message.event.split(separator: ".").last ?? ""
      guard case .number(let value)? = fact("value")?.value else { return "\(event)" }
      return "\(event) \(fact("period")?.text ?? "") \(value < Self.limit)"
    }
    #expect(told == model.expected, "seed \(seed)")
    #expect(told.count > 5, "seed \(seed)")
    #expect(receiver.messages.count - receiver.distinct.count <= repeats, "seed \(seed)")
    // All data has arrived 60 hours after a day.
    for (day, isOutside) in model.decided where day < world.day(at: now - .seconds(5 * 86_400)) {
      #expect(isOutside == (world.figure(day, at: now) ?? 100 < Self.limit), "\(day), seed \(seed)")
    }
    try catalog.close()
  }

  /// Days on either side of the limit, some with too little data at first, and changes of their figures up to 60 hours
  /// after they end.
  private func world(
    _ zone: TimeZone, from begin: Timestamp, using generator: inout FastGenerator
  ) -> World {
    var world = World(zone: zone)
    for hour in stride(from: Int64(-6 * 24), through: 20 * 24, by: 12) {
      let start = begin + .seconds(hour * 3_600)
      let day = world.day(at: start)
      guard world.figures[day] == nil else { continue }
      func value() -> Double { Bool.random(using: &generator) ? 90 : 100 }
      let isEmpty = Int.random(in: 0..<4, using: &generator) == 0
      world.figures[day] = [(start - .seconds(86_400), isEmpty ? nil : value())]
      // It began at most 12 hours before `start`.
      let times = (0...Int.random(in: 0...2, using: &generator)).map { _ in
        start + .seconds(Int64.random(in: 0..<70 * 3_600, using: &generator))
      }
      for time in times.sorted() { world.figures[day]?.append((time, value())) }
    }
    return world
  }

  @Test func `killed at any place, a server reports each change once, or twice with one identifier`() async throws {
    // A day is inside the limit, outside after late data, and inside again; the next day is outside.
    let looks: [(day: Int, value: Double)] = [(1, 100), (1, 90), (1, 100), (2, 90)]
    let directory = TemporaryDirectory()
    var catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "App").id
    let question = AlertQuestion(page: "explore", query: "metric=crash_free_users", period: .day)
    for number in 0..<256 {
      let id = try catalog.createAlert(try alert(.below(Self.limit, question), app: app)).id
      let receiver = Receiver()
      var (expected, decided, isRaised, repeats) = ([String](), [Int: Bool](), false, 0)
      for (index, (day, value)) in looks.enumerated() {
        // 0 to 2 are the places of a crash, 3 is none.
        let crash = number >> (index * 2) & 3
        let now = time(Int64(index) * 3_600)
        try await look(catalog, at: now, receiver, seed: UInt64(number), crash: crash, failing: false) { _, _, _ in
          .figure(
            PeriodFigure(
              number: day, label: "\(day)", value: value, before: nil, users: 50, usersBefore: 50, isCount: false))
        }
        if crash != 0 {
          let isOutside = value < Self.limit
          if isOutside != (decided[day] ?? isRaised) {
            expected.append(isOutside ? "alert.breached" : decided[day] == nil ? "alert.recovered" : "alert.taken_back")
          }
          (decided[day], isRaised) = (isOutside, isOutside)
        }
        if crash == 2 { repeats += 1 }
        guard crash < 3 else { continue }
        try catalog.close()
        catalog = try Catalog(directory: directory.path)
      }
      try await look(catalog, at: time(20_000), receiver, seed: 0, crash: 99, failing: false) { _, _, _ in .nothingNew }
      #expect(receiver.distinct.map(\.event) == expected, "\(number)")
      #expect(receiver.messages.count - receiver.distinct.count <= repeats, "\(number)")
      _ = try catalog.removeAlert(id, app: app)
    }
    try catalog.close()
  }
}
