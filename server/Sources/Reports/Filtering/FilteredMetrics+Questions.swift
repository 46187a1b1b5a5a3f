import Questions
package import Warehouse

/// A read of a store that a page is about to make; the methods of ``MetricsStore`` have the same names.
package enum MetricsRead: Sendable {
  case overview(ClosedRange<Day>)
  case largest(Dimension, ClosedRange<Day>, limit: Int)
  case total(Dimension, key: String, ClosedRange<Day>)
  case series(Dimension, key: String, ClosedRange<Day>)
  case properties(event: String, ClosedRange<Day>)
}

extension MetricsStore {
  /// Returns a store with the same metrics that makes some reads at once, if that takes less time than one after the other.
  package func preparing(_ reads: [MetricsRead], app: AppID) async throws -> any MetricsStore {
    guard let filtered = self as? FilteredMetrics else { return self }
    return try await filtered.preparing(reads, app: app)
  }
}

extension FilteredMetrics {
  func question(
    _ metrics: [QuestionMetric], by groups: [QuestionDimension], _ filters: [QuestionFilter], _ days: ClosedRange<Day>
  ) -> QueryQuestion {
    QueryQuestion(
      scope: QuestionScope(range: .dates(days.lowerBound, days.upperBound), filters: filters), metrics: metrics,
      groups: groups.map { .init($0) }, limit: .max)
  }

  func overviewQuestion(_ days: ClosedRange<Day>) -> QueryQuestion? {
    guard let sessions = Counted(.session, filters)?.metric else { return nil }
    var question = question([.plain(.events), sessions, .plain(.users)], by: [.time(.day)], filters, days)
    question.includesTotals = true
    return question
  }

  func largestQuestion(_ counted: Counted, _ days: ClosedRange<Day>, limit: Int) -> QueryQuestion {
    var question = totalsQuestion(counted, nil, days, limit: limit)
    question.includesTotals = true
    return question
  }

  /// - Parameter keys: The keys to count; `nil` for all.
  func totalsQuestion(
    _ counted: Counted, _ keys: [String]?, _ days: ClosedRange<Day>, limit: Int = .max
  ) -> QueryQuestion {
    var question = question(
      [counted.metric, .plain(.users)], by: counted.group.map { [$0] } ?? [],
      filters + (keys.map(counted.filter) ?? []) + counted.own, days)
    question.limit = limit
    return question
  }

  func seriesQuestion(_ counted: Counted, _ key: String, _ days: ClosedRange<Day>) -> QueryQuestion {
    question([counted.metric, .plain(.users)], by: [.time(.day)], filters + counted.filter([key]), days)
  }

  func propertyQuestion(_ name: String, _ event: String, _ days: ClosedRange<Day>) -> QueryQuestion {
    let own: [QuestionFilter] = [.isOneOf(.event, [.text(event)]), .isSet(.property(name))]
    var question = question([.plain(.events), .plain(.users)], by: [.property(name)], filters + own, days)
    question.includesTotals = true
    return question
  }
}

/// A dimension of stored counts in the vocabulary of questions.
struct Counted {
  var metric: QuestionMetric
  var group: QuestionDimension?

  /// Returns `nil` for dimensions that questions do not know.
  init?(_ dimension: Dimension, _ filters: [QuestionFilter]) {
    switch dimension {
    case .total: (metric, group) = (.plain(.events), nil)
    case .event: (metric, group) = (.plain(.events), .event)
    case .screen: (metric, group) = (.plain(.screens), .screen)
    case .version: (metric, group) = (.plain(.events), .version)
    case .os: (metric, group) = (.plain(.events), .os)
    case .model: (metric, group) = (.plain(.events), .model)
    case .country: (metric, group) = (.plain(.events), .country)
    case .language: (metric, group) = (.plain(.events), .language)
    // The row that begins a session has no name and no properties: then sessions with a row that passes are counted.
    case .session:
      (metric, group) = (.plain(filters.contains(where: \.namesRows) ? .sessions : .sessionStarts), nil)
    case .dropped, .property, .kind: return nil
    }
  }

  /// The filters of rows that count at all: only rows of an event or screen have its name.
  var own: [QuestionFilter] { group == .event || group == .screen ? group.map { [.isSet($0)] } ?? [] : [] }

  /// The filter for some keys.
  func filter(_ keys: [String]) -> [QuestionFilter] {
    guard let group else { return [] }
    let set = QuestionFilter.isOneOf(group, keys.filter { !$0.isEmpty }.map { .text($0) })
    return [keys.contains("") ? .any([set, .isNotSet(group)]) : set]
  }
}

extension QuestionFilter {
  /// True if the filter is about what a row itself says, rather than about its device, its time or its person.
  fileprivate var namesRows: Bool {
    switch self {
    case .isOneOf(let dimension, _), .isNoneOf(let dimension, _), .contains(let dimension, _),
      .compare(_, let dimension, _), .isSet(let dimension), .isNotSet(let dimension):
      switch dimension {
      case .event, .screen, .kind, .property: true
      default: false
      }
    case .all(let filters), .any(let filters): filters.contains(where: \.namesRows)
    case .not(let filter): filter.namesRows
    case .isError: true
    case .hasDone, .hasNotDone: false
    }
  }
}
