import Ingest
import Questions
import Reports
import TernBase
import Warehouse

extension ExplorePage {
  /// The values of the breakdown and the largest of them over time, or numbers in buckets; `nil` without a breakdown.
  func breakdown(_ form: QuestionForm, timeline: QueryQuestion, _ ask: PageVisit.Ask) async throws
    -> ExploreBreakdown?
  {
    guard let breakdown = try form.breakdownDimension() else { return nil }
    if let bins = try form.chosenBins() { return try await buckets(bins, of: breakdown, form, ask) }
    guard case .query(let ranking) = try await ask(.query(try form.shownRanking(by: breakdown))).answer else {
      return nil
    }
    if form["bins"] == nil, let bins = try await bins(for: ranking, breakdown, timeline.scope, ask) {
      return try await buckets(bins, of: breakdown, form, ask)
    }
    var values = RankedValues(ranking, of: breakdown)
    guard !values.largest.isEmpty else { return .values(values) }
    let largest = QuestionFilter.any(
      values.largest.map { value in value.map { .isOneOf(breakdown, [$0]) } ?? .isNotSet(breakdown) })
    var lines = timeline.by(breakdown)
    lines.scope.filters.append(largest)
    lines.limit *= values.largest.count
    var others = timeline
    others.scope.filters.append(.not(largest))
    (others.includesTotals, others.includesTimeLabels) = (false, false)
    let ask = await ask.preparing([.query(lines)] + (values.hasOthers ? [.query(others)] : []))
    if case .query(let answer) = try await ask(.query(lines)).answer { values.rows = answer.rows }
    if values.hasOthers {
      if case .query(let answer) = try await ask(.query(others)).answer { values.others = answer.rows }
    }
    return .values(values)
  }

  /// The buckets of a property with more different numbers than a table shows; `nil` for others.
  private func bins(
    for ranking: QueryAnswer, _ breakdown: QuestionDimension, _ scope: QuestionScope, _ ask: PageVisit.Ask
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
    _ bins: HistogramBins, of dimension: QuestionDimension, _ form: QuestionForm, _ ask: PageVisit.Ask
  ) async throws -> ExploreBreakdown? {
    let query = try form.buckets(bins, of: dimension)
    guard case .query(let answer) = try await ask(.query(query)).answer else { return nil }
    return .buckets(bins, answer.rows)
  }

  /// Shows a breakdown below the chart.
  func show(_ breakdown: ExploreBreakdown, _ form: QuestionForm, _ app: App, _ view: inout QuestionView) {
    switch breakdown {
    case .values(let values): view.grids.append(grid(values.ranking, form, app))
    case .buckets(let bins, let rows):
      view.bins = bins
      show(bins, rows, form, app, &view)
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
      places: zip(bins.axis, bins.names).map { Chart.Place(axis: $0, title: $1) },
      series: [Chart.Series(name: form.metricName, values: values, mark: .bar, color: 1)], format: form.format,
      unit: "Value")
    let each = PortalLinks(app: app.id).question(.explore, form.query(["bins": "each"]))
    view.pictures.append(
      .init(
        heading: heading,
        about: "Numbers in buckets\(form.bins == nil ? " of equal width" : ""); the last one has all that are larger.",
        content: chart.html() + visit.table(chart, isNewestFirst: false)
          + "<p class=\"more\"><a href=\"\(escaped(each))\">Each value</a></p>"))
  }

  private func grid(_ answer: QueryAnswer, _ form: QuestionForm, _ app: App) -> AnswerGrid {
    let top = answer.rows.compactMap { $0.metrics.first ?? nil }.filter(\.isFinite).max() ?? 0
    let hasUsers = form.format != .count
    let rows = answer.rows.map { row -> [TemplateValues] in
      let figure = row.metrics.first ?? nil
      let users = row.metrics.count > 1 ? row.metrics[1] : nil
      let link = visit.people(form, app, QuestionForm.figure(at: nil, of: .some(row.dimensions.first ?? nil)))
      return [
        .head(
          valueText(row.dimensions.first ?? nil, of: form.breakdown),
          filter: visit.filterLink(form, app, row.dimensions.first ?? nil)),
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
