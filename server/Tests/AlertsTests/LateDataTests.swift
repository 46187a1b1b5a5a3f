import Foundation
import Questions
import TernEvents
import Testing
import Warehouse

@testable import Alerts

/// Decisions on days whose figures change while late data arrives.
@Suite struct LateDataTests {
  private let question = AlertQuestion(page: "explore", query: "metric=crash_free_users", period: .day)

  /// Gives a machine the figures of days, one after the other, and returns the kinds of its events.
  private func events(
    _ figures: [(day: Int, value: Double?)], condition: AlertCondition? = nil, minimum: Int = 0,
    from state: AlertState = AlertState()
  ) throws -> [[String]] {
    var machine = AlertMachine(try alert(condition ?? .below(99, question), minimum: minimum), state)
    return try figures.enumerated().map { index, figure in
      // The state is stored between two figures.
      let stored = try JSONDecoder().decode(AlertState.self, from: JSONEncoder().encode(machine.state))
      #expect(stored == machine.state)
      machine = AlertMachine(machine.alert, stored)
      let observation = AlertObservation.figure(
        PeriodFigure(
          number: figure.day, label: "\(figure.day)", value: figure.value, before: 50, users: 40, usersBefore: 40,
          isCount: false))
      return machine.handle(observation, now: time(Int64(index) * 3_600)).map { event in
        switch event {
        case .breached(let figure): "breached \(figure.number)"
        case .recovered(let figure): "recovered \(figure.number)"
        case .corrected(let figure, let isOutside, let isRaised):
          "\(figure.number) \(isOutside ? "outside" : "inside"), \(isRaised ? "raised" : "quiet")"
        default: "\(event)"
        }
      }
    }
  }

