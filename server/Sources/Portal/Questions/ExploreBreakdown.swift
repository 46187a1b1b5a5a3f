import Ingest
import Questions
import Reports
import TernBase
import Warehouse

/// The answer of Explore by the values of a dimension.
enum ExploreBreakdown {
  case values(RankedValues)
  /// Numbers in buckets.
  case buckets(HistogramBins, [QueryAnswer.Row])
}

/// The values of a breakdown.
struct RankedValues {
  /// The most values with a line of their own: more could not be told apart, and of fewer, a release that goes wrong is
  /// often among the others.
  static let drawn = 8

  let ranking: QueryAnswer
  /// The values with a line of their own, in the order of their lines; `nil` stands for rows without a value.
  let largest: [QuestionValue?]
  /// The metric over time, by these values.
  var rows: [QueryAnswer.Row] = []
  /// The metric over time of all other values together; empty if there are none.
  var others: [QueryAnswer.Row] = []

  init(_ ranking: QueryAnswer, of dimension: QuestionDimension) {
    self.ranking = ranking
    let values = ranking.rows.prefix(Self.drawn).map { $0.dimensions.first ?? nil }
    largest = dimension == .version ? values.sorted { dimension.isOrdered($0, before: $1) } : Array(values)
  }

  /// True if some values have no line of their own.
  var hasOthers: Bool { largest.count < ranking.totalRows ?? ranking.rows.count }

  /// The values with a line of their own in words; `nil` if all have one.
  var note: String? {
    hasOthers
      ? "\(largest.count) of \(grouped(ranking.totalRows ?? ranking.rows.count)) values, the others as one line" : nil
  }
}

extension QuestionForm {
  /// The rows of a table that are shown at once.
  static let pageRows = 50

  /// The bounds of buckets that were typed in; `nil` unless they are ascending numbers.
  var bins: HistogramBins? {
    let words = self["bins"]?.split { $0 == "," || $0 == " " } ?? []
    let numbers = words.compactMap { Double($0) }.filter(\.isFinite)
    return numbers.count == words.count ? HistogramBins(bounds: numbers) : nil
  }

  /// The questions whose answers Explore shows, each with all its rows.
  func exploreFiles() throws(QuestionError) -> [QuestionFile] {
    let timeline = try timeline()
    let unit = timelineName
    guard let breakdown = try breakdownDimension() else { return [QuestionFile(title: unit, .query(timeline))] }
    let all = QuestionFile("all", title: "\(unit), all together", .query(timeline))
    let values = "\(metricName) by \(breakdownName)"
    if let bins = try chosenBins() {
      return [QuestionFile(title: values, .query(try buckets(bins, of: breakdown))), all]
    }
    return [
      QuestionFile(title: "\(unit) by \(breakdownName)", .query(timeline.by(breakdown))),
      QuestionFile("values", title: values, .query(try ranking(by: breakdown))), all,
    ]
  }

  /// The buckets that were typed in; `nil` for none. Throws a fault if they are no ascending numbers.
  func chosenBins() throws(QuestionError) -> HistogramBins? {
    if let bins { return bins }
    guard ["each", nil].contains(self["bins"]) else {
      throw QuestionError("Buckets are ascending numbers, such as 0, 10, 100.", at: "$.bins")
    }
    return nil
  }

  /// The question about the metric by value, over the whole range.
  func ranking(by breakdown: QuestionDimension) throws(QuestionError) -> QueryQuestion {
    let timeline = try timeline()
    var query = QueryQuestion(
      scope: timeline.scope, metrics: timeline.metrics, groups: [.init(breakdown)], includesTotalRows: true)
    if format != .count {
      // The largest average is often that of a single row: the values with the most users matter more.
      query.metrics.append(.plain(.users))
      query.order = [.init(.metric(1), isDescending: true)]
    }
    return query
  }

  /// The part of the question about the metric by value that the page shows.
  func shownRanking(by breakdown: QuestionDimension) throws(QuestionError) -> QueryQuestion {
    var query = try ranking(by: breakdown)
    (query.limit, query.offset) = (Self.pageRows, offset)
    return query
  }

  /// The question about the metric by numbers in buckets.
  func buckets(_ bins: HistogramBins, of dimension: QuestionDimension) throws(QuestionError) -> QueryQuestion {
    guard case .property = dimension else {
      throw QuestionError("Only the numbers of a property can be put into buckets.", at: "$.bins")
    }
    let timeline = try timeline()
    return QueryQuestion(
      scope: timeline.scope, metrics: timeline.metrics, groups: [.init(dimension, bins: bins.bounds)])
  }

  /// The number of rows before those that are shown.
  var offset: Int { (min(max(self["page"].flatMap { Int($0) } ?? 1, 1), 10_000) - 1) * Self.pageRows }
}

extension QueryQuestion {
  /// The same question by the values of one more dimension.
  func by(_ dimension: QuestionDimension) -> QueryQuestion {
    var query = self
    query.groups.append(.init(dimension))
    (query.includesTotals, query.includesTimeLabels) = (false, false)
    return query
  }
}
