import JSON
import Questions
import Reports
import Warehouse

/// The page Lifecycle: new, returning and lost users, and how regularly users come.
struct LifecyclePage {
  let visit: PageVisit

  func show(
    _ intervals: [LifecycleInterval], over days: ClosedRange<Day>, today: Day, other: OtherAnswer?,
    _ form: QuestionForm, _ app: App, _ view: inout QuestionView
  ) {
    guard intervals.contains(where: { $0.new + $0.returning + $0.resurrected > 0 }) else {
      view.emptyState = ("No users", "No one was active in this range. Choose a longer one.")
      return
    }
    let (unit, heading) = (form.unit.rawValue, "Users by state")
    let about =
      "New users were seen for the first time, returning ones were also active the \(unit) before, "
      + "resurrected ones were away for at least a \(unit), and dormant ones were active the \(unit) before but "
      + "not in this one."
    visit.show(
      chart(intervals, heading, form.chart, over: days, today: today, form, app), heading, about: about, form, app,
      &view)
    guard let other, case .lifecycle(let others) = other.answer else { return }
    // A chart of its own: bars of eight colours in one could not be told apart.
    let chart = chart(
      others, "\(heading): \(other.comparison.name)", "\(form.chart)-compared", over: other.comparison.otherDays,
      today: today, other.form, app)
    visit.show(chart, chart.title, about: other.comparison.about, form, app, &view)
  }

  private func chart(
    _ intervals: [LifecycleInterval], _ title: String, _ id: String, over days: ClosedRange<Day>, today: Day,
    _ form: QuestionForm, _ app: App
  ) -> Chart {
    func series(
      _ state: LifecycleFold.State, _ counts: [Int], mark: Chart.Mark = .stack, color: Int
    ) -> Chart.Series {
      let links = zip(intervals, counts).map { interval, count in
        count > 0
          ? visit.people(form, app, ["group": "lifecycle", "of": interval.interval, "state": state.rawValue]) : nil
      }
      return Chart.Series(
        name: titled(state.rawValue), values: counts.map { Double($0) },
        mark: mark, color: color, links: links)
    }
    var dormant = series(.dormant, intervals.map(\.dormant), mark: .stackBelow, color: 2)
    if days.upperBound >= today, !intervals.isEmpty {
      // Until an interval is over, everyone who has yet to come would count.
      dormant.values[intervals.count - 1] = nil
      dormant.links[intervals.count - 1] = nil
    }
    return Chart(
      id: id, title: title, places: Chart.Place.places(intervals.map(\.interval), form.unit, in: days, today: today),
      series: [
        series(.returning, intervals.map(\.returning), color: 1),
        series(.resurrected, intervals.map(\.resurrected), color: 4), series(.new, intervals.map(\.new), color: 3),
        dormant,
      ], unit: form.unit.heading)
  }

  func show(
    stickiness persons: [Int], other: OtherAnswer?, _ form: QuestionForm, _ app: App, _ view: inout QuestionView
  ) {
    guard persons.contains(where: { $0 > 0 }) else { return }
    let (unit, all) = (form.unit.rawValue, persons.reduce(0, +))
    let shares = persons.map { Double($0) / Double(all) }
    var otherShares: [Double]?
    if let other, case .stickiness(let others) = other.answer {
      let all = others.reduce(0, +)
      otherShares = others.map { all > 0 ? Double($0) / Double(all) : 0 }
    }
    func otherShare(_ index: Int) -> Double? { otherShares.map { $0.indices.contains(index) ? $0[index] : 0 } }
    func link(_ index: Int) -> String? {
      persons[index] > 0 ? visit.people(form, app, ["group": "stickiness", "active": String(index + 1)]) : nil
    }
    let heading = "Users by the number of \(unit)s with activity"
    let about =
      "In how many \(unit)s of the range users were active; the further "
      + "to the right, the more regularly they come."
    let last = persons.indices.last { persons[$0] > 0 || (otherShare($0) ?? 0) > 0 } ?? 0
    if form["show"] != "table" {
      view.foldsGrids = true
      var series = [
        Chart.Series(
          name: "Share of users", values: shares.prefix(last + 1).map { $0 }, mark: .bar, color: 1,
          links: (0...last).map(link))
      ]
      if let other {
        series.append(
          Chart.Series(name: other.comparison.name, values: (0...last).map(otherShare), isCompared: true, color: 3))
      }
      let chart = Chart(
        id: "stickiness-\(form.chart)", title: heading,
        places: (0...last).map { Chart.Place(axis: String($0 + 1), title: counted($0 + 1, unit)) }, series: series,
        format: .share, unit: "\(form.unit.heading)s active")
      view.pictures.append(.init(heading: heading, about: about, content: chart.html()))
    }
    let rows = (0...last).filter { persons[$0] > 0 || (otherShare($0) ?? 0) > 0 }.map { index -> [TemplateValues] in
      [
        .head(counted(index + 1, unit)),
        .cell(grouped(persons[index]), link: link(index), bar: ShareBar.svg(shares[index])),
        .cell(percentage(shares[index])),
      ]
        + (otherShare(index).map { OtherAnswer.cells(shares[index], other: $0) } ?? [])
    }
    view.grids.append(
      AnswerGrid(
        heading: heading, about: about,
        columns: ["\(form.unit.heading)s active", "Users", "Share"]
          + (other?.columns ?? []), rows: rows, note: other?.note))
  }

