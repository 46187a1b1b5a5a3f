import Ingest
package import Questions
import TernBase
import TernEvents
package import Warehouse

/// The metrics of the rows that pass some filters, for the reports that otherwise read stored counts.
///
/// Without filters it answers as the store does, but for names beyond a day's allowance, which only stored counts
/// collect under "(other)".
package struct FilteredMetrics: ForwardingStore {
  /// Answers a question about the report's app; throws `QuestionError` beyond the limits.
  package typealias Ask = @Sendable (Question) async throws -> Answer
  /// Returns the numbers of the errors whose rows pass; throws as ``Ask`` does.
  package typealias FindErrors = @Sendable (QuestionScope) async throws -> [Int64]

  package let base: any MetricsStore
  private let filters: [QuestionFilter]
  private let ask: Ask
  private let findErrors: FindErrors

  package init(
    _ base: any MetricsStore, filters: [QuestionFilter], ask: @escaping Ask, findErrors: @escaping FindErrors
  ) {
    self.base = base
    self.filters = filters
    self.ask = ask
    self.findErrors = findErrors
  }
}

extension FilteredMetrics {
  package func dailyCounts(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> [DailyCount] {
    guard let counted = Counted(dimension, filters) else {
      return try await base.dailyCounts(app: app, dimension: dimension, days: days)
    }
    let groups = [.time(.day)] + (counted.group.map { [$0] } ?? [])
    return try await rows(question([counted.metric], by: groups, filters + counted.own, days)).compactMap { row in
      guard let day = Self.day(row), let count = Self.count(row, 0), count > 0 else { return nil }
      return DailyCount(day: day, key: counted.group == nil ? "" : Self.key(row.dimensions[1]), count: count)
    }
  }

  package func count(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> Int {
    guard let counted = Counted(dimension, filters) else {
      return try await base.count(app: app, dimension: dimension, days: days)
    }
    return try await rows([counted.metric], by: [], days).first.flatMap { Self.count($0, 0) } ?? 0
  }

  package func totals(
    app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int?
  ) async throws -> [KeyTotals] {
    guard let counted = Counted(dimension, filters) else {
      return try await base.totals(app: app, dimension: dimension, days: days, limit: limit)
    }
    return try await totals(counted, filters, days, limit: limit ?? .max)
  }

  package func totals(
    app: AppID, dimension: Dimension, keys: [String], days: ClosedRange<Day>
  ) async throws -> [KeyTotals] {
    guard let counted = Counted(dimension, filters) else {
      return try await base.totals(app: app, dimension: dimension, keys: keys, days: days)
    }
    let chosen = filters + counted.filter(keys)
    let found = Dictionary(
      try await totals(counted, chosen, days, limit: .max).map { ($0.key, $0) },
      uniquingKeysWith: { first, _ in first })
    return keys.map { found[$0] ?? KeyTotals(key: $0, count: 0, users: 0) }
  }

  package func series(
    app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>
  ) async throws -> [DailyTotals] {
    guard let counted = Counted(dimension, filters) else {
      return try await base.series(app: app, dimension: dimension, key: key, days: days)
    }
    let question = question([counted.metric, .plain(.users)], by: [.time(.day)], filters + counted.filter([key]), days)
    return try await rows(question).compactMap { row in
      Self.day(row).map { DailyTotals(day: $0, count: Self.count(row, 0) ?? 0, users: Self.count(row, 1) ?? 0) }
    }
  }

  /// Only the users of each day: those of the 7 and 30 days up to it would be two questions for each day.
  package func activity(app: AppID, days: ClosedRange<Day>) async throws -> [DailyActivity] {
    let users = Dictionary(
      try await rows([.plain(.users)], by: [.time(.day)], days).compactMap { row in
        Self.day(row).map { ($0, Self.count(row, 0) ?? 0) }
      }, uniquingKeysWith: { $1 })
    return days.map { DailyActivity(day: $0, daily: users[$0] ?? 0, weekly: nil, monthly: nil) }
  }

  package func dailyOverview(app: AppID, days: ClosedRange<Day>) async throws -> DailyOverview {
    guard let sessions = Counted(.session, filters)?.metric else {
      return DailyOverview(events: [], sessions: [], activity: [], users: 0)
    }
    var question = question([.plain(.events), sessions, .plain(.users)], by: [.time(.day)], filters, days)
    question.includesTotals = true
    guard case .query(let answer) = try await ask(.query(question)) else {
      return DailyOverview(events: [], sessions: [], activity: [], users: 0)
    }
    let rows = Dictionary(answer.rows.compactMap { row in Self.day(row).map { ($0, row) } }, uniquingKeysWith: { $1 })
    func counts(_ index: Int) -> [DailyCount] {
      days.compactMap { day in
        rows[day].flatMap { Self.count($0, index) }.flatMap { $0 > 0 ? DailyCount(day: day, key: "", count: $0) : nil }
      }
    }
    return DailyOverview(
      events: counts(0), sessions: counts(1),
      activity: days.map { day in
        DailyActivity(day: day, daily: rows[day].flatMap { Self.count($0, 2) } ?? 0, weekly: nil, monthly: nil)
      }, users: (answer.totals?[2]).map(Self.count) ?? 0)
  }

  package func largest(
    app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int
  ) async throws -> (rows: [KeyTotals], count: Int) {
    guard let counted = Counted(dimension, filters) else {
      return try await base.largest(app: app, dimension: dimension, days: days, limit: limit)
    }
    guard limit > 0 else { return ([], try await count(app: app, dimension: dimension, days: days)) }
    var question = question(
      [counted.metric, .plain(.users)], by: counted.group.map { [$0] } ?? [], filters + counted.own, days)
    question.limit = limit
    question.includesTotals = true
    guard case .query(let answer) = try await ask(.query(question)) else { return ([], 0) }
    return (answer.rows.map { Self.totals($0, counted) }, (answer.totals?[0]).map(Self.count) ?? 0)
  }

  private static func totals(_ row: QueryAnswer.Row, _ counted: Counted) -> KeyTotals {
    KeyTotals(
      key: counted.group == nil ? "" : key(row.dimensions[0]), count: count(row, 0) ?? 0, users: count(row, 1) ?? 0)
  }

  private func totals(
    _ counted: Counted, _ filters: [QuestionFilter], _ days: ClosedRange<Day>, limit: Int
  ) async throws -> [KeyTotals] {
    guard limit > 0 else { return [] }
    var question = question(
      [counted.metric, .plain(.users)], by: counted.group.map { [$0] } ?? [], filters + counted.own, days)
    question.limit = limit
    return try await rows(question).map { Self.totals($0, counted) }
  }

  /// The values of the event's most frequent properties: as many as one event may have, with one question for each.
  package func properties(
    app: AppID, event: String, days: ClosedRange<Day>, limit: Int
  ) async throws -> [PropertyTotals] {
    let names = try await base.properties(app: app, event: event, days: days, limit: 1).map(\.property)
    let asked = Array(names.prefix(NativeProtocol.maximumProperties))
    // Two at a time, as questions are answered.
    async let half = values(of: asked.prefix(asked.count / 2), event, days, limit)
    let rest = try await values(of: asked.suffix(from: asked.count / 2), event, days, limit)
    return (try await half + rest).sorted { ($1.count, $0.property) < ($0.count, $1.property) }
  }

  private func values(
    of names: ArraySlice<String>, _ event: String, _ days: ClosedRange<Day>, _ limit: Int
  ) async throws -> [PropertyTotals] {
    var properties: [PropertyTotals] = []
    for name in names {
      let own: [QuestionFilter] = [.isOneOf(.event, [.text(event)]), .isSet(.property(name))]
      var question = question([.plain(.events), .plain(.users)], by: [.property(name)], filters + own, days)
      question.includesTotals = true
      guard case .query(let answer) = try await ask(.query(question)),
        let count = answer.totals?.first?.map(Self.count),
        count > 0
      else { continue }
      let values = answer.rows.map { row in
        KeyTotals(key: Self.key(row.dimensions[0]), count: Self.count(row, 0) ?? 0, users: Self.count(row, 1) ?? 0)
      }
      // Stored values are ordered as texts, also those that are numbers.
      let ranked = values.sorted { ($1.count, $0.key) < ($0.count, $1.key) }.prefix(limit)
      properties.append(PropertyTotals(property: name, count: count, values: Array(ranked), isCapped: false))
    }
    return properties
  }

  package func errorGroups(
    app: AppID, group: Int64?, days: ClosedRange<Day>, among chosen: Set<Int64>?, limit: Int
  ) async throws -> [ErrorGroup] {
    let passing = try await errors(days, chosen)
    return try await base.errorGroups(app: app, group: group, days: days, among: passing, limit: limit)
  }

  package func errors(
    app: AppID, group: Int64, days: ClosedRange<Day>, among chosen: Set<Int64>?, limit: Int
  ) async throws -> [ErrorOccurrence] {
    let passing = try await errors(days, chosen)
    return try await base.errors(app: app, group: group, days: days, among: passing, limit: limit)
  }

  /// The numbers of the errors that pass.
  private func errors(_ days: ClosedRange<Day>, _ chosen: Set<Int64>?) async throws -> Set<Int64> {
    let scope = QuestionScope(range: .dates(days.lowerBound, days.upperBound), filters: filters)
    let passing = Set(try await findErrors(scope))
    return chosen.map { passing.intersection($0) } ?? passing
  }

  private func question(
    _ metrics: [QuestionMetric], by groups: [QuestionDimension], _ filters: [QuestionFilter], _ days: ClosedRange<Day>
  ) -> QueryQuestion {
    QueryQuestion(
      scope: QuestionScope(range: .dates(days.lowerBound, days.upperBound), filters: filters), metrics: metrics,
      groups: groups.map { .init($0) }, limit: .max)
  }

  private func rows(
    _ metrics: [QuestionMetric], by groups: [QuestionDimension], _ days: ClosedRange<Day>
  ) async throws -> [QueryAnswer.Row] {
    try await rows(question(metrics, by: groups, filters, days))
  }

  private func rows(_ question: QueryQuestion) async throws -> [QueryAnswer.Row] {
    guard case .query(let answer) = try await ask(.query(question)) else { return [] }
    return answer.rows
  }

  private static func day(_ row: QueryAnswer.Row) -> Day? {
    row.dimensions.first.flatMap { $0?.text }.flatMap { Day($0) }
  }

  private static func key(_ value: QuestionValue?) -> String { value?.plainText ?? "" }

  private static func count(_ row: QueryAnswer.Row, _ index: Int) -> Int? { row.metrics[index].map(count) }

  private static func count(_ metric: Double) -> Int { Int(clamping: metric) }
}

/// A dimension of stored counts in the vocabulary of questions.
private struct Counted {
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
