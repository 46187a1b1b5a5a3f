import Ingest
import Questions
import Reports
import Warehouse

extension QuestionForm {
  /// The question about the metric over time.
  func timelineJSON() -> JSONTree? {
    query(dimensions: [.text("time:\(unit.rawValue)")], include: ["totals", "time_labels"])
  }

  func timeline() throws(QuestionError) -> Question? {
    guard let json = timelineJSON() else { return nil }
    return try question(.query, json)
  }

  /// The question about the metric by the values of the breakdown.
  func ranking(limit: Int) throws(QuestionError) -> Question? {
    guard let breakdown = self["breakdown"],
      var json = query(dimensions: [.text(breakdown)], include: ["total_rows"], limit: limit)
    else { return nil }
    if format != .count, case .object(let members) = json {
      // The largest average is often that of a single row: the values with the most users matter more.
      let users = JSONTree.text(QuestionMetric.Plain.users.rawValue)
      json = .object(
        members.map { ($0.name, $0.name == "metrics" ? .array([.text(metric), users]) : $0.value) }
          + [("order_by", .array([.array([users, .text("desc")])]))])
    }
    return try question(.query, json)
  }

  /// The unit of the time axis.
  var unit: TimeUnit { self["interval"].flatMap { TimeUnit(rawValue: $0) } ?? .day }

  private func query(dimensions: [JSONTree], include: [String], limit: Int = 10_000) -> JSONTree? {
    guard case .object(let members) = json(.query) else { return nil }
    let more: [(String, JSONTree)] = [
      ("dimensions", .array(dimensions)), ("include", .array(include.map { .text($0) })),
      ("pagination", .object([("limit", .number(Double(limit)))])),
    ]
    return .object(members.map { ($0.name, $0.value) } + more)
  }
}

/// The values of a metric over time.
private struct ExploreLine {
  var name: String
  var values: [Double?]
  var links: [String?]

  func series(color: Int, isFilled: Bool = false, isCompared: Bool = false) -> Chart.Series {
    Chart.Series(
      name: name, values: values, isFilled: isFilled, isCompared: isCompared, color: color, links: links)
  }
}

/// The values of a breakdown.
private struct RankedValues {
  let ranking: QueryAnswer
  /// The metric over time, by the largest values.
  var rows: [QueryAnswer.Row] = []

  /// The values that get a line of their own; `nil` stands for rows without a value.
  var largest: [QuestionValue?] { ranking.rows.prefix(4).map { $0.dimensions.first ?? nil } }
}

extension PortalPages {
  private static let longestRanking = 50

  /// The metric over time, and by the values of the breakdown.
  func explore(_ form: QuestionForm, _ app: App, today: Day, _ ask: Ask) async throws -> QuestionView {
    guard let question = try form.timeline() else { return QuestionView() }
    // Asked at the same time: none needs another's answer.
    async let byValue = ranked(form, timeline: question, ask)
    async let compared = other(form, question, today: today, ask)
    let answered = try await ask(question)
    var view = QuestionView(answered)
    guard case .query(let timeline) = answered.answer else { return view }
    guard !timeline.rows.isEmpty else {
      view.calm = ("No rows", "No row passes in this range. Remove a filter or choose a longer range.")
      return view
    }
    let isOpen = answered.question.scope.endsOn(today)
    var labels = timeline.timeLabels ?? timeline.rows.compactMap { $0.dimensions.first??.text }
    if isOpen, form.unit == .hour {
      // Hours to come would look like a drop.
      let last = timeline.rows.compactMap { $0.dimensions.first??.text }.max() ?? ""
      labels.removeAll { $0 > last && $0.hasPrefix(today.description) }
    }
    let all = line(form["breakdown"] == nil ? form.metricName : "All", timeline.rows, at: labels, nil, form, app)
    var lines: [ExploreLine] = []
    var ranking: TemplateValues?
    if let ranked = try await byValue {
      ranking = grid(ranked.ranking, form, app)
      lines = ranked.largest.map { value in
        let rows = ranked.rows.filter { $0.dimensions.last == .some(value) }
        return line(text(value), rows, at: labels, .some(value), form, app)
      }
    }
    var series =
      lines.isEmpty
      ? [all.series(color: 1, isFilled: form.format == .count)]
      : lines.enumerated().map { $1.series(color: $0 % 4 + 1) }
    if let other = try await compared, case .query(let past) = other.answer {
      var line = line(other.name, past.rows, at: past.timeLabels ?? [], nil, other.form, app)
      // The units of both periods are paired by their place, the first with the first.
      line.values = labels.indices.map { line.values.indices.contains($0) ? line.values[$0] : nil }
      line.links = labels.indices.map { line.links.indices.contains($0) ? line.links[$0] : nil }
      series.append(line.series(color: lines.isEmpty ? 3 : 4, isCompared: true))
    }
    if form.card == nil {
      view.tiles = try await tile(timeline, answered.question, form, app, today: today, ask)
    }
    let heading = "\(form.metricName) per \(form.unit.rawValue)"
    let chart = Chart(
      id: form.chart, title: heading, slots: Chart.Slot.slots(labels, form.unit), series: series,
      endsToday: isOpen && (form.unit != .hour || labels.last?.hasPrefix(today.description) ?? false),
      format: form.format, unit: form.unit.heading)
    show(
      chart, columns: lines.isEmpty ? series : [all.series(color: 1)] + series, heading, about: form.metricAbout, form,
      &view)
    if let ranking { view.grids.append(ranking) }
    return view
  }