  /// The second question of the page Lifecycle: how regularly users come.
  func stickiness(
    _ form: QuestionForm, today: Day, _ ask: PageVisit.Ask
  ) async throws -> (persons: [Int], other: OtherAnswer?)? {
    // A card of a dashboard shows the first picture only.
    guard form.card == nil else { return nil }
    let question = Question.stickiness(try form.interval())
    async let compared = visit.other(form, question, today: today, ask) { form throws(QuestionError) in
      .stickiness(try form.interval())
    }
    guard case .stickiness(let persons) = try await ask(question).answer else { return nil }
    return (persons, try await compared)
  }
}

extension QuestionPageDefinition {
  static var lifecycle: QuestionPageDefinition {
    QuestionPageDefinition(
      explanation: "New, returning, resurrected and dormant users, and how regularly users come.",
      icon: "M3 16V9M8 16V4M13 16v-5M17 16V7",
      sentence: {
        [$0.choice("New, returning and lost users of each", "Interval", "interval", QuestionForm.units, "day")]
      },
      more: { $0.display },
      question: { form throws(QuestionError) in .lifecycle(try form.interval()) },
      files: { form throws(QuestionError) in
        let interval = try form.interval()
        return [
          QuestionFile(title: "Users by state", .lifecycle(interval)),
          QuestionFile(
            "stickiness", title: "Users by the number of \(form.unit.rawValue)s with activity", .stickiness(interval)),
        ]
      },
      groups: [
        PersonsGroupForm(name: "lifecycle") { form throws(QuestionError) in
          var group = LifecycleGroup(question: try form.interval())
          try group.set("of", to: .text(form["of"] ?? ""))
          try group.set("state", to: .text(form["state"] ?? ""))
          return group.group
        } text: { form in
          " \(shown(form["state"] ?? "")) in the \(shown(form["interval"] ?? "day")) of \(shown(form["of"] ?? ""))"
        },
        PersonsGroupForm(name: "stickiness") { form throws(QuestionError) in
          var group = StickinessGroup(question: try form.interval())
          try form.fill(&group, number: "intervals", from: "active")
          return group.group
        } text: { form in
          " active on exactly \(counted(Int(form["active"] ?? "") ?? 0, shown(form["interval"] ?? "day")))"
        },
      ],
      view: { visit, form, app, today, ask in
        let lifecycle = LifecyclePage(visit: visit)
        async let regularity = lifecycle.stickiness(form, today: today, ask)
        var view = try await visit.view(form, app, today: today, ask) { answered, other, view in
          guard case .lifecycle(let intervals) = answered.answer else { return }
          let days = answered.question.scope.range.resolved(today: today)
          lifecycle.show(intervals, over: days, today: today, other: other, form, app, &view)
        }
        if let (persons, other) = try await regularity {
          lifecycle.show(stickiness: persons, other: other, form, app, &view)
        }
        return view
      })
  }
}

extension QuestionForm {
  func interval() throws(QuestionError) -> IntervalQuestion {
    var question = IntervalQuestion(scope: try scope())
    try fill(&question, "interval")
    return question
  }
}
