import JSON
import Questions
import Reports
import Warehouse

/// The page Funnels: the users who take steps, and where the others stop.
struct FunnelsPage {
  let visit: PageVisit

  private static let aboutSteps =
    "How many users took each step after the ones before it, within the time allowed, and where the others stopped."

  /// Asks for a funnel, and for its breakdown.
  func funnel(_ form: QuestionForm, _ app: App, today: Day, _ ask: PageVisit.Ask) async throws -> QuestionView {
    guard var funnel = try form.funnel() else {
      var view = QuestionView()
      view.emptyState = ("Choose two steps", "A funnel has at least two: for example a screen, and an event on it.")
      return view
    }
    let byValue = funnel.breakdown == nil ? nil : Question.funnel(funnel)
    let valueStep = funnel.breakdownStep
    funnel.breakdown = nil
    let question = Question.funnel(funnel)
    // Asked at the same time: none needs another's answer.
    async let compared = visit.other(form, question, today: today, ask) { form throws(QuestionError) in
      try form.wholeFunnel().map { .funnel($0) }
    }
    async let groups = byValue.asyncMap { try await ask($0).answer }
    async let change = change(of: question, form, today: today, ask)
    let answered = try await ask(question)
    var view = QuestionView(answered)
    guard case .funnel(let answer) = answered.answer, let all = answer.groups.first,
      (all.steps.first?.persons ?? 0) > 0
    else {
      view.emptyState = ("No one took the first step", "Choose a longer range, or another first step.")
      return view
    }
    let other = try await compared
    if form.card != nil {
      view.figure = CardFigure(
        value: all.steps.last?.fromFirst.map { percentage($0) } ?? "–", change: try await change,
        about: "took all steps, \(funnel.scope.range.resolved(today: today).text)")
    }
    if case .funnel(let byValue)? = try await groups, let breakdown = try form.breakdownDimension() {
      // Under the last step's values all have begun.
      let ranked = byValue.groups.sorted { valueStep == .last ? $0.ended > $1.ended : $0.started > $1.started }
      let drawn = Array(ranked.prefix(RankedValues.drawn))
      let rest = drawn.count < ranked.count ? try await others(than: drawn, of: breakdown, valueStep, funnel, ask) : nil
      // Versions are in their order, other values in that of their users.
      let isOrdered = { (left: FunnelAnswer.Group, right: FunnelAnswer.Group) in
        breakdown.isOrdered(left.value, before: right.value)
      }
      let isVersion = breakdown == .version
      show(
        isVersion ? ranked.sorted(by: isOrdered) : ranked, drawn: isVersion ? drawn.sorted(by: isOrdered) : drawn,
        rest: rest, of: valueStep, all: all, other: other, form, app, &view)
    } else {
      show(all, other: other, form, app, &view)
    }
    return view
  }

  /// The change of the share of users who took all steps, for a card; `nil` if there is nothing to compare with.
  private func change(
    of question: Question, _ form: QuestionForm, today: Day, _ ask: PageVisit.Ask
  ) async throws -> Change? {
    guard form.card != nil, let comparison = try form.totalComparison(of: question.scope, today: today),
      let settled = comparison.settled
    else { return nil }
    func share(_ question: Question?) async throws -> Double? {
      guard let question else { return nil }
      let answered = try await ask(question)
      // Without its first rows, a funnel would be compared with a part of it.
      guard answered.firstKeptDay == nil, case .funnel(let answer) = answered.answer else { return nil }
      return answer.groups.first?.steps.last?.fromFirst
    }
    let current = try await share(comparison.isOpen ? question.over(settled.current) : question)
    let before = try await share(
      comparison.segment == nil
        ? question.over(settled.other)
        : try form.otherSide(of: comparison).wholeFunnel().map { .funnel($0) })
    guard let current, let before else { return nil }
    return Change(
      shares: current, before: before, note: comparison.note(percentage(current), percentage(before)))
  }

  /// Asks for the funnel in which the steps that decide have none of some values.
  private func others(
    than drawn: [FunnelAnswer.Group], of breakdown: QuestionDimension, _ valueStep: FunnelBreakdownStep,
    _ funnel: FunnelQuestion, _ ask: PageVisit.Ask
  ) async throws -> FunnelAnswer.Group? {
    var rest = funnel
    let shown = drawn.map { group -> QuestionFilter in
      group.value.map { .isOneOf(breakdown, [$0]) } ?? .isNotSet(breakdown)
    }
    for step in valueStep.indices(of: rest.steps.count) { rest.steps[step].filters.append(.not(.any(shown))) }
    guard case .funnel(let answer) = try await ask(.funnel(rest)).answer else { return nil }
    return answer.groups.first
  }

