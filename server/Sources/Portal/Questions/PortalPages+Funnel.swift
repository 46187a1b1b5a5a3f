import Questions
import Reports
import Warehouse

extension PortalPages {
  private static let aboutSteps =
    "How many users took each step after the ones before it, within the time allowed, and where the others stopped."

  func show(
    _ answer: FunnelAnswer, before: OtherAnswer?, _ form: QuestionForm, _ app: App, _ view: inout QuestionView
  ) {
    let names = form.funnelSteps.map(\.title)
    guard answer.groups.contains(where: { ($0.steps.first?.persons ?? 0) > 0 }) else {
      view.calm = ("No one took the first step", "Choose a longer range, or another first step.")
      return
    }
    var columns = ["Step", "Users", "Of the first", "Of the one before", "Stopped here", "Median time"]
    var past: FunnelAnswer?
    if let before, case .funnel(let answer) = before.answer {
      past = answer
      columns.insert(contentsOf: [before.heading, "Change"], at: 3)
    }
    for group in answer.groups {
      let earlier = past.map { past in past.groups.first { $0.value == group.value }?.steps ?? [] }
      let rows = zip(names, group.steps).enumerated().map { index, pair in
        row(index, pair.0, group, before: earlier, form, app)
      }
      let heading = form.breakdown == nil ? "Steps" : "\(form.breakdownName): \(text(group.value))"
      view.grids.append(
        .grid(
          heading, about: Self.aboutSteps, columns, rows,
          note: before.map { "\($0.about) Changes are in percentage points." }))
    }
  }

  private func row(
    _ index: Int, _ name: String, _ group: FunnelAnswer.Group, before: [FunnelAnswer.Step]?, _ form: QuestionForm,
    _ app: App
  ) -> [TemplateValues] {
    let (steps, number) = (group.steps, String(index + 1))
    let step = steps[index]
    let value = form.breakdown == nil ? [] : QuestionForm.parameters(of: group.value)
    func link(_ changes: [(String, String?)]) -> String? {
      people(form, app, [("group", "funnel"), ("step", number)] + changes + value)
    }
    let lost = index == 0 ? 0 : steps[index - 1].persons - step.persons
    let (reached, left) = (step.persons > 0 ? link([]) : nil, lost > 0 ? link([("dropped", "1")]) : nil)
    var cells: [TemplateValues] = [
      .head("\(number). \(shown(name))"),
      .cell(grouped(step.persons), link: reached, bar: ShareBar.svg(step.fromFirst ?? 0)),
      .cell(step.fromFirst.map { percentage($0) } ?? "–"),
    ]
    if let before {
      let earlier = before.indices.contains(index) ? before[index].fromFirst : nil
      cells.append(.cell(earlier.map { percentage($0) } ?? "–"))
      cells.append(.cell(Change.text(step.fromFirst, before: earlier)))
    }
    return cells + [
      .cell(step.fromPrevious.map { percentage($0) } ?? "–"), .cell(index == 0 ? "–" : grouped(lost), link: left),
      .cell(step.medianSeconds.map { clockText(milliseconds: whole($0 * 1_000)) } ?? "–"),
    ]
  }
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
            "ordered")
        ]
      },
      question: { form throws(QuestionError) in try form.funnel().map { .funnel($0) } },
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
      view: { pages, form, app, today, ask in
        try await pages.view(form, app, today: today, ask) { answered, before, view in
          if case .funnel(let answer) = answered.answer { pages.show(answer, before: before, form, app, &view) }
        }
      })
  }
}

extension QuestionForm {
  /// The funnel; `nil` with fewer than two steps.
  func funnel() throws(QuestionError) -> FunnelQuestion? {
    let steps = funnelSteps
    guard steps.count > 1 else { return nil }
    var funnel = FunnelQuestion(scope: try scope(), steps: [])
    try funnel.set("steps", to: .array(steps.map(\.json)))
    for member in ["order", "window"] { try fill(&funnel, member) }
    funnel.breakdown = try breakdownDimension()
    return funnel
  }

  /// The fields of the steps, at least two.
  fileprivate var stepFields: [BuilderField] {
    let steps = funnelSteps
    return (1...max(steps.count, 2)).flatMap { number in
      Self.step(number, steps.indices.contains(number - 1) ? steps[number - 1] : nil)
    }
  }

  /// The fields of one step.
  static func step(_ number: Int, _ step: RowChoice?) -> [BuilderField] {
    var kind = kind(number == 1 ? "Users with" : "then", number, step, "event", kinds)
    (kind.label, kind.step) = ("Kind of step \(number)", number)
    var name = name(number, step)
    name.label = "Name of step \(number)"
    name.isShown = step == nil || name.isShown
    return [kind, name]
  }
}

extension Change {
  /// The difference of two shares in words; a dash if one is missing.
  static func text(_ current: Double?, before: Double?) -> String {
    guard let current, let before else { return "–" }
    return Change(shares: current, before: before, explanation: "").text
  }
}
