import Ingest
import Questions
import Reports
import Warehouse

extension QuestionForm {
  /// The question about the metric over time.
  func timelineJSON() -> JSONTree? {
    query(dimensions: [.text("time:\(values["interval"] ?? "day")")], include: ["totals", "time_labels"])
  }

  func timeline() throws(QuestionError) -> Question? {
    guard let json = timelineJSON() else { return nil }
    return try Question(.query, json: json.encoded)
  }

  /// The question about the metric by the values of the breakdown.
  func ranking(limit: Int) throws(QuestionError) -> Question? {
    guard let breakdown = self["breakdown"],
      let json = query(dimensions: [.text(breakdown)], include: ["total_rows"], limit: limit)
    else { return nil }
    return try Question(.query, json: json.encoded)
  }

  private func query(dimensions: [JSONTree], include: [String], limit: Int = 10_000) -> JSONTree? {
    guard case .object(let members) = json(.query) else { return nil }
    let more: [(String, JSONTree)] = [
      ("dimensions", .array(dimensions)), ("include", .array(include.map { .text($0) })),
      ("pagination", .object([("limit", .number(Double(limit)))])),
    ]
    return .object(members.map { ($0.name, $0.value) } + more)
  }
}

extension PortalPages {
  private static let longestRanking = 50

  /// The metric over time, and by the values of the breakdown.
  func explore(_ form: QuestionForm, today: Day, _ ask: Ask) async throws -> QuestionView {
    guard let question = try form.timeline() else { return QuestionView() }
    let answered = try await ask(question)
    var view = QuestionView(answered)
    guard case .query(let timeline) = answered.answer else { return view }
    guard !timeline.rows.isEmpty else {
      view.calm = ("No rows", "No row passes in this range. Remove a filter or choose a longer range.")
      return view
    }
    let unit = form["interval"] ?? "day"
    let name = form.metricName
    var series = [(name: name, answer: timeline)]
    if let ranking = try form.ranking(limit: Self.longestRanking) {
      let ranked = try await ask(ranking)
      if case .query(let answer) = ranked.answer {
        view.grids.append(grid(answer, form, name))
        series = try await lines(answer, of: question, form, ask)
      }
    }
    let labels = timeline.timeLabels ?? timeline.rows.compactMap { $0.dimensions.first??.text }
    let chart = Chart(
      id: form.chart, title: "\(name) per \(unit)", days: labels.compactMap { Day($0) },
      series: series.enumerated().map { index, line in
        Chart.Series(
          name: line.name, values: values(line.answer, at: labels, form), isFilled: series.count == 1,
          color: index % 4 + 1)
      }, endsToday: answered.question.scope.endsOn(today))
    view.picture = ("\(name) per \(unit)", chart.html())
    let totals = (timeline.totals?.first).map { figure($0, form) } ?? "–"
    let rows = zip(labels, labels.map { label in timeline.rows.first { $0.dimensions.first??.text == label } })
      .reversed().map { label, row -> [TemplateValues] in
        [.head(label), .cell(figure(row?.metrics.first ?? nil, form))]
      }
    view.grids.append(
      .grid(
        "\(name) in numbers", [unit.prefix(1).uppercased() + unit.dropFirst(), name], rows, note: "All: \(totals)."))
    return view
  }

  /// The lines of the largest values of the breakdown.
  private func lines(
    _ ranking: QueryAnswer, of timeline: Question, _ form: QuestionForm, _ ask: Ask
  ) async throws -> [(name: String, answer: QueryAnswer)] {
    guard case .query(var question) = timeline, let breakdown = form["breakdown"].flatMap({ QuestionDimension($0) })
    else { return [] }
    let filters = question.scope.filters
    var lines: [(name: String, answer: QueryAnswer)] = []
    for row in ranking.rows.prefix(4) {
      let value = row.dimensions.first ?? nil
      question.scope.filters = filters + [value.map { .isOneOf(breakdown, [$0]) } ?? .isNotSet(breakdown)]
      if case .query(let answer) = try await ask(.query(question)).answer { lines.append((text(value), answer)) }
    }
    return lines
  }

  private func grid(_ answer: QueryAnswer, _ form: QuestionForm, _ name: String) -> TemplateValues {
    let top = answer.rows.compactMap { $0.metrics.first ?? nil }.filter(\.isFinite).max() ?? 0
    let rows = answer.rows.map { row -> [TemplateValues] in
      let figure = row.metrics.first ?? nil
      return [
        .head(text(row.dimensions.first ?? nil)),
        .cell(self.figure(figure, form), bar: ShareBar.svg(top > 0 ? (figure ?? 0) / top : 0)),
      ]
    }
    let all = answer.totalRows ?? answer.rows.count
    let note = all > answer.rows.count ? "The \(answer.rows.count) largest of \(grouped(all)) values." : nil
    return .grid("\(name) by \(shown(form["breakdown"] ?? ""))", ["Value", name], rows, note: note)
  }

  /// The points of a line. Shares are in percent, because a chart shows whole numbers.
  private func values(_ answer: QueryAnswer, at labels: [String], _ form: QuestionForm) -> [Int] {
    let figures = Dictionary(
      answer.rows.map { ($0.dimensions.first??.text ?? "", $0.metrics.first ?? nil) }, uniquingKeysWith: { $1 })
    return labels.map { label in
      let figure = (figures[label] ?? nil) ?? 0
      return figure.isFinite ? max(whole(form.isShare ? figure * 100 : figure), 0) : 0
    }
  }

  private func figure(_ figure: Double?, _ form: QuestionForm) -> String {
    guard let figure, figure.isFinite else { return "–" }
    if form.isShare { return percentage(figure) }
    guard let number = Int(exactly: figure) else { return QuestionJSON.plain((figure * 100).rounded() / 100) }
    return grouped(number)
  }
}

extension QuestionForm {
  /// True for metrics from 0 to 1.
  var isShare: Bool { metric.hasPrefix("crash_free") }

  /// The metric in words.
  var metricName: String {
    let name = self["metric"] ?? "users"
    let words = Self.metrics.first { $0.0 == name }?.1 ?? shown(name)
    guard QuestionMetric.Aggregate(rawValue: name) != nil else { return words }
    return words.replacing("a property", with: shown(self["property"] ?? "", empty: "a property"))
  }
}
