import Ingest
import JSON
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
          QuestionForm.name(0, form.subject),
        ] + form.divisorFields + [form.breakdownField]
      },
      more: { form in
        [
          form.choice("Each point is", "Interval", "interval", [("hour", "an hour")] + QuestionForm.intervals, "day"),
          form.text("numbers in buckets from", "Bounds of buckets", "bins", empty: "0, 10, 100"),
        ]
          + [
            form.choice(
              "Show", "Display", "show", PartsDisplay.allCases.map(\.option) + [("table", "a table alone")], "")
          ]
      },
      question: { form throws(QuestionError) in .query(try form.timeline()) },
      files: { form throws(QuestionError) in try form.exploreFiles() },
      together: { $0.exploreQuestions(today: $1) },
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
      view: { try await ExplorePage(visit: $0).explore($1, $2, today: $3, $4) })
  }
}

extension QuestionForm {
  /// The question about the metric over time.
  func timeline() throws(QuestionError) -> QueryQuestion {
    if QuestionMetric.Aggregate(rawValue: self["metric"] ?? "") != nil, self["property"] == nil {
      throw QuestionError("Choose a property.", at: "$.metrics[0]")
    }
    if divisor == nil, self["perof"] != nil {
      throw QuestionError("Choose what the figure is divided by.", at: "$.metrics[0].per")
    }
    var query = QueryQuestion(scope: try scope(), metrics: [], groups: [.init(.time(unit))])
    try query.set("metrics", to: .array([metricJSON]))
    (query.includesTotals, query.includesTimeLabels) = (true, true)
    return query
  }

  /// The question about the metric in all, over some days.
  func total(over days: ClosedRange<Day>) throws(QuestionError) -> Question {
    var query = try timeline()
    query.groups = []
    query.includesTimeLabels = false
    return Question.query(query).over(days)
  }

  /// The questions of Explore that need no other's answer.
  func exploreQuestions(today: Day) -> [Question] {
    guard let timeline = try? timeline() else { return [] }
    var questions = [Question.query(timeline)]
    if let breakdown = try? breakdownDimension(), (try? chosenBins()) == .some(nil),
      let ranking = try? shownRanking(by: breakdown)
    {
      questions.append(.query(ranking))
    }
    let other = try? otherQuestion(.query(timeline), today: today)
    if let other { questions.append(other.question) }
    if let comparison = try? totalComparison(of: timeline.scope, today: today), let settled = comparison.settled {
      // The answers of the chart have all other totals.
      if comparison.isOpen, let total = try? total(over: settled.current) { questions.append(total) }
      if other == nil, let total = try? total(over: settled.other) { questions.append(total) }
    }
    return questions
  }

  /// The unit of the time axis.
  var unit: TimeUnit {
    // The chart shows the clock of a zone, and persons are found by it.
    self["interval"].flatMap { TimeUnit(rawValue: $0) }.flatMap { $0 == .zonedHour ? nil : $0 } ?? .day
  }
}

/// The values of a metric over time.
private struct ExploreLine {
  var name: String
  var values: [Double?]
  var links: [String?]

  func series(color: Int, mark: Chart.Mark = .line, isCompared: Bool = false) -> Chart.Series {
    Chart.Series(
      name: name, values: values, mark: mark, isCompared: isCompared, color: color, links: links)
  }
}

/// The page Explore: a figure over time, and by the values of a breakdown. Its form is that of ``QuestionFormPage``.
struct ExplorePage {
  let visit: PageVisit

