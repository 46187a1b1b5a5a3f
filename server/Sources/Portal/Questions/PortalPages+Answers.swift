import Questions
import Reports
import Warehouse

extension PortalPages {
  /// Asks the question of a form and shows its answer.
  func view(_ form: QuestionForm, _ app: App, today: Day, _ ask: Ask) async throws -> QuestionView {
    if form.page == .explore { return try await explore(form, app, today: today, ask) }
    guard let json = form.json(form.page.kind) else {
      var view = QuestionView()
      view.calm = ("Choose two steps", "A funnel has at least two: for example a screen, and an event on it.")
      return view
    }
    let question = try form.question(form.page.kind, json)
    // Asked at the same time: none needs another's answer.
    async let compared = other(form, question, today: today, ask)
    async let regularity = stickiness(form, today: today, ask)
    let answered = try await ask(question)
    let before = try await compared
    var view = QuestionView(answered)
    let isOpen = answered.question.scope.endsOn(today)
    switch answered.answer {
    case .funnel(let answer): show(answer, before: before, form, app, &view)
    case .retention(let answer): show(answer, before: before, form, app, &view)
    case .paths(let answer): show(answer, before: before, form, app, &view)
    case .lifecycle(let intervals):
      show(intervals, isOpen: isOpen, before: before, form, app, &view)
      if let (persons, before) = try await regularity {
        show(stickiness: persons, before: before, form, app, &view)
      }
    case .persons(let answer): try show(answer, form, app, &view)
    case .query, .stickiness: break
    }
    return view
  }

  /// The second question of the page Lifecycle: how regularly users come.
  private func stickiness(
    _ form: QuestionForm, today: Day, _ ask: Ask
  ) async throws -> (persons: [Int], before: OtherAnswer?)? {
    // A card of a dashboard shows the first picture only.
    guard form.page == .lifecycle, form.card == nil, let json = form.json(.stickiness) else { return nil }
    let question = try form.question(.stickiness, json)
    async let compared = other(form, question, kind: .stickiness, today: today, ask)
    guard case .stickiness(let persons) = try await ask(question).answer else { return nil }
    return (persons, try await compared)
  }

  /// Shows a chart with its numbers, or only the numbers if the page asks for a table.
  ///
  /// - Parameter columns: The columns of the table; by default the lines of the chart.
  func show(
    _ chart: Chart, columns: [Chart.Series]? = nil, _ heading: String, about: String, _ form: QuestionForm,
    _ view: inout QuestionView
  ) {
    let columns = columns ?? chart.series
    guard form["show"] == "table" else {
      view.pictures.append(.init(heading: heading, about: about, content: drawn(chart) + table(chart, columns)))
      return
    }
    let rows = chart.slots.indices.reversed().map { index -> [TemplateValues] in
      [.head(chart.slots[index].title)]
        + columns.map { .cell(chart.format.text($0.values[index]), link: $0.links.isEmpty ? nil : $0.links[index]) }
    }
    view.grids.append(.grid(heading, about: about, [chart.unit] + columns.map(\.name), rows))
  }
}
