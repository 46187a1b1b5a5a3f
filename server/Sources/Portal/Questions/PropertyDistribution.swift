import Ingest
import Questions
import Reports
import Warehouse

/// The numbers in a property of an event: statistics, and how many events had a number in each bucket.
struct PropertyDistribution {
  /// A summary of all numbers, with its name.
  let statistics: [(name: String, value: Double?)]
  let bins: HistogramBins?
  /// The number of events in each bucket.
  let counts: [Double]

  private static let aggregates: [(String, QuestionMetric.Aggregate)] = [
    ("Mean", .avg), ("Median", .p50), ("P90", .p90), ("P99", .p99), ("Minimum", .min),
    ("Maximum", .max),
  ]

  /// Asks for the numbers of a property.
  ///
  /// - Parameters:
  ///   - scope: The rows that have the property.
  ///   - isWhole: True if the property seems to hold whole numbers only.
  ///
  /// Returns `nil` if no row has a number.
  init?(_ property: String, in scope: QuestionScope, isWhole: Bool, _ ask: PageVisit.Ask) async throws {
    let answer = try await ask(Self.totals(of: property, in: scope)).answer
    guard let (statistics, bins) = Self.summary(answer, isWhole: isWhole) else { return nil }
    self.statistics = statistics
    guard let bins else {
      (self.bins, counts) = (nil, [])
      return
    }
    let group = Self.group(property, bins)
    guard case .query(let answer) = try await ask(Self.buckets(of: property, bins, in: scope)).answer else {
      return nil
    }
    let counts = Dictionary(
      answer.rows.map { ($0.dimensions.first ?? nil, $0.metrics.first.flatMap { $0 } ?? 0) },
      uniquingKeysWith: { first, _ in first })
    self.bins = bins
    self.counts = bins.bounds.map { counts[group.bucket(of: .number($0))] ?? 0 }
  }

  /// Asks for the numbers of several properties together, so that each distribution is there at once.
  static func preparing(
    _ properties: [(name: String, isWhole: Bool)], in scope: QuestionScope, _ ask: PageVisit.Ask
  ) async -> PageVisit.Ask {
    let ask = await ask.preparing(properties.map { totals(of: $0.name, in: scope) })
    let buckets = properties.compactMap { property -> Question? in
      ask.prepared[totals(of: property.name, in: scope)].flatMap { summary($0.answer, isWhole: property.isWhole)?.bins }
        .map { Self.buckets(of: property.name, $0, in: scope) }
    }
    return await ask.preparing(buckets)
  }

  private static func totals(of property: String, in scope: QuestionScope) -> Question {
    .query(
      QueryQuestion(
        scope: scope, metrics: aggregates.map { .property($0.1, ExactText(property)) }, includesTotals: true))
  }

  private static func summary(_ answer: Answer, isWhole: Bool) -> (
    statistics: [(name: String, value: Double?)], bins: HistogramBins?
  )? {
    guard case .query(let answer) = answer, let values = answer.totals, values.count == aggregates.count,
      let minimum = values[4], let maximum = values[5]
    else { return nil }
    return (
      zip(aggregates, values).map { ($0.0, $1) },
      HistogramBins(minimum, nearlyAll: values[3] ?? maximum, maximum: maximum, isWhole: isWhole)
    )
  }

  private static func group(_ property: String, _ bins: HistogramBins) -> QueryQuestion.Group {
    QueryQuestion.Group(.property(ExactText(property)), bins: bins.bounds)
  }

  private static func buckets(of property: String, _ bins: HistogramBins, in scope: QuestionScope) -> Question {
    .query(QueryQuestion(scope: scope, metrics: [.plain(.events)], groups: [group(property, bins)]))
  }

  /// The histogram; `nil` if all numbers are equal.
  func chart(_ id: String, _ property: String) -> Chart? {
    guard let bins else { return nil }
    return Chart(
      id: id, title: "Events by \(property)",
      places: zip(bins.axis, bins.names).map { Chart.Place(axis: $0, title: $1) },
      series: [Chart.Series(name: "Events", values: counts, mark: .bar, color: 1)], unit: property)
  }
}
