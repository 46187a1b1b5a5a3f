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
  /// Returns the numbers of the errors whose rows pass; throws as the asker does.
  package typealias FindErrors = @Sendable (QuestionScope) async throws -> [Int64]

  package let base: any MetricsStore
  let filters: [QuestionFilter]
  private(set) var ask: QuestionAsker
  private let findErrors: FindErrors

  /// - Parameter ask: Answers questions about the report's app.
  package init(
    _ base: any MetricsStore, filters: [QuestionFilter], ask: QuestionAsker, findErrors: @escaping FindErrors
  ) {
    self.base = base
    self.filters = filters
    self.ask = ask
    self.findErrors = findErrors
  }
}

extension FilteredMetrics {
  /// Returns a store that has the answers to some reads, for which it asked together.
  func preparing(_ reads: [MetricsRead], app: AppID) async throws -> FilteredMetrics {
    var questions: [QueryQuestion] = []
    for read in reads {
      switch read {
      case .overview(let days): questions += overviewQuestion(days).map { [$0] } ?? []
      case .largest(let dimension, let days, let limit):
        questions += Counted(dimension, filters).map { [largestQuestion($0, days, limit: limit)] } ?? []
      case .total(let dimension, let key, let days):
        questions += Counted(dimension, filters).map { [totalsQuestion($0, [key], days)] } ?? []
      case .series(let dimension, let key, let days):
        questions += Counted(dimension, filters).map { [seriesQuestion($0, key, days)] } ?? []
      case .properties(let event, let days):
        questions += try await propertyNames(app, event, days).map { propertyQuestion($0, event, days) }
      }
    }
    var prepared = self
    prepared.ask = await ask.preparing(questions.map { .query($0) })
    return prepared
  }

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
    if let limit, limit <= 0 { return [] }
    return try await rows(totalsQuestion(counted, nil, days, limit: limit ?? .max)).map { Self.totals($0, counted) }
  }

  package func totals(
    app: AppID, dimension: Dimension, keys: [String], days: ClosedRange<Day>
  ) async throws -> [KeyTotals] {
    guard let counted = Counted(dimension, filters) else {
      return try await base.totals(app: app, dimension: dimension, keys: keys, days: days)
    }
    let found = Dictionary(
      try await rows(totalsQuestion(counted, keys, days)).map { Self.totals($0, counted) }.map { ($0.key, $0) },
      uniquingKeysWith: { first, _ in first })
    return keys.map { found[$0] ?? KeyTotals(key: $0, count: 0, users: 0) }
  }

  package func series(
    app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>
  ) async throws -> [DailyTotals] {
    guard let counted = Counted(dimension, filters) else {
      return try await base.series(app: app, dimension: dimension, key: key, days: days)
    }
    return try await rows(seriesQuestion(counted, key, days)).compactMap { row in
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
    guard let question = overviewQuestion(days), let answer = try await answer(question) else {
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
    guard let answer = try await answer(largestQuestion(counted, days, limit: limit)) else { return ([], 0) }
    return (answer.rows.map { Self.totals($0, counted) }, (answer.totals?[0]).map(Self.count) ?? 0)
  }

  private static func totals(_ row: QueryAnswer.Row, _ counted: Counted) -> KeyTotals {
    KeyTotals(
      key: counted.group == nil ? "" : key(row.dimensions[0]), count: count(row, 0) ?? 0, users: count(row, 1) ?? 0)
  }

  /// The values of the event's most frequent properties: as many as one event may have, with one question for each.
  package func properties(
    app: AppID, event: String, days: ClosedRange<Day>, limit: Int
  ) async throws -> [PropertyTotals] {
    let names = try await propertyNames(app, event, days)
    let ask = await ask.preparing(names.map { .query(propertyQuestion($0, event, days)) })
    var properties: [PropertyTotals] = []
    for name in names {
      guard case .query(let answer) = try await ask(.query(propertyQuestion(name, event, days))).answer,
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
    return properties.sorted { ($1.count, $0.property) < ($0.count, $1.property) }
  }

  private func propertyNames(_ app: AppID, _ event: String, _ days: ClosedRange<Day>) async throws -> [String] {
    try await base.properties(app: app, event: event, days: days, limit: 1).prefix(NativeProtocol.maximumProperties)
      .map(\.property)
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

  private func rows(
    _ metrics: [QuestionMetric], by groups: [QuestionDimension], _ days: ClosedRange<Day>
  ) async throws -> [QueryAnswer.Row] {
    try await rows(question(metrics, by: groups, filters, days))
  }

  private func rows(_ question: QueryQuestion) async throws -> [QueryAnswer.Row] {
    try await answer(question)?.rows ?? []
  }

  private func answer(_ question: QueryQuestion) async throws -> QueryAnswer? {
    guard case .query(let answer) = try await ask(.query(question)).answer else { return nil }
    return answer
  }

  private static func day(_ row: QueryAnswer.Row) -> Day? {
    row.dimensions.first.flatMap { $0?.text }.flatMap { Day($0) }
  }

  private static func key(_ value: QuestionValue?) -> String { value?.plainText ?? "" }

  private static func count(_ row: QueryAnswer.Row, _ index: Int) -> Int? { row.metrics[index].map(count) }

  private static func count(_ metric: Double) -> Int { Int(clamping: metric) }
}
