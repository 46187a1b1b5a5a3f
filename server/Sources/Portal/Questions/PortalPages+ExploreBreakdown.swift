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
  let ranking: QueryAnswer
  /// The metric over time, by the largest values.
  var rows: [QueryAnswer.Row] = []

  /// The number of values with a line of their own, in words; `nil` if all have one.
  var note: String? {
    let all = ranking.totalRows ?? ranking.rows.count
    return largest.count < all ? "\(largest.count) of \(grouped(all)) values" : nil
  }

  /// The values that get a line of their own; `nil` stands for rows without a value.
  var largest: [QuestionValue?] { ranking.rows.prefix(4).map { $0.dimensions.first ?? nil } }
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

  /// The number of rows before those that are shown.
  var offset: Int { (min(max(self["page"].flatMap { Int($0) } ?? 1, 1), 10_000) - 1) * Self.pageRows }
}

extension PortalPages {
  /// The values of the breakdown and the largest of them over time, or numbers in buckets; `nil` without a breakdown.
  func breakdown(_ form: QuestionForm, timeline: QueryQuestion, _ ask: Ask) async throws -> ExploreBreakdown? {
    guard let breakdown = try form.breakdownDimension() else { return nil }
    if let bins = form.bins { return try await buckets(bins, of: breakdown, timeline, ask) }
    guard ["each", nil].contains(form["bins"]) else {
      throw QuestionError("Buckets are ascending numbers, such as 0, 10, 100.", at: "$.bins")
    }
    var query = QueryQuestion(
      scope: timeline.scope, metrics: timeline.metrics, groups: [.init(breakdown)], includesTotalRows: true,
      limit: QuestionForm.pageRows, offset: form.offset)
    if form.format != .count {
      // The largest average is often that of a single row: the values with the most users matter more.
      query.metrics.append(.plain(.users))
      query.order = [.init(.metric(1), isDescending: true)]
    }
    guard case .query(let ranking) = try await ask(.query(query)).answer else { return nil }
    if form["bins"] == nil, let bins = try await bins(for: ranking, breakdown, timeline.scope, ask) {
      return try await buckets(bins, of: breakdown, timeline, ask)
    }
    var values = RankedValues(ranking: ranking)
    guard !values.largest.isEmpty else { return .values(values) }
    let filters = values.largest.map { value in
      value.map { QuestionFilter.isOneOf(breakdown, [$0]) } ?? .isNotSet(breakdown)
    }
    var lines = timeline
    lines.scope.filters.append(.any(filters))
    lines.groups.append(.init(breakdown))
    lines.limit *= filters.count
    (lines.includesTotals, lines.includesTimeLabels) = (false, false)
    if case .query(let answer) = try await ask(.query(lines)).answer { values.rows = answer.rows }
    return .values(values)
  }

  /// The buckets of a property with more different numbers than a table shows; `nil` for others.
  private func bins(
    for ranking: QueryAnswer, _ breakdown: QuestionDimension, _ scope: QuestionScope, _ ask: Ask
  ) async throws -> HistogramBins? {
    let values = ranking.rows.compactMap { $0.dimensions.first ?? nil }
    guard case .property(let name) = breakdown, let all = ranking.totalRows, all > QuestionForm.pageRows,
      values.allSatisfy({ $0.number != nil })
    else { return nil }
    let question = QueryQuestion(
      scope: scope, metrics: [.property(.min, name), .property(.p99, name), .property(.max, name)],
      includesTotals: true)
    guard case .query(let answer) = try await ask(.query(question)).answer,
      let totals = answer.totals?.compactMap({ $0 }), totals.count == 3
    else { return nil }
    let isWhole = values.allSatisfy { $0.number.map { $0 == $0.rounded() } ?? false }
    return HistogramBins(totals[0], nearlyAll: totals[1], maximum: totals[2], isWhole: isWhole)
  }

