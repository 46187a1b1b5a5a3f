package import Questions
package import TernEvents
package import Warehouse

/// A period that has ended, and the one before.
package struct EndedPeriods: Sendable, Hashable {
  /// The time from a period's end to its evaluation, in which the events of its last minutes arrive.
  package static let settling: Duration = .seconds(600)
  /// The number of days after which a day's figure is final.
  static let followedDays = 3

  package let unit: TimeUnit
  /// The numbers of the periods in the app's calendar.
  package let last: Int
  package let before: Int

  /// Finds the last period; `nil` if the calendar has none.
  package init?(_ period: AlertPeriod, at now: Timestamp, in calendar: QuestionCalendar) {
    guard let newest = Self.recent(period, at: now, in: calendar).last else { return nil }
    self = newest
  }

  private init(_ unit: TimeUnit, last: Int, before: Int) {
    (self.unit, self.last, self.before) = (unit, last, before)
  }

  /// Finds the periods that may be decided on, oldest first: the last hour that has ended, or the last three days.
  ///
  /// An hour that clocks show twice is one period. Hours and days that they skip are none.
  package static func recent(
    _ period: AlertPeriod, at now: Timestamp, in calendar: QuestionCalendar
  ) -> [EndedPeriods] {
    let count = period == .hour ? 1 : followedDays
    // One more for the period before the first, and one that clocks may skip.
    return ended(period.unit, inLast: count + 2, at: now, in: calendar).suffix(count)
  }

  /// Finds the periods of the last days that have ended, oldest first.
  package static func past(
    _ period: AlertPeriod, days: Int, at now: Timestamp, in calendar: QuestionCalendar
  ) -> [EndedPeriods] {
    // The first day of a range has no day before it.
    ended(period.unit, inLast: period == .day ? days + 1 : days, at: now, in: calendar)
  }

  private static func ended(
    _ unit: TimeUnit, inLast days: Int, at now: Timestamp, in calendar: QuestionCalendar
  ) -> [EndedPeriods] {
    let time = (now - settling).millisecondsSince1970
    let (current, today) = (calendar.number(of: unit, at: time), calendar.day(of: time))
    let ended = calendar.numbers(of: unit, in: today.advanced(by: -days)...today).filter { $0 < current }
    return zip(ended, ended.dropFirst()).map { EndedPeriods(unit, last: $1, before: $0) }
  }

  /// The days that contain both periods.
  package var days: ClosedRange<Day> {
    QuestionCalendar.firstDay(of: unit, number: before)...QuestionCalendar.firstDay(of: unit, number: last)
  }

  /// The name of the last period.
  package var label: String { QuestionCalendar.label(of: unit, number: last) }

  /// Returns the question for the figures and users of both periods; `nil` if the query has no metric.
  package func question(_ query: QueryQuestion) -> Question? { Self.question(query, over: days, unit) }

  /// Returns the question for the figures and users of the periods of some days; `nil` if the query has no metric.
  static func question(_ query: QueryQuestion, over days: ClosedRange<Day>, _ unit: TimeUnit) -> Question? {
    guard let metric = query.metrics.first else { return nil }
    return .query(
      QueryQuestion(
        scope: QuestionScope(
          range: .dates(days.lowerBound, days.upperBound), filters: query.scope.filters, person: query.scope.person),
        metrics: [metric, .plain(.users)], groups: [.init(.time(unit))]))
  }

  /// Reads the figure of the last period from the answer.
  package func figure(_ answer: QueryAnswer, of metric: QuestionMetric) -> PeriodFigure {
    figure(Self.rows(of: answer), of: metric)
  }

  /// The rows of an answer by the names of their periods.
  static func rows(of answer: QueryAnswer) -> [String: QueryAnswer.Row] {
    Dictionary(answer.rows.map { ($0.dimensions.first??.text ?? "", $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Reads the figure of the last period from the rows of an answer.
  func figure(_ rows: [String: QueryAnswer.Row], of metric: QuestionMetric) -> PeriodFigure {
    func row(_ number: Int) -> (value: Double?, users: Int) {
      let row = rows[QuestionCalendar.label(of: unit, number: number)]
      // Answers leave out periods without rows.
      let value = row?.metrics.first ?? nil
      return (value.map(metric.unit.figure) ?? (metric.isCount ? 0 : nil), Int(row?.metrics.last.flatMap(\.self) ?? 0))
    }
    let (now, earlier) = (row(last), row(before))
    return PeriodFigure(
      number: last, label: label, value: now.value, before: earlier.value, users: now.users,
      usersBefore: earlier.users, isCount: metric.isCount)
  }
}

extension QuestionMetric {
  /// True if the metric gets worse with crashes.
  package var isAboutCrashes: Bool {
    switch self {
    case .plain(.crashes), .plain(.crashFreeUsers), .plain(.crashFreeSessions): true
    case .derived: terms.contains { $0.metric.isAboutCrashes }
    case .plain, .property: false
    }
  }

  /// True if the metric is 0 where there are no rows; false if it is unknown there.
  package var isCount: Bool {
    switch self {
    case .plain(let plain):
      switch plain {
      case .events, .screens, .errors, .crashes, .users, .newUsers, .sessions, .sessionStarts: true
      case .eventsPerUser, .sessionsPerUser, .sessionDurationAverage, .sessionDurationMedian, .sessionDurationP90,
        .crashFreeUsers, .crashFreeSessions:
        false
      }
    case .property(let aggregate, _): aggregate == .sum
    case .derived(let derived): derived.divisor == nil && derived.term.metric.isCount
    }
  }
}