  /// The metric over time, and by the values of the breakdown.
  func explore(_ form: QuestionForm, _ app: App, today: Day, _ ask: PageVisit.Ask) async throws
    -> QuestionView
  {
    let query = try form.timeline()
    let question = Question.query(query)
    let ask = await ask.preparing(form.exploreQuestions(today: today))
    // Asked at the same time: none needs another's answer.
    async let byValue = breakdown(form, timeline: query, ask)
    async let compared = visit.other(form, question, today: today, ask)
    let answered = try await ask(question)
    var view = QuestionView(answered)
    view.note = answered.notes.first
    guard case .query(let timeline) = answered.answer else { return view }
    guard !timeline.rows.isEmpty else {
      view.emptyState = ("No rows", "No rows match in this range. Remove a filter or choose a longer range.")
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
    var colors: [Int] = []
    let breakdown = try await byValue
    if case .values(let values) = breakdown {
      lines = values.largest.map { value in
        let rows = values.rows.filter { $0.dimensions.last == .some(value) }
        return line(valueText(value, of: form.breakdown), rows, at: labels, .some(value), form, app)
      }
      colors = ValueColors.numbers(of: values.largest.map { $0?.plainText })
      if values.hasOthers {
        var others = line("Other", values.others, at: labels, nil, form, app)
        // No filter of a form stands for them.
        others.links = []
        lines.append(others)
        colors.append(Chart.otherColor)
      }
    }
    var series =
      lines.isEmpty
      ? [all.series(color: 1, mark: form.format == .count ? .area : .line)]
      : zip(lines, colors).map { $0.series(color: $1) }
    var columns = lines.isEmpty ? series : [all.series(color: 1)] + series
    let other = try await compared
    if let other, case .query(let otherAnswer) = other.answer {
      var line = line(other.comparison.name, otherAnswer.rows, at: otherAnswer.timeLabels ?? [], nil, other.form, app)
      // The units of both periods are paired by their place, the first with the first.
      line.values = labels.indices.map { line.values.indices.contains($0) ? line.values[$0] : nil }
      line.links = labels.indices.map { line.links.indices.contains($0) ? line.links[$0] : nil }
      if lines.isEmpty {
        series.append(line.series(color: 3, isCompared: true))
        columns = series
      } else {
        // Beside the total, with which it can be compared, and not among the parts in the chart.
        line.name = "All, \(line.name)"
        columns.insert(line.series(color: 3, isCompared: true), at: 1)
      }
    }
    let change = try await change(answered, other, form, today: today, ask)
    let (total, days) = (form.format.text(timeline.totals?.first ?? nil), query.scope.range.resolved(today: today).text)
    if form.card == nil {
      view.tiles = visit.tiles([
        .tile(
          form.metricName, total, change: change, hint: days,
          link: visit.people(form, app, QuestionForm.figure(at: nil, of: nil)), about: form.metricAbout)
      ])
    } else {
      view.figure = CardFigure(value: total, change: change, about: days)
    }
    let heading = form.timelineName
    let chart = Chart(
      id: form.chart, title: heading,
      places: Chart.Place.places(labels, form.unit, in: query.scope.range.resolved(today: today), today: today),
      series: lines.isEmpty ? series : form.parts.drawn(series),
      format: !lines.isEmpty && form.parts == .percent ? .share : form.format, unit: form.unit.heading)
    visit.show(chart, columns: columns, format: form.format, heading, about: form.metricAbout, form, app, &view)
    if case .values(let values) = breakdown, !view.pictures.isEmpty {
      view.pictures[0].note = values.note
      view.pictures[0].displays = form.partsLinks(visit, PortalLinks(app: app.id))
    }
    if let breakdown { show(breakdown, form, app, &view) }
    return view
  }

  /// The change of the metric over the whole range; `nil` if there is nothing to compare with.
  private func change(
    _ answered: AnsweredQuestion, _ other: OtherAnswer?, _ form: QuestionForm, today: Day, _ ask: PageVisit.Ask
  ) async throws -> Change? {
    guard let comparison = try form.totalComparison(of: answered.question.scope, today: today),
      let settled = comparison.settled
    else { return nil }
    func total(over days: ClosedRange<Day>) async throws -> Double? {
      try await ask(try form.total(over: days)).wholeTotal
    }
    var before: Double?
    if let other {
      if case .query(let answer) = other.answer { before = answer.totals?.first ?? nil }
    } else {
      before = try await total(over: settled.other)
    }
    // The page's own answer has the day that a change leaves out.
    let current = comparison.isOpen ? try await total(over: settled.current) : answered.wholeTotal
    guard let current, let before else { return nil }
    let texts = (current: form.format.text(current), other: form.format.text(before))
    return form.isShare
      ? Change(shares: current, before: before, note: comparison.note(texts.current, texts.other))
      : comparison.change(current, before, texts)
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
          figure == 0 && !form.isShare ? nil : visit.people(form, app, QuestionForm.figure(at: label, of: group))
        }
      })
  }
}

extension TimeUnit {
  /// The unit as the heading of a column.
  var heading: String { titled(rawValue) }
}