  private func buckets(
    _ bins: HistogramBins, of dimension: QuestionDimension, _ timeline: QueryQuestion, _ ask: Ask
  ) async throws -> ExploreBreakdown? {
    let query = QueryQuestion(
      scope: timeline.scope, metrics: timeline.metrics, groups: [.init(dimension, bins: bins.bounds)])
    guard case .property = dimension else {
      throw QuestionError("Only the numbers of a property can be put into buckets.", at: "$.bins")
    }
    guard case .query(let answer) = try await ask(.query(query)).answer else { return nil }
    return .buckets(bins, answer.rows)
  }

  /// Shows a breakdown below the chart.
  func show(_ breakdown: ExploreBreakdown, _ form: QuestionForm, _ app: App, _ view: inout QuestionView) {
    switch breakdown {
    case .values(let values): view.grids.append(grid(values.ranking, form, app))
    case .buckets(let bins, let rows): show(bins, rows, form, app, &view)
    }
  }

  private func show(
    _ bins: HistogramBins, _ rows: [QueryAnswer.Row], _ form: QuestionForm, _ app: App, _ view: inout QuestionView
  ) {
    let group = QueryQuestion.Group(.property(""), bins: bins.bounds)
    let figures = Dictionary(
      rows.map { ($0.dimensions.first ?? nil, $0.metrics.first ?? nil) }, uniquingKeysWith: { first, _ in first })
    let values = bins.bounds.map { bound in (figures[group.bucket(of: .number(bound))] ?? nil) ?? 0 }
    let heading = "\(form.metricName) by \(form.breakdownName)"
    let chart = Chart(
      id: "\(form.chart)-buckets", title: heading,
      slots: zip(bins.axis, bins.names).map { Chart.Slot(axis: $0, title: $1) },
      series: [Chart.Series(name: form.metricName, values: values, mark: .bar, color: 1)], format: form.format,
      unit: "Value")
    let each = PortalLinks(app: app.id).question(.explore, form.query(["bins": "each"]))
    view.pictures.append(
      .init(
        heading: heading,
        about: "Numbers in buckets\(form.bins == nil ? " of equal width" : ""); the last one has all that are larger.",
        content: chart.html() + table(chart, isNewestFirst: false)
          + "<p class=\"more\"><a href=\"\(escaped(each))\">Each value</a></p>"))
  }

  private func grid(_ answer: QueryAnswer, _ form: QuestionForm, _ app: App) -> AnswerGrid {
    let top = answer.rows.compactMap { $0.metrics.first ?? nil }.filter(\.isFinite).max() ?? 0
    let hasUsers = form.format != .count
    let rows = answer.rows.map { row -> [TemplateValues] in
      let figure = row.metrics.first ?? nil
      let users = row.metrics.count > 1 ? row.metrics[1] : nil
      let link = people(form, app, QuestionForm.figure(at: nil, of: .some(row.dimensions.first ?? nil)))
      return [
        .head(
          text(row.dimensions.first ?? nil, of: form.breakdown),
          filter: filterLink(form, app, row.dimensions.first ?? nil)),
        .cell(form.format.text(figure), link: link, bar: ShareBar.svg(top > 0 ? (figure ?? 0) / top : 0)),
      ] + (hasUsers ? [.cell(ChartFormat.count.text(users))] : [])
    }
    let (all, first) = (answer.totalRows ?? answer.rows.count, form.offset)
    let note =
      all > answer.rows.count
      ? "Values \(grouped(first + 1)) to \(grouped(first + rows.count)) of \(grouped(all))." : nil
    let page = first / QuestionForm.pageRows + 1
    func link(_ number: Int) -> String {
      PortalLinks(app: app.id).question(.explore, form.query(["page": number == 1 ? nil : String(number)]))
    }
    return AnswerGrid(
      heading: "\(form.metricName) by \(form.breakdownName)",
      about: "The same figure for each value; someone with several values counts under each of them.",
      columns: ["Value", form.metricName] + (hasUsers ? ["Users"] : []), rows: rows, note: note,
      previous: page > 1 ? link(page - 1) : nil, next: first + rows.count < all ? link(page + 1) : nil)
  }
}
