package import JSON

/// Persons who come back after they started.
package struct RetentionQuestion: Hashable, Sendable {
  package var scope: QuestionScope
  package var start: Selector
  package var comesBack: Selector
  package var interval: TimeUnit
  package var intervals: Int
  package var cohort: Cohort
  package var mode: Mode
  package var breakdown: QuestionDimension?

  package init(
    scope: QuestionScope = QuestionScope(), start: Selector = Selector(.any), comesBack: Selector = Selector(.any),
    interval: TimeUnit = .week, intervals: Int = 8, cohort: Cohort = .firstEver, mode: Mode = .on,
    breakdown: QuestionDimension? = nil
  ) {
    self.scope = scope
    self.start = start
    self.comesBack = comesBack
    self.interval = interval
    self.intervals = intervals
    self.cohort = cohort
    self.mode = mode
    self.breakdown = breakdown
  }

  package enum Cohort: String, CaseIterable, Sendable {
    /// The interval of the first matching row of all that is stored.
    case firstEver = "first_ever"
    /// Every interval with a matching row.
    case recurring
  }

  package enum Mode: String, CaseIterable, Sendable {
    /// Back in exactly that interval.
    case on
    /// Back in that interval or a later one.
    case onOrAfter = "on_or_after"
  }
}

extension RetentionQuestion: ScopedQuestion {
  /// The most intervals after the first.
  static let maximumIntervals = 366

  package static let standard = RetentionQuestion()
  package static let members: [JSONMember<RetentionQuestion>] = [
    .optional("start", \.start, .selector), .optional("return", \.comesBack, .selector),
    .optional("interval", \.interval, .interval), .optional("intervals", \.intervals, .integer(1...maximumIntervals)),
    .optional("cohort", \.cohort, .choice), .optional("mode", \.mode, .choice),
    .optional("breakdown", \.breakdown, .dimension),
  ]

  package var dimensions: [QuestionDimension] {
    start.dimensions + comesBack.dimensions + (breakdown.map { [$0] } ?? [])
  }
}