  /// The metric over the whole range.
  private func tile(
    _ timeline: QueryAnswer, _ question: Question, _ form: QuestionForm, _ app: App, today: Day, _ ask: Ask
  ) async throws -> String {
    let total = timeline.totals?.first ?? nil
    let days = question.scope.range.resolved(today: today)
    return tiles([
      .tile(
        form.metricName, form.format.text(total),
        change: try await change(question, form, today: today, ask), hint: days.text,
        link: people(form, app, QuestionForm.figure(at: nil, of: nil)), about: form.metricAbout)
    ])
  }

  /// The change of the metric since the period before, over days that are over: a day that has just begun would look
  /// like a drop.
  private func change(_ question: Question, _ form: QuestionForm, today: Day, _ ask: Ask) async throws -> Change? {
    let days = question.scope.range.resolved(today: today)
    guard form.comparesPeriods, days.lowerBound < today, case .query(var query) = question else { return nil }
    query.groups = []
    query.includesTimeLabels = false
    let settled = days.lowerBound...min(days.upperBound, today.advanced(by: -1))
    query.comparesPreviousPeriod = true
    guard case .query(let answer) = try await ask(Question.query(query).over(settled)).answer,
      let current = answer.totals?.first ?? nil, let before = answer.comparedTotals?.first ?? nil
    else { return nil }
    let explanation =
      "\(settled.text): \(form.format.text(current)). \(settled.before.text): \(form.format.text(before))"
    return form.isShare
      ? Change(shares: current, before: before, explanation: explanation)
      : Change(current, before: before, explanation: explanation)
  }

  /// The values of the breakdown, and the largest of them over time; `nil` without a breakdown.
  private func ranked(_ form: QuestionForm, timeline: Question, _ ask: Ask) async throws -> RankedValues? {
    guard let breakdown = form["breakdown"].flatMap({ QuestionDimension($0) }),
      let question = try form.ranking(limit: Self.longestRanking), case .query(var lines) = timeline,
      case .query(let ranking) = try await ask(question).answer
    else { return nil }
    var values = RankedValues(ranking: ranking)
    guard !values.largest.isEmpty else { return values }
    let filters = values.largest.map { value in
      value.map { QuestionFilter.isOneOf(breakdown, [$0]) } ?? .isNotSet(breakdown)
    }
    lines.scope.filters.append(.any(filters))
    lines.groups.append(.init(breakdown))
    lines.limit *= filters.count
    (lines.includesTotals, lines.includesTimeLabels) = (false, false)
    if case .query(let answer) = try await ask(.query(lines)).answer { values.rows = answer.rows }
    return values
  }

  /// The values of rows at some units of time. Units without rows count zero, and have no average and no share.
  private func line(
    _ name: String, _ rows: [QueryAnswer.Row], at labels: [String], _ group: QuestionValue??, _ form: QuestionForm,
    _ app: App
  ) -> ExploreLine {
    let figures = Dictionary(
      rows.map { ($0.dimensions.first??.text ?? "", $0.metrics.first ?? nil) }, uniquingKeysWith: { $1 })
    return ExploreLine(
      name: name, values: labels.map { figures[$0] ?? (form.format == .count ? 0 : nil) },
      links: labels.map { label in
        (figures[label] ?? nil).flatMap { figure in
          figure == 0 && !form.isShare ? nil : people(form, app, QuestionForm.figure(at: label, of: group))
        }
      })
  }

  private func grid(_ answer: QueryAnswer, _ form: QuestionForm, _ app: App) -> TemplateValues {
    let top = answer.rows.compactMap { $0.metrics.first ?? nil }.filter(\.isFinite).max() ?? 0
    let hasUsers = form.format != .count
    let rows = answer.rows.map { row -> [TemplateValues] in
      let figure = row.metrics.first ?? nil
      let users = row.metrics.count > 1 ? row.metrics[1] : nil
      let link = people(form, app, QuestionForm.figure(at: nil, of: .some(row.dimensions.first ?? nil)))
      return [
        .head(text(row.dimensions.first ?? nil)),
        .cell(form.format.text(figure), link: link, bar: ShareBar.svg(top > 0 ? (figure ?? 0) / top : 0)),
      ] + (hasUsers ? [.cell(ChartFormat.count.text(users))] : [])
    }
    let all = answer.totalRows ?? answer.rows.count
    let note = all > answer.rows.count ? "The first \(answer.rows.count) of \(grouped(all)) values." : nil
    return .grid(
      "\(form.metricName) by \(shown(form["breakdown"] ?? ""))",
      about: "The same figure for each value; someone with several values counts under each of them.",
      ["Value", form.metricName] + (hasUsers ? ["Users"] : []), rows, note: note)
  }
}

extension TimeUnit {
  /// The unit as the heading of a column.
  var heading: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}