  /// Shows the steps of all persons.
  private func show(
    _ group: FunnelAnswer.Group, other: OtherAnswer?, _ form: QuestionForm, _ app: App, _ view: inout QuestionView
  ) {
    var bars = [FunnelDrawing.Bars(name: "This page", shares: group.shares, color: 1)]
    if let other {
      bars.append(
        .init(name: other.comparison.name, shares: other.steps.map { $0.fromFirst ?? 0 }, color: 3, isCompared: true))
    }
    let drawing = drawing(group, bars, form, app)
    view.pictures.append(.init(heading: "Steps", about: Self.aboutSteps, content: drawing.html()))
    var columns = ["Step", "Users", "Of the first", "Of the one before", "Stopped here", "Median time"]
    if let other { columns.insert(contentsOf: other.columns, at: 3) }
    let rows = group.steps.indices.prefix(form.stepNames.count).map { row($0, group, other: other, form, app) }
    view.grids.append(
      AnswerGrid(
        heading: "Steps in figures", about: "The median time is that from the step before.", columns: columns,
        rows: rows, note: other?.note))
  }

  /// Shows the steps of all persons and of those with each value of a breakdown.
  private func show(
    _ groups: [FunnelAnswer.Group], drawn: [FunnelAnswer.Group], rest: FunnelAnswer.Group?,
    of valueStep: FunnelBreakdownStep, all: FunnelAnswer.Group, other: OtherAnswer?, _ form: QuestionForm, _ app: App,
    _ view: inout QuestionView
  ) {
    let breakdown = "\(form.breakdownName) of \(valueStep.words)"
    let colors = ValueColors.numbers(of: drawn.map { $0.value?.plainText })
    var bars = zip(drawn, colors).map { group, color in
      FunnelDrawing.Bars(name: valueText(group.value, of: form.breakdown), shares: group.shares, color: color)
    }
    if let rest { bars.append(.init(name: "Other", shares: rest.shares, color: Chart.otherColor)) }
    let note =
      rest == nil ? nil : "\(drawn.count) of \(grouped(groups.count)) values, the others as one bar"
    let drawing = drawing(all, bars, form, app)
    view.pictures.append(
      .init(
        heading: "Steps by \(breakdown)",
        about: "The share of the users with each value who took each step; the figures below are those of all.",
        content: drawing.html(), note: note))
    let last = all.steps.count - 1
    func cells(_ group: FunnelAnswer.Group, _ value: [(String, String?)] = []) -> [TemplateValues] {
      group.steps.enumerated().map { index, step in
        let share = index == 0 ? "" : " · \(step.fromFirst.map { percentage($0) } ?? "–")"
        let (lost, links) = outcome(of: index, in: group, form, app, value)
        return .cell(
          grouped(step.persons) + share, link: links.reached,
          bar: links.lost.map { "<a class=\"left\" href=\"\(escaped($0))\">−\(grouped(lost))</a>" } ?? "")
      }
    }
    // The other side has no breakdown: only all users are compared.
    let overall =
      [.head("All users. Rows may add up to more.")] + cells(all)
      + (other.map { OtherAnswer.cells(all.steps[last].fromFirst, other: $0.share(at: last)) } ?? [])
    let rows = groups.map { group in
      [.head(valueText(group.value, of: form.breakdown), filter: filterLink(form, app, group.value, of: valueStep))]
        + cells(group, QuestionForm.parameters(of: group.value))
        + (other.map { _ in OtherAnswer.cells(group.steps[last].fromFirst, other: nil) } ?? [])
    }
    let columns = ["Value"] + form.stepNames.enumerated().map { "\($0 + 1). \(shown($1, limit: 40))" }
    view.grids.append(
      AnswerGrid(
        heading: "Steps by \(breakdown) in figures",
        about: valueStep.explanation
          + " Figures are users who took each step, their share of those who took the first, and how many stopped "
          + "before.",
        columns: columns + (other?.columns ?? []), rows: [overall] + rows, note: other?.note))
  }

  /// The address of the funnel that a row shows: with the value required of the steps that decide, and without the
  /// breakdown.
  private func filterLink(
    _ form: QuestionForm, _ app: App, _ value: QuestionValue?, of valueStep: FunnelBreakdownStep
  ) -> String? {
    guard !visit.reader.isGuest, form.card == nil, let breakdown = form.breakdown else { return nil }
    let row = FilterRow(breakdown, of: value)
    guard let filters = FilterRows(form.rows, others: form.otherFilters).adding(row.of(valueStep)) else { return nil }
    return PortalLinks(app: app.id).question(
      form.page, form.filtered(by: filters).query(["by": nil, "bystep": nil]))
  }

  private func drawing(
    _ group: FunnelAnswer.Group, _ bars: [FunnelDrawing.Bars], _ form: QuestionForm, _ app: App
  ) -> FunnelDrawing {
    let steps = zip(form.stepNames, group.steps).enumerated().map { index, pair -> FunnelDrawing.Step in
      let (name, step) = pair
      let (lost, links) = outcome(of: index, in: group, form, app)
      return FunnelDrawing.Step(
        name: shown(name), persons: step.persons, share: index == 0 ? nil : step.fromFirst, lost: lost, links: links)
    }
    return FunnelDrawing(steps: steps, bars: bars)
  }