  @Test func `a breach that late data causes is reported once`() throws {
    #expect(
      try events([(1, 100), (1, 99.5), (1, 96.26), (1, 96), (2, 97), (2, 98), (3, 100)])
        == [[], [], ["1 outside, raised"], [], [], [], ["recovered 3"]])
  }

  @Test func `a breach that late data takes back is reported as taken back, once`() throws {
    #expect(
      try events([(1, 90), (1, 99), (1, 99.5), (2, 100), (3, 90)])
        == [["breached 1"], ["1 inside, quiet"], [], [], ["breached 3"]])
  }

  @Test func `a correction of an earlier day leaves the alert as the last day has it`() throws {
    #expect(try events([(1, 100), (2, 100), (1, 90), (3, 90)]) == [[], [], ["1 outside, quiet"], ["breached 3"]])
    #expect(
      try events([(1, 90), (2, 90), (1, 100), (2, 100), (3, 100)])
        == [["breached 1"], [], ["1 inside, raised"], ["2 inside, quiet"], []])
    #expect(
      try events([(1, 100), (2, 90), (1, 90), (3, 100)]) == [
        [], ["breached 2"], ["1 outside, raised"], ["recovered 3"],
      ])
  }

  @Test func `only the last three days are decided on again`() throws {
    #expect(
      try events([(1, 100), (2, 100), (3, 100), (1, 90), (4, 100), (1, 100), (2, 90)])
        == [[], [], [], ["1 outside, quiet"], [], [], ["2 outside, quiet"]])
  }

  @Test func `a day that wasn't asked about as the last isn't decided on later`() throws {
    // The alert is new on day 5, and muted on days 6 and 7. The clock is set back from day 8 to day 4.
    #expect(
      try events([(5, 100), (4, 90), (8, 100), (7, 90), (6, 90), (4, 90), (8, 90)])
        == [[], [], [], [], [], [], ["8 outside, raised"]])
  }

  @Test func `a day that had too little data is decided on when it has enough, also after a later day`() throws {
    #expect(
      try events([(1, nil), (1, 90), (2, nil), (3, 100), (2, 90), (2, nil), (4, nil), (4, 90)])
        == [[], ["breached 1"], [], ["recovered 3"], ["2 outside, quiet"], [], [], ["breached 4"]])
  }

  @Test func `an hour is decided on once`() throws {
    let hours = AlertQuestion(page: "explore", query: "metric=crash_free_users", period: .hour)
    #expect(
      try events([(1, 100), (1, 90), (2, 90), (2, 100)], condition: .below(99, hours)) == [[], [], ["breached 2"], []])
  }

  @Test func `a state that was stored before days were decided on again goes on`() throws {
    let text = #"{"isBreached":true,"period":7,"problems":{}}"#
    let state = try JSONDecoder().decode(AlertState.self, from: Data(text.utf8))
    #expect(try events([(7, 90), (7, 100), (8, 100)], from: state) == [[], ["7 inside, quiet"], []])
    #expect(try events([(8, 100), (7, 100)], from: state) == [["recovered 8"], ["7 inside, quiet"]])
    #expect(try events([(6, 100), (7, 90)], from: state) == [[], []])
  }

  @Test func `a day is asked about when it has ended, and then once an hour for three days`() throws {
    let calendar = try #require(QuestionCalendar("Europe/Berlin"))
    var machine = AlertMachine(try alert(.below(99, question)), AlertState())
    var asked: [String: [Timestamp]] = [:]
    let begin = time("2026-10-23T22:00:00Z")
    for minute in stride(from: 0, to: 8 * 1_440, by: 2) {
      let now = begin + .seconds(minute * 60)
      guard let due = machine.state.due(EndedPeriods.recent(.day, at: now, in: calendar), at: now) else { continue }
      asked[due.label, default: []].append(now)
      let figure = PeriodFigure(
        number: due.last, label: due.label, value: 100, before: 100, users: 9, usersBefore: 9, isCount: false)
      _ = machine.handle(.figure(figure), now: now)
    }
    // Berlin's clocks are set back on the 25th, a day of 25 hours, which is in the three days after the 24th.
    for (day, end, hours) in [
      ("2026-10-24", "2026-10-24T22:00:00Z", 73.0), ("2026-10-25", "2026-10-25T23:00:00Z", 72),
      ("2026-10-26", "2026-10-26T23:00:00Z", 72),
    ] {
      let times = try #require(asked[day])
      #expect(times.first == time(end) + .seconds(600))
      let last = try #require(times.last)
      #expect(last <= time(end) + .seconds(hours * 3_600 + 600) && last >= time(end) + .seconds((hours - 2) * 3_600))
      #expect(zip(times, times.dropFirst()).allSatisfy { $1.since($0) >= FollowedDay.pause })
      #expect(times.count >= 65)
    }
  }

  @Test func `a clock that was set back doesn't end the decisions`() throws {
    let calendar = try #require(QuestionCalendar("UTC"))
    func due(_ text: String, _ days: [FollowedDay]) -> String? {
      var state = AlertState()
      (state.days, state.period) = (days, days.last?.number)
      return state.due(EndedPeriods.recent(.day, at: time(text), in: calendar), at: time(text))?.label
    }
    let day = calendar.day(of: time("2026-06-02T12:00:00Z").millisecondsSince1970).number
    func followed(_ number: Int, _ asked: String) -> FollowedDay {
      FollowedDay(number: number, isOutside: false, asked: time(asked).millisecondsSince1970)
    }
    let days = [followed(day - 1, "2026-06-03T09:00:00Z"), followed(day, "2026-06-03T08:30:00Z")]
    #expect(due("2026-06-03T09:29:00Z", days) == nil)
    #expect(due("2026-06-03T09:30:00Z", days) == "2026-06-02")
    #expect(due("2026-06-03T05:00:00Z", days) == "2026-06-02", "both times are in the future")
    #expect(due("2026-06-04T00:10:00Z", days) == "2026-06-03", "a new day comes first")
    #expect(due("2026-06-02T05:00:00Z", days) == "2026-06-01", "the 2nd has not ended by this clock")
  }
}
