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
    let answered = try await ask(form.question(form.page.kind, json))
    var view = QuestionView(answered)
    let isOpen = answered.question.scope.endsOn(today)
    switch answered.answer {
    case .funnel(let answer):
      show(answer, before: try await other(form, answered.question, today: today, ask), form, app, &view)
    case .retention(let answer):
      show(answer, before: try await other(form, answered.question, today: today, ask), form, app, &view)
    case .paths(let answer): show(answer, form, app, &view)
    case .lifecycle(let intervals):
      show(intervals, isOpen: isOpen, form, app, &view)
      if let json = form.json(.stickiness) {
        let other = try await ask(form.question(.stickiness, json))
        if case .stickiness(let persons) = other.answer { show(stickiness: persons, form, app, &view) }
      }
    case .persons(let answer): try show(answer, form, app, &view)
    case .query, .stickiness: break
    }
    return view
  }
}
