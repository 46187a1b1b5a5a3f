import Ingest
import Questions
import Reports
import Warehouse

extension QuestionPageDefinition {
  static var explore: QuestionPageDefinition {
    QuestionPageDefinition(
      explanation: "How a figure changes over time, and by the values of a property.",
      icon: "M3 16l4-6 4 3 6-9M3 3v14h14",
      sentence: { form in
        [
          form.choice("", "Figure", "metric", QuestionForm.metrics, "users"),
          form.text("", "Property", "property", list: "properties", empty: "a property", style: "property"),
          QuestionForm.kind("of", 0, form.subject, "", [("", "all activity")] + QuestionForm.kinds.dropLast()),
          QuestionForm.name(0, form.subject), form.breakdownField,
        ]
      },
      more: { form in
        [form.choice("Each point is", "Interval", "interval", [("hour", "an hour")] + QuestionForm.intervals, "day")]
          + form.display
      },
      question: { form throws(QuestionError) in .query(try form.timeline()) },
      groups: [
        PersonsGroupForm(name: "figure") { form throws(QuestionError) in
          guard form.metric == QuestionMetric.Plain.newUsers.rawValue else { return .some(.all) }
          var group = NewGroup()
          try form.fill(&group, "interval")
          try form.fill(&group, "of", from: "at")
          return group.group
        } text: { form in
          let place = [form["at"].map { shown($0) }, form.valueText].compactMap { $0 }.joined(separator: ", ")
          return " behind \(form.figureName)" + (place.isEmpty ? "" : " · \(place)")
        }
      ],
      view: { try await $0.explore($1, $2, today: $3, $4) })
  }
}

extension QuestionForm {
  /// The question about the metric over time.
  func timeline() throws(QuestionError) -> QueryQuestion {
    if QuestionMetric.Aggregate(rawValue: self["metric"] ?? "") != nil, self["property"] == nil {
      throw QuestionError("Choose a property.", at: "$.metrics[0]")
    }
    var query = QueryQuestion(scope: try scope(), metrics: [], groups: [.init(.time(unit))])
    try query.set("metrics", to: .array([.text(metric)]))
    (query.includesTotals, query.includesTimeLabels) = (true, true)
    return query
  }

  /// The unit of the time axis.
  var unit: TimeUnit { self["interval"].flatMap { TimeUnit(rawValue: $0) } ?? .day }
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
    let query = try form.timeline()
    let question = Question.query(query)
    // Asked at the same time: none needs another's answer.
    async let byValue = ranked(form, timeline: query, ask)
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
    let all = line(form.breakdown == nil ? form.metricName : "All", timeline.rows, at: labels, nil, form, app)
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
      view.tiles = try await tile(timeline, query, form, app, today: today, ask)
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
    _ timeline: QueryAnswer, _ question: QueryQuestion, _ form: QuestionForm, _ app: App, today: Day, _ ask: Ask
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
  private func change(_ query: QueryQuestion, _ form: QuestionForm, today: Day, _ ask: Ask) async throws -> Change? {
    let days = query.scope.range.resolved(today: today)
    guard form.comparesPeriods, days.lowerBound < today else { return nil }
    var query = query
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
  private func ranked(_ form: QuestionForm, timeline: QueryQuestion, _ ask: Ask) async throws -> RankedValues? {
    guard let breakdown = try form.breakdownDimension() else { return nil }
    var query = QueryQuestion(
      scope: timeline.scope, metrics: timeline.metrics, groups: [.init(breakdown)], includesTotalRows: true,
      limit: Self.longestRanking)
    if form.format != .count {
      // The largest average is often that of a single row: the values with the most users matter more.
      query.metrics.append(.plain(.users))
      query.order = [.init(.metric(1), isDescending: true)]
    }
    guard case .query(let ranking) = try await ask(.query(query)).answer else { return nil }
    var values = RankedValues(ranking: ranking)
    guard !values.largest.isEmpty else { return values }
    let filters = values.largest.map { value in
      value.map { QuestionFilter.isOneOf(breakdown, [$0]) } ?? .isNotSet(breakdown)
    }
    var lines = timeline
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
        .head(
          text(row.dimensions.first ?? nil), filter: filterLink(form, app, row.dimensions.first ?? nil)),
        .cell(form.format.text(figure), link: link, bar: ShareBar.svg(top > 0 ? (figure ?? 0) / top : 0)),
      ] + (hasUsers ? [.cell(ChartFormat.count.text(users))] : [])
    }
    let all = answer.totalRows ?? answer.rows.count
    let note = all > answer.rows.count ? "The first \(answer.rows.count) of \(grouped(all)) values." : nil
    return .grid(
      "\(form.metricName) by \(form.breakdownName)",
      about: "The same figure for each value; someone with several values counts under each of them.",
      ["Value", form.metricName] + (hasUsers ? ["Users"] : []), rows, note: note)
  }
}

extension TimeUnit {
  /// The unit as the heading of a column.
  var heading: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}
