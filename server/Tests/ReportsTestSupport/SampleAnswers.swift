import Ingest
package import Questions
import TernEvents
import Warehouse

/// Questions with answers of every kind, with numbers and texts that are easily written wrong.
package enum SampleAnswers {
  package static let days = QuestionRange.dates(
    Day(year: 2026, month: 10, day: 26), Day(year: 2026, month: 10, day: 28))
  package static let scope = QuestionScope(range: days)

  /// A text that means something in CSV, HTML, spreadsheets and scripts.
  package static let hostile = "=cmd|'\"<script>alert(1)</script>, \u{202E}\u{1F600}\n"

  package static func question(_ kind: Question.Kind) -> Question {
    switch kind {
    case .query:
      .query(
        QueryQuestion(
          scope: scope, metrics: [.plain(.users), .property(.avg, ExactText("Length"))],
          groups: [.init(.time(.day)), .init(.property("Genre"))], comparesPreviousPeriod: true, includesTotals: true,
          includesTimeLabels: true, includesTotalRows: true))
    case .funnel:
      .funnel(FunnelQuestion(scope: scope, steps: [Selector(.screen("Home")), Selector(.event("Play"))]))
    case .retention: .retention(RetentionQuestion(scope: scope, interval: .day, intervals: 2))
    case .paths: .paths(PathsQuestion(scope: scope))
    case .lifecycle: .lifecycle(IntervalQuestion(scope: scope))
    case .stickiness: .stickiness(IntervalQuestion(scope: scope))
    case .persons: .persons(PersonsQuestion(scope: scope, limit: 2))
    case .releases:
      .releases(
        ReleasesQuestion(
          scope: scope,
          conversions: [
            .funnel(FunnelQuestion(steps: [Selector(.screen("Home")), Selector(.event("Play"))])),
            .perUser(Selector(.event("Purchase"))),
          ]))
    }
  }

  package static func answer(_ kind: Question.Kind) -> Answer {
    switch kind {
    case .query: .query(query)
    case .funnel: .funnel(FunnelAnswer(groups: [.init(value: nil, steps: 2, attempts: [[0, 2_500], [0]])]))
    case .retention:
      .retention(
        RetentionAnswer(
          cohorts: [
            .init(value: nil, interval: "2026-10-26", values: [10, 4, 1]),
            .init(value: nil, interval: "2026-10-27", values: [3, 0, 0]),
          ], partial: ["2026-10-28"]))
    case .paths:
      .paths(
        PathsAnswer(
          edges: [
            .init(
              step: 1, from: .init(isScreen: true, name: .text("Home")),
              to: .init(isScreen: false, name: .text(hostile)), sessions: 5)
          ], other: [2], ended: [1, 7]))
    case .lifecycle: .lifecycle([interval])
    case .stickiness: .stickiness([5, 0, 2])
    case .persons: .persons(persons)
    case .releases: .releases(releases)
    }
  }

  /// Two releases, the newer of which fell behind in one figure.
  private static var releases: ReleasesAnswer {
    let first = Day(year: 2026, month: 10, day: 26)
    func figures(_ crashed: Int, _ taken: Int, _ sum: Int) -> ReleasesAnswer.Figures {
      ReleasesAnswer.Figures(
        users: 400, crashedUsers: crashed, sessions: 900, crashedSessions: crashed + 1,
        conversions: [
          .share(Share(taken, of: 50)), .mean(Mean(users: 400, sum: sum, squares: Double(sum) * 3)),
        ])
    }
    return ReleasesAnswer(
      releases: [
        .init(
          version: hostile, firstDay: first, dayUsers: [4, 100, 300], figures: figures(8, 20, 500),
          newErrors: [4, 7, 11],
          comparison: .init(
            previous: "1.9 (7)", days: 2, previousFirstDay: first.advanced(by: -20), release: figures(8, 20, 500),
            before: figures(2, 21, 900))),
        .init(
          version: "1.9 (7)", firstDay: nil, dayUsers: [390, 300, 90], figures: figures(2, 21, 900), newErrors: [],
          comparison: nil),
      ], days: ["2026-10-26", "2026-10-27", "2026-10-28"], dayUsers: [400, 400, 0], otherUsers: [10, 5, 0])
  }

  /// Two rows of a person, newest first.
  package static var trail: [TrailRow] { trail(hostile) }

  package static func trail(_ text: String) -> [TrailRow] {
    var device = IncomingDevice(osName: text, model: text, country: text, appVersion: text)
    let crash = StoredEvent(
      id: 4_711, kind: .crash, name: text, time: Timestamp(millisecondsSince1970: 1_780_135_200_250),
      received: Timestamp(millisecondsSince1970: 1_780_135_201_000), install: 7, user: text, device: device,
      properties: [
        .init(name: text, value: .string(text)), .init(name: "n", value: .double(2)),
        .init(name: "big", value: .integer(.max)), .init(name: "at", value: .date(Timestamp(millisecondsSince1970: 0))),
      ])
    device.appVersion = "1.0"
    let start = StoredEvent(
      id: 4_700, kind: .sessionStart, name: "", time: Timestamp(millisecondsSince1970: 1_780_135_100_000),
      received: Timestamp(millisecondsSince1970: 1_780_135_101_000), install: 7, user: "", device: device,
      properties: [])
    return [
      TrailRow(crash, session: 9_007_199_254_740_993),
      TrailRow(start, session: 9_007_199_254_740_993, startsSession: true),
    ]
  }

  /// A summary of a person whose texts are all the same.
  package static func summary(_ text: String) -> PersonSummary {
    var summary = PersonSummary(first: 0, last: 1_780_135_200_250)
    (summary.events, summary.sessions, summary.errors, summary.crashes) = (1_234, 12, 3, 1)
    var device = PersonSummary.Device()
    (device.version, device.os, device.model, device.country, device.language) = (text, text, text, text, text)
    summary.devices = [device, PersonSummary.Device()]
    summary.others = [.user(text), .install(text)]
    summary.identifiers = [text]
    return summary
  }

  package static func result(_ kind: Question.Kind) -> QuestionResult { QuestionResult(answer(kind), rowsRead: 42) }

  /// The answer with as many metrics as the question asks for.
  package static func result(_ question: Question) -> QuestionResult {
    guard case .query(let question) = question else { return result(question.kind) }
    func fitted(_ metrics: [Double?]) -> [Double?] {
      question.metrics.indices.map { metrics.indices.contains($0) ? metrics[$0] : 0.5 }
    }
    var answer = query
    for index in answer.rows.indices { answer.rows[index].metrics = fitted(answer.rows[index].metrics) }
    answer.totals = answer.totals.map(fitted)
    answer.comparedTotals = answer.comparedTotals.map(fitted)
    return QuestionResult(.query(answer), rowsRead: 42)
  }

  private static var query: QueryAnswer {
    var answer = QueryAnswer()
    answer.rows = [
      .init(dimensions: [.text("2026-10-26"), .text(hostile)], metrics: [812, 0.1], compared: [790, nil]),
      .init(
        dimensions: [.text("2026-10-27"), .number(2.5)], metrics: [9_007_199_254_740_991, .infinity],
        compared: [0, 1e-7]),
      .init(dimensions: [.text("2026-10-28"), nil], metrics: [0, nil], compared: nil),
    ]
    answer.totals = [812, 0.1]
    answer.comparedTotals = [790, nil]
    answer.timeLabels = ["2026-10-26", "2026-10-27", "2026-10-28"]
    answer.totalRows = 3
    return answer
  }

  private static var interval: LifecycleInterval {
    var interval = LifecycleInterval(interval: "2026-10-26")
    (interval.new, interval.returning, interval.resurrected, interval.dormant) = (1, 2, 3, 4)
    return interval
  }

  private static var persons: PersonsAnswer {
    let first = PersonsCursor(time: 1_793_100_000_000, row: 9)
    var one = PersonsAnswer.Person(install: "7", user: hostile, firstSeen: 1_790_000_000_000, last: first)
    (one.events, one.sessions, one.version, one.model, one.country) = (12, 3, "3.2.0 (418)", "iPhone17,1", "DE")
    let two = PersonsAnswer.Person(
      install: "8", firstSeen: 1_793_000_000_000, last: PersonsCursor(time: 1_793_000_000_000, row: 3))
    return PersonsAnswer(persons: [one, two], total: 9)
  }
}
