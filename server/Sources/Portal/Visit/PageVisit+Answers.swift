import Questions
import Reports
import Warehouse

extension PageVisit {
  /// Asks the main question of a form, and the one that it is compared with.
  ///
  /// - Parameter show: Shows the answers.
  func view(
    _ form: QuestionForm, _ app: App, today: Day, _ ask: PageVisit.Ask,
    show: (AnsweredQuestion, OtherAnswer?, inout QuestionView) throws -> Void
  ) async throws -> QuestionView {
    guard let question = try form.question() else { return QuestionView() }
    // Asked at the same time: none needs another's answer.
    async let compared = other(form, question, today: today, ask)
    let answered = try await ask(question)
    let before = try await compared
    var view = QuestionView(answered)
    try show(answered, before, &view)
    return view
  }

  /// Shows a chart with its numbers, or only the numbers if the page asks for a table.
  ///
  /// - Parameters:
  ///   - columns: The columns of the table; by default the lines of the chart.
  ///   - format: The format of the columns; by default that of the chart.
  func show(
    _ chart: Chart, columns: [Chart.Series]? = nil, format: ChartFormat? = nil, _ heading: String, about: String,
    _ form: QuestionForm, _ app: App,
    _ view: inout QuestionView
  ) {
    let columns = columns ?? chart.series
    var figures = chart
    figures.format = format ?? chart.format
    guard form["show"] == "table" else {
      view.pictures.append(
        .init(heading: heading, about: about, content: drawn(chart) + table(figures, columns, notesOf: app.id)))
      return
    }
    let rows = chart.places.indices.reversed().map { index -> [TemplateValues] in
      [.head(chart.places[index].title)]
        + columns.map { .cell(figures.format.text($0.values[index]), link: $0.links.isEmpty ? nil : $0.links[index]) }
    }
    view.grids.append(
      AnswerGrid(heading: heading, about: about, columns: [chart.unit] + columns.map(\.name), rows: rows))
  }
}
