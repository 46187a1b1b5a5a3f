package import Ingest
package import Warehouse

/// A condition that a row passes or not.
package indirect enum QuestionFilter: Hashable, Sendable {
  case isOneOf(QuestionDimension, [QuestionValue])
  case isNoneOf(QuestionDimension, [QuestionValue])
  /// Passes if the value is a text that contains one of the texts, byte by byte.
  case contains(QuestionDimension, [ExactText])
  case compare(Comparison, QuestionDimension, Double)
  case isSet(QuestionDimension)
  case isNotSet(QuestionDimension)
  /// Passes for crashes and handled errors of a group.
  case isError(group: Int)
  case all([QuestionFilter])
  case any([QuestionFilter])
  case not(QuestionFilter)
  /// Passes for all rows of the persons with at least so many matching rows in the range, or in so many days up to its
  /// end.
  case hasDone(Selector, atLeast: Int, days: Int? = nil)
  /// Passes for all rows of the persons without a matching row in the range, or in so many days up to its end.
  case hasNotDone(Selector, days: Int? = nil)

  /// An order between a numeric property and a number.
  package enum Comparison: String, CaseIterable, Sendable {
    case gt, gte, lt, lte

    /// Returns true if a value stands in this order to a limit.
    package func holds(_ value: Double, _ limit: Double) -> Bool {
      switch self {
      case .gt: value > limit
      case .gte: value >= limit
      case .lt: value < limit
      case .lte: value <= limit
      }
    }
  }
}

/// A choice of rows by their kind and name.
package struct Selector: Hashable, Sendable {
  package var target: Target
  package var filters: [QuestionFilter]

  /// The rows that a selector names.
  package enum Target: Sendable {
    case event(String)
    case screen(String)
    case kind(QuestionKind)
    /// Any event or screen.
    case any
  }

  package init(_ target: Target, filters: [QuestionFilter] = []) {
    self.target = target
    self.filters = filters
  }
}

extension Selector.Target: Hashable {
  /// The kind, and the name, whose bytes decide.
  private var parts: [ExactText] {
    switch self {
    case .event(let name): [ExactText("event"), ExactText(name)]
    case .screen(let name): [ExactText("screen"), ExactText(name)]
    case .kind(let kind): [ExactText(kind.rawValue)]
    case .any: []
    }
  }

  package static func == (left: Selector.Target, right: Selector.Target) -> Bool { left.parts == right.parts }

  package func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}

extension QuestionFilter {
  /// The days in which a filter about persons counts their rows.
  ///
  /// - Parameters:
  ///   - count: The number of days that the filter names; `nil` for those of the range.
  ///   - range: The range of the question.
  package static func days(_ count: Int?, upTo range: ClosedRange<Day>) -> ClosedRange<Day> {
    count.map { range.upperBound.advanced(by: 1 - $0)...range.upperBound } ?? range
  }
}
