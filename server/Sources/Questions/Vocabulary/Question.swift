package import Warehouse

/// A question about the rows of one app.
package enum Question: Equatable, Sendable {
  case query(QueryQuestion)
  case funnel(FunnelQuestion)
  case retention(RetentionQuestion)
  case paths(PathsQuestion)
  case lifecycle(IntervalQuestion)
  case stickiness(IntervalQuestion)
  case persons(PersonsQuestion)

  /// The kinds of questions, named as in addresses.
  package enum Kind: String, CaseIterable, Sendable {
    case query, funnel, retention, paths, lifecycle, stickiness, persons
  }
}

/// The part that all questions have: which rows, and who counts as one person.
package struct QuestionScope: Equatable, Sendable {
  package var range: QuestionRange
  /// Conditions that a row must pass, all of them.
  package var filters: [QuestionFilter]
  package var person: PersonKey

  package init(range: QuestionRange = .days(30), filters: [QuestionFilter] = [], person: PersonKey = .install) {
    self.range = range
    self.filters = filters
    self.person = person
  }
}

/// Metrics by dimensions.
package struct QueryQuestion: Equatable, Sendable {
  package var scope: QuestionScope
  package var metrics: [QuestionMetric]
  package var groups: [Group]
  package var order: [Order]
  package var comparesPreviousPeriod: Bool
  package var includesTotals: Bool
  package var includesTimeLabels: Bool
  package var includesTotalRows: Bool
  package var limit: Int
  package var offset: Int

  package init(
    scope: QuestionScope = QuestionScope(), metrics: [QuestionMetric], groups: [Group] = [], order: [Order] = [],
    comparesPreviousPeriod: Bool = false, includesTotals: Bool = false, includesTimeLabels: Bool = false,
    includesTotalRows: Bool = false, limit: Int = QueryQuestion.standardLimit, offset: Int = 0
  ) {
    self.scope = scope
    self.metrics = metrics
    self.groups = groups
    self.order = order
    self.comparesPreviousPeriod = comparesPreviousPeriod
    self.includesTotals = includesTotals
    self.includesTimeLabels = includesTimeLabels
    self.includesTotalRows = includesTotalRows
    self.limit = limit
    self.offset = offset
  }

  package static let standardLimit = 10_000

  /// A dimension, its numeric values in buckets if it has bins.
  package struct Group: Equatable, Sendable {
    package var dimension: QuestionDimension
    /// Ascending lower bounds of half-open buckets; empty for the values themselves.
    package var bins: [Double]

    package init(_ dimension: QuestionDimension, bins: [Double] = []) {
      self.dimension = dimension
      self.bins = bins
    }

    /// The name of the bucket of a value: `..0`, `0..10`, `10..`; `nil` for a value that is no number.
    package func bucket(of value: QuestionValue?) -> QuestionValue? {
      guard !bins.isEmpty else { return value }
      guard let number = value?.number else { return nil }
      let index = bins.firstIndex { number < $0 } ?? bins.count
      let lower = index == 0 ? "" : QuestionJSON.plain(bins[index - 1])
      let upper = index == bins.count ? "" : QuestionJSON.plain(bins[index])
      return .text("\(lower)..\(upper)")
    }
  }

  /// A column that orders the results.
  package struct Order: Equatable, Sendable {
    package var column: Column
    package var isDescending: Bool

    package init(_ column: Column, isDescending: Bool = false) {
      self.column = column
      self.isDescending = isDescending
    }

    /// The index of a metric or of a dimension.
    package enum Column: Equatable, Sendable {
      case metric(Int)
      case group(Int)
    }
  }

  /// The order of the results: as asked, else by time, else by the first metric descending; ties by all dimensions.
  package var effectiveOrder: [Order] {
    let ties = groups.indices.map { Order(.group($0)) }
    if !order.isEmpty { return order + ties }
    let times = groups.indices.filter { if case .time = groups[$0].dimension { true } else { false } }
    return (times.isEmpty ? [Order(.metric(0), isDescending: true)] : times.map { Order(.group($0)) }) + ties
  }
}

/// Steps that persons take one after the other.
package struct FunnelQuestion: Equatable, Sendable {
  package var scope: QuestionScope
  package var steps: [Selector]
  package var order: FunnelOrder
  /// The longest time from an attempt's first row to its last, in milliseconds.
  package var window: Int64
  package var exclusions: [Exclusion]
  package var breakdown: QuestionDimension?

  package init(
    scope: QuestionScope = QuestionScope(), steps: [Selector], order: FunnelOrder = .ordered,
    window: Int64 = FunnelQuestion.standardWindow, exclusions: [Exclusion] = [], breakdown: QuestionDimension? = nil
  ) {
    self.scope = scope
    self.steps = steps
    self.order = order
    self.window = window
    self.exclusions = exclusions
    self.breakdown = breakdown
  }

  package static let standardWindow: Int64 = 14 * 86_400_000

  /// Rows that end an attempt that has taken at least `from` steps and fewer than `to`.
  package struct Exclusion: Equatable, Sendable {
    package var selector: Selector
    package var from: Int
    package var to: Int

    package init(_ selector: Selector, from: Int, to: Int) {
      self.selector = selector
      self.from = from
      self.to = to
    }
  }
}

/// The order in which the steps of a funnel must be taken.
package enum FunnelOrder: String, CaseIterable, Sendable {
  case ordered, strict, unordered
}

/// Persons who come back after they started.
package struct RetentionQuestion: Equatable, Sendable {
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

/// The sequences of screens and events within sessions.
package struct PathsQuestion: Equatable, Sendable {
  package var scope: QuestionScope
  package var nodes: Nodes
  package var anchor: Anchor
  /// The most nodes of one path.
  package var depth: Int
  /// The most edges of the answer.
  package var limit: Int

  package init(
    scope: QuestionScope = QuestionScope(), nodes: Nodes = .screens, anchor: Anchor = .sessionStart, depth: Int = 5,
    limit: Int = 50
  ) {
    self.scope = scope
    self.nodes = nodes
    self.anchor = anchor
    self.depth = depth
    self.limit = limit
  }

  package enum Nodes: String, CaseIterable, Sendable {
    case screens, events, both
  }

  /// The place at which paths begin.
  package enum Anchor: Equatable, Sendable {
    case sessionStart
    /// Forwards from a session's first matching row.
    case start(Selector)
    /// Backwards from a session's last matching row.
    case end(Selector)
  }
}

/// Persons by the intervals in which they were active.
package struct IntervalQuestion: Equatable, Sendable {
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