  /// The number of users who stopped before a step, with the addresses of those who took it and of those who stopped.
  private func outcome(
    of index: Int, in group: FunnelAnswer.Group, _ form: QuestionForm, _ app: App, _ value: [(String, String?)] = []
  ) -> (lost: Int, links: (reached: String?, lost: String?)) {
    let persons = group.steps[index].persons
    let lost = index == 0 ? 0 : group.steps[index - 1].persons - persons
    let step: [(String, String?)] = [("group", "funnel"), ("step", String(index + 1))]
    return (
      lost,
      (
        persons > 0 ? visit.people(form, app, step + value) : nil,
        lost > 0 ? visit.people(form, app, step + [("dropped", "1")] + value) : nil
      )
    )
  }

  private func row(
    _ index: Int, _ group: FunnelAnswer.Group, other: OtherAnswer?, _ form: QuestionForm, _ app: App
  ) -> [TemplateValues] {
    let step = group.steps[index]
    let (lost, links) = outcome(of: index, in: group, form, app)
    var cells: [TemplateValues] = [
      .head("\(index + 1). \(shown(form.stepNames[index]))"), .cell(grouped(step.persons), link: links.reached),
      .cell(step.fromFirst.map { percentage($0) } ?? "–"),
    ]
    if let other { cells += OtherAnswer.cells(step.fromFirst, other: other.share(at: index)) }
    return cells + [
      .cell(step.fromPrevious.map { percentage($0) } ?? "–"),
      .cell(index == 0 ? "–" : grouped(lost), link: links.lost),
      .cell(step.medianSeconds.map { durationText(seconds: $0) } ?? "–"),
    ]
  }
}

extension QuestionForm {
  /// The funnel of all users; `nil` while the form lacks something.
  fileprivate func wholeFunnel() throws(QuestionError) -> FunnelQuestion? {
    var funnel = try funnel()
    funnel?.breakdown = nil
    return funnel
  }
}

extension FunnelAnswer.Group {
  fileprivate var started: Int { steps.first?.persons ?? 0 }
  fileprivate var ended: Int { steps.last?.persons ?? 0 }

  /// The share of the first step that reached each step.
  fileprivate var shares: [Double] { steps.map { $0.fromFirst ?? 0 } }
}

extension FunnelBreakdownStep {
  /// The meaning of a row of the table, and the reason why rows may add up to more than all users.
  fileprivate var explanation: String {
    switch self {
    case .first:
      "Each row is this funnel with its value required of the first step: someone who began with several values counts "
        + "under each of them."
    case .last:
      "Each row is this funnel with its value required of the last step: everyone who took the steps before counts in "
        + "each row."
    case .every:
      "Each row is this funnel with its value required of every step: someone who began with several values counts "
        + "under each of them."
    }
  }
}

extension OtherAnswer {
  /// The steps of all persons on the other side.
  fileprivate var steps: [FunnelAnswer.Step] {
    if case .funnel(let answer) = answer { answer.groups.first?.steps ?? [] } else { [] }
  }

  /// The share of the first step that reached a step.
  fileprivate func share(at index: Int) -> Double? { steps.indices.contains(index) ? steps[index].fromFirst : nil }
}

extension QuestionPageDefinition {
  static var funnels: QuestionPageDefinition {
    QuestionPageDefinition(
      explanation: "The users who take steps one after the other, and where the others stop.",
      icon: "M3 4h14l-5 6v6l-4-2v-4z",
      sentence: { form in
        form.stepFields + [
          form.text("within", "Longest time from the first step to the last", "window", "14d", empty: "14d"),
          form.breakdownField,
        ]
      },
      more: { form in
        [
          form.choice(
            "Steps are taken", "Order", "order",
            [("ordered", "in this order"), ("strict", "directly after each other"), ("unordered", "in any order")],
            "ordered"), form.breakdownStepField,
        ]
      },
      question: { form throws(QuestionError) in try form.funnel().map { .funnel($0) } },
      files: { form throws(QuestionError) in
        guard let funnel = try form.funnel() else { return [] }
        guard funnel.breakdown != nil else { return [QuestionFile(title: "Steps", .funnel(funnel))] }
        var all = funnel
        all.breakdown = nil
        return [
          QuestionFile(title: "Steps by \(form.breakdownName)", .funnel(funnel)),
          QuestionFile("all", title: "Steps of all users", .funnel(all)),
        ]
      },
      groups: [
        PersonsGroupForm(name: "funnel") { form throws(QuestionError) in
          guard let funnel = try form.funnel() else { return nil }
          var group = FunnelGroup(funnel: funnel)
          if form["dropped"] == "1" { try group.set("dropped", to: .boolean(true)) }
          try group.set("step", to: QuestionForm.number(form["step"] ?? "1"))
          if funnel.breakdown != nil, let values = form.chosenValue { try group.set("value", to: .array(values)) }
          return group.group
        } text: { form in
          let step = shown(form["step"] ?? "1")
          return (form["dropped"] == "1" ? " who stopped before step \(step)" : " who took step \(step)")
            + (form.valueText.map { " · \($0)" } ?? "")
        }
      ],
      view: { try await FunnelsPage(visit: $0).funnel($1, $2, today: $3, $4) })
  }
}
