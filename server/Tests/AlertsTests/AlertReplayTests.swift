import Questions
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import Alerts

/// The number of times that an alert would have fired, against alerts that run.
@Suite struct AlertReplayTests {
  /// A day or an hour of a random series.
  private struct Point {
    var value: Double?
    var users: Int
  }

  private static func series(_ numbers: [Int], _ generator: inout FastGenerator) -> [Int: Point] {
    Dictionary(
      uniqueKeysWithValues: numbers.map { number in
        let isEmpty = Int.random(in: 0..<12, using: &generator) == 0
        return (
          number,
          Point(
            value: isEmpty ? nil : Double(Int.random(in: 0...20, using: &generator)),
            users: Int.random(in: 0...60, using: &generator))
        )
      })
  }

  private static func condition(_ period: AlertPeriod, _ generator: inout FastGenerator) -> AlertCondition {
    let question = AlertQuestion(page: "explore", query: "metric=crash_free_users", period: period)
    let limit = Double(Int.random(in: 1...19, using: &generator))
    return switch Int.random(in: 0..<4, using: &generator) {
    case 0: .above(limit, question)
    case 1: .below(limit, question)
    case 2: .changed(byPercent: limit * 5, question)
    default: .crashFreeUsersBelow(percent: limit, period)
    }
  }

  @Test(arguments: 0..<120)
  func `the count before saving is the number of times that a running alert fires`(seed: UInt64) throws {
    var generator = FastGenerator(seed: seed)
    let zone = ["UTC", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia"][Int(seed % 4)]
    let calendar = try #require(QuestionCalendar(zone))
    let period = seed % 3 == 0 ? AlertPeriod.hour : .day
    let now = time("2026-11-28T15:00:00Z")
    let past = EndedPeriods.past(period, days: period == .day ? 90 : 9, at: now, in: calendar)
    #expect(past.count >= (period == .day ? 90 : 9 * 24 - 1))
    #expect(zip(past, past.dropFirst()).allSatisfy { $0.last == $1.before })
    let series = Self.series((past.first.map { [$0.before] } ?? []) + past.map(\.last), &generator)
    func figure(_ periods: EndedPeriods) -> PeriodFigure {
      let (point, before) = (series[periods.last], series[periods.before])
      return PeriodFigure(
        number: periods.last, label: periods.label, value: point?.value, before: before?.value,
        users: point?.users ?? 0, usersBefore: before?.users ?? 0, isCount: seed % 2 == 0)
    }
    let alert = try alert(Self.condition(period, &generator), minimum: Int.random(in: 0...30, using: &generator))
    // A running alert looks at irregular times, often at a day that it has decided on already.
    var machine = AlertMachine(alert, AlertState())
    var fired: [String] = []
    let first = try #require(past.first?.last)
    var moment = now - .seconds((period == .day ? 93 : 12) * 86_400)
    while moment <= now {
      moment = min(moment + .seconds(Int64.random(in: 120...1_500, using: &generator)), now)
      let recent = EndedPeriods.recent(period, at: moment, in: calendar)
      if let due = machine.state.due(recent, at: moment), due.last >= first {
        for case .breached(let figure) in machine.handle(.figure(figure(due)), now: moment) {
          fired.append(figure.label)
        }
      }
      if moment == now { break }
    }
    let replay = AlertReplay(alert, past.map(figure))
    #expect(replay.breaches.map(\.label) == fired, "\(alert.condition), at least \(alert.minimumUsers) users")
  }

  @Test func `a muted alert is counted as if it were not`() throws {
    let figures = [1.0, 20, 20, 3, 20].enumerated().map { index, value in
      PeriodFigure(
        number: index, label: "\(index)", value: value, before: nil, users: 0, usersBefore: 0, isCount: true)
    }
    let muted = try alert(.above(10, question), mutedUntil: time(1_000_000))
    #expect(AlertReplay(muted, figures).breaches.map(\.label) == ["1", "4"])
  }

  @Test func `the figures of all periods are read from the answers`() throws {
    let calendar = try #require(QuestionCalendar("UTC"))
    let now = time("2026-11-28T15:00:00Z")
    let query = QueryQuestion(scope: QuestionScope(range: .days(7)), metrics: [.plain(.events)])
    let past = PastPeriods(.day, of: .query(query), at: now, in: calendar)
    #expect(past.days == 90 && past.periods.count == 90 && past.periods.last?.label == "2026-11-27")
    let asked = try #require(past.questions.first)
    #expect(past.questions.count == 1)
    #expect(asked.scope.range.resolved(today: Day(number: 0)).count == 91)
    var answer = QueryAnswer()
    answer.rows = [.init(dimensions: [.text("2026-11-26")], metrics: [5, 2])]
    let figures = try #require(past.figures([.query(answer)]))
    #expect(figures.map(\.value).suffix(2) == [5, 0] && figures.last?.before == 5 && figures.last?.usersBefore == 2)
    for (index, periods) in past.periods.enumerated() {
      #expect(figures[index] == periods.figure(answer, of: .plain(.events)))
    }
    #expect(past.figures([]) == nil)

    let funnel = FunnelQuestion(scope: QuestionScope(), steps: [])
    let days = PastPeriods(.day, of: .funnel(funnel), at: now, in: calendar)
    #expect(days.questions.count == 31)
    let answers = (0...30).map { day in
      Answer.funnel(
        FunnelAnswer(groups: [.init(value: nil, steps: 2, attempts: Array(repeating: [0, 2], count: day) + [[0]])]))
    }
    let shares = try #require(days.figures(answers))
    #expect(shares.map(\.users) == (1...30).map { $0 + 1 })
    #expect(shares.last?.usersBefore == 30 && shares.first?.before == 0)
  }
}
