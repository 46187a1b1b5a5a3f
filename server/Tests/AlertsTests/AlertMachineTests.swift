import JSON
import TernBase
import TernEvents
import Testing

@testable import Alerts

/// Decisions of alerts, observation by observation.
@Suite struct AlertMachineTests {
  private func figure(
    _ number: Int, _ value: Double?, before: Double? = nil, users: Int = 100, usersBefore: Int = 100,
    isCount: Bool = true
  ) -> AlertObservation {
    .figure(
      PeriodFigure(
        number: number, label: "\(number)", value: value, before: before, users: users, usersBefore: usersBefore,
        isCount: isCount))
  }

  /// The kinds of events of a sequence of observations.
  private func events(_ alert: Alert, _ observations: [(AlertObservation, Timestamp)]) -> [[String]] {
    var machine = AlertMachine(alert, AlertState())
    return observations.map { observation, now in
      machine.handle(observation, now: now).map { event in
        switch event {
        case .breached: "breached"
        case .recovered: "recovered"
        case .corrected(let figure, let isOutside, let isRaised):
          "\(figure.number) is \(isOutside ? "outside" : "inside"), \(isRaised ? "raised" : "quiet")"
        case .silent: "silent"
        case .arriving: "arriving"
        case .errors(let errors, let count): "errors \(errors.map(\.group)) of \(count)"
        case .problem(let problem): "problem \(problem.summary)"
        case .problemOver(let summary): "over \(summary)"
        case .failing(let reason): "failing \(reason)"
        case .working: "working"
        }
      }
    }
  }

  private func events(_ alert: Alert, _ observations: [AlertObservation]) -> [[String]] {
    events(alert, observations.enumerated().map { ($1, time(Int64($0) * 60)) })
  }

  @Test func `a breach is reported once, and once when it is over`() throws {
    let alert = try alert(.above(10, question))
    let found = events(alert, [10, 11, 12, 10, 9, 11].enumerated().map { figure($0, $1) })
    #expect(found == [[], ["breached"], [], ["recovered"], [], ["breached"]])
  }

