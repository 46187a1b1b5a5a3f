package import JSON
package import Warehouse

/// Persons by the intervals in which they were active.
package struct IntervalQuestion: Hashable, Sendable {
  package var scope: QuestionScope
  package var interval: TimeUnit

  package init(scope: QuestionScope = QuestionScope(), interval: TimeUnit = .day) {
    self.scope = scope
    self.interval = interval
  }

  /// The first day of the interval before the one in which a range begins.
  package func firstDayBefore(_ days: ClosedRange<Day>) -> Day {
    let first = QuestionCalendar.number(of: interval, on: days.lowerBound)
    let lastBefore = QuestionCalendar.firstDay(of: interval, number: first).advanced(by: -1)
    return QuestionCalendar.firstDay(of: interval, number: QuestionCalendar.number(of: interval, on: lastBefore))
  }
}

extension IntervalQuestion: ScopedQuestion {
  package static let standard = IntervalQuestion()
  package static let members: [JSONMember<IntervalQuestion>] = [.optional("interval", \.interval, .interval)]

  package var dimensions: [QuestionDimension] { [] }
}

extension JSONCodec<TimeUnit> {
  /// A day, a week or a month.
  static var interval: JSONCodec { .choice(of: [.day, .week, .month]) }
}
