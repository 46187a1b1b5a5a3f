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
    let name = ExactText(property)
    let totals = Question.query(
      QueryQuestion(scope: scope, metrics: Self.aggregates.map { .property($0.1, name) }, includesTotals: true))
    guard case .query(let answer) = try await ask(totals).answer, let values = answer.totals,
      values.count == Self.aggregates.count, let minimum = values[4], let maximum = values[5]
    else { return nil }
    statistics = zip(Self.aggregates, values).map { ($0.0, $1) }
    guard
      let bins = HistogramBins(minimum, nearlyAll: values[3] ?? maximum, maximum: maximum, isWhole: isWhole)
    else {
      (self.bins, counts) = (nil, [])
      return
    }
    let group = QueryQuestion.Group(.property(name), bins: bins.bounds)
    let question = Question.query(QueryQuestion(scope: scope, metrics: [.plain(.events)], groups: [group]))
    guard case .query(let answer) = try await ask(question).answer else { return nil }
    let counts = Dictionary(
      answer.rows.map { ($0.dimensions.first ?? nil, $0.metrics.first.flatMap { $0 } ?? 0) },
      uniquingKeysWith: { first, _ in first })
    self.bins = bins
    self.counts = bins.bounds.map { counts[group.bucket(of: .number($0))] ?? 0 }
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