  @Test func `a period is decided on once, and never an earlier one`() throws {
    let alert = try alert(.below(10, question))
    #expect(
      events(alert, [figure(5, 1), figure(5, 20), figure(4, 20), figure(6, 20)]) == [
        ["breached"], [], [], ["recovered"],
      ])
  }

  @Test func `without enough users nothing is decided, until there are`() throws {
    let shares = try alert(.below(90, question), minimum: 50)
    #expect(
      events(
        shares,
        [
          figure(1, 50, users: 49, isCount: false), figure(1, 50, users: 50, isCount: false),
          figure(2, 100, users: 49, isCount: false), figure(3, nil, users: 50, isCount: false),
          figure(4, 100, users: 50, isCount: false),
        ]) == [[], ["breached"], [], [], ["recovered"]])
    let counts = try alert(.below(10, question), minimum: 50)
    #expect(
      events(counts, [figure(1, 0, users: 0, usersBefore: 49), figure(2, 0, users: 0, usersBefore: 50)])
        == [[], ["breached"]], "a count that drops to nothing has no users any more")
  }

  @Test func `an alert that can't be evaluated for an hour is reported once, and once when it can be again`() throws {
    let alert = try alert(.above(10, question))
    func failure(_ reason: String, _ minutes: Int64) -> (AlertObservation, Timestamp) {
      (.failure(reason: reason), time(minutes * 60))
    }
    #expect(
      events(
        alert,
        [
          failure("slow", 0), (figure(1, 20), time(120)), failure("slow", 240), failure("no segment", 240 + 59),
          failure("no segment", 240 + 60), failure("no segment", 600), (.nothingNew, time(601 * 60)),
          (.nothingNew, time(602 * 60)), failure("slow", 603), (figure(2, 5), time(604 * 60)),
        ]) == [
          [], ["breached"], [], [], ["failing no segment"], [], ["working"], [], [], ["recovered"],
        ])
  }

  @Test func `a muted alert isn't reported as failing`() throws {
    var alert = try alert(.above(10, question))
    alert.mutedUntil = time(100_000)
    #expect(events(alert, [(.failure(reason: "slow"), time(0)), (.failure(reason: "slow"), time(9_000))]) == [[], []])
  }

  @Test func `changes are reported in both directions, and only of something`() throws {
    let alert = try alert(.changed(byPercent: 50, question), minimum: 10)
    let found = events(
      alert,
      [
        figure(1, 15, before: 10), figure(2, 15.1, before: 10), figure(3, 10, before: 15), figure(4, 4, before: 10),
        figure(5, 5, before: 0), figure(6, 5, before: nil), figure(7, 5, before: 5),
      ])
    #expect(found == [[], ["breached"], ["recovered"], ["breached"], [], [], ["recovered"]])
  }

  @Test func `crash-free users are a share of the period's own users`() throws {
    let alert = try alert(.crashFreeUsersBelow(percent: 99, .day))
    let found = events(
      alert,
      [
        figure(1, 50, users: 29, usersBefore: 1_000, isCount: false), figure(2, 98.99, users: 30, isCount: false),
        figure(3, 99, users: 30, isCount: false),
      ])
    #expect(found == [[], ["breached"], ["recovered"]])
  }

  @Test func `silence counts from the last arrival, and not while the server was down`() throws {
    let alert = try alert(.nothingArrived(hours: 1))
    func arrival(_ last: Int64?, since: Int64, at now: Int64) -> (AlertObservation, Timestamp) {
      (.arrival(last: last.map { time($0) }, receivingSince: time(since)), time(now))
    }
    let found = events(
      alert,
      [
        arrival(nil, since: 0, at: 10_000), arrival(9_000, since: 0, at: 12_599), arrival(9_000, since: 0, at: 12_600),
        arrival(9_000, since: 0, at: 12_700),
        // A restart changes nothing about it.
        arrival(9_000, since: 12_800, at: 12_900), arrival(12_950, since: 12_800, at: 13_000),
        // The server was down from 13000 to 20000.
        arrival(12_950, since: 20_000, at: 20_100), arrival(12_950, since: 20_000, at: 23_600),
      ])
    #expect(found == [[], [], ["silent"], [], [], ["arriving"], [], ["silent"]])
  }

  private func errors(_ groups: [Int64], highest: Int64) -> AlertObservation {
    .newErrors(groups.map { ErrorNotice(group: $0, type: "T", place: "") }, highest: highest)
  }

  @Test func `each new error is reported once, and a flood in one message an hour`() throws {
    let alert = try alert(.newError)
    let found = events(
      alert,
      [
        (errors([], highest: 7), time(0)), (errors([8], highest: 8), time(60)), (errors([], highest: 9), time(120)),
        (errors(Array(10...30), highest: 30), time(180)), (errors(Array(10...31), highest: 31), time(3_659)),
        (errors(Array(10...32), highest: 32), time(3_660)), (errors([], highest: 32), time(8_000)),
      ])
    #expect(found == [[], ["errors [8] of 1"], [], [], [], ["errors \(Array(10...19)) of 23"], []])
  }

  @Test func `an error that came back is reported once per closing`() throws {
    let alert = try alert(.errorCameBack)
    func returned(_ closings: [Int64: Int64], numbers: [Int64: Int64] = [:]) -> AlertObservation {
      .returnedErrors(
        closings.sorted { $0.key < $1.key }.map {
          ErrorNotice(group: $0, type: "T", place: "", version: "2.0", closed: $1)
        }, numbers: numbers)
    }
    let found = events(
      alert,
      [
        (returned([1: 10]), time(0)), (returned([1: 10, 2: 20]), time(60)), (returned([1: 10, 2: 20]), time(120)),
        (returned([2: 20]), time(180)), (returned([1: 30, 2: 20]), time(240)), (returned([1: 30, 2: 20]), time(3_660)),
        // Group 2 has become a part of group 5.
        (returned([1: 30, 5: 20], numbers: [1: 1, 2: 5]), time(9_000)),
        (returned([1: 30, 5: 20]), time(9_060)),
      ])
    #expect(found == [[], ["errors [2] of 1"], [], [], [], ["errors [1] of 1"], [], []])
  }

  @Test func `a problem of the server is over when it has been gone for a while`() throws {
    let alert = try alert(.serverProblem, app: nil)
    let problem = ProblemNotice(summary: "disk", detail: "x")
    let found = events(
      alert,
      [
        (.problems([problem]), time(0)), (.problems([]), time(60)), (.problems([problem]), time(120)),
        (.problems([]), time(1_019)), (.problems([ProblemNotice(summary: "cluster", detail: "")]), time(1_020)),
      ])
    #expect(found == [["problem disk"], [], [], [], ["problem cluster", "over disk"]])
  }

  @Test func `a muted alert ignores everything, and reports afterwards what still holds`() throws {
    let alert = try alert(.above(10, question), mutedUntil: time(100))
    #expect(
      events(alert, [(figure(1, 20), time(0)), (figure(2, 20), time(99)), (figure(2, 20), time(100))])
        == [[], [], ["breached"]])
  }

  @Test func `conditions are stored under names that don't change`() throws {
    let texts: [(AlertCondition, String)] = [
      (
        .above(1.5, question), #"{"kind":"above","limit":1.5,"page":"explore","period":"hour","query":"metric=events"}"#
      ),
      (.below(2, question), #"{"kind":"below","limit":2,"page":"explore","period":"hour","query":"metric=events"}"#),
      (
        .changed(byPercent: 3, question),
        #"{"kind":"changed","limit":3,"page":"explore","period":"hour","query":"metric=events"}"#
      ),
      (.crashFreeUsersBelow(percent: 99.5, .day), #"{"kind":"crash_free","limit":99.5,"period":"day"}"#),
      (.nothingArrived(hours: 4), #"{"hours":4,"kind":"silent"}"#), (.newError, #"{"kind":"new_error"}"#),
      (.errorCameBack, #"{"kind":"came_back"}"#), (.serverProblem, #"{"kind":"server"}"#),
    ]
    for (condition, text) in texts {
      #expect(String(decoding: AlertCondition.codec.encode(condition).encoded, as: UTF8.self) == text)
      let node = JSONNode(value: try JSONTree(parsing: Array(text.utf8)))
      #expect(try AlertCondition.codec.decode(node) == condition)
    }
  }

  @Test func `a message is tried for a day with growing pauses`() throws {
    var generator = FastGenerator(seed: 1)
    var now = time(1_000_000)
    let created = now
    var pauses: [Int64] = []
    while let next = DeliverySchedule.next(after: pauses.count + 1, created: created, now: now, using: &generator) {
      pauses.append(next.since(now).wholeMilliseconds / 1_000)
      now = next
    }
    #expect((45...60).contains(pauses[0]) && pauses.max() ?? 0 <= 3_600 && (24...40).contains(pauses.count))
    #expect(now.since(created) > .seconds(22 * 3_600) && now.since(created) <= DeliverySchedule.patience)
  }
}
