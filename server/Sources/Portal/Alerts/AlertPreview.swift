import Alerts
import Questions
import Reports
import TernEvents
import Warehouse

/// The course of an alert's figure, with the limit drawn in and the number of times that the alert would have fired.
struct AlertPreview: Sendable {
  /// The figures of the past periods, oldest first.
  var figures: [PeriodFigure] = []
  /// The number of days.
  var days = 0
  /// The figures at which the alert would have fired; `nil` without a limit.
  var breaches: [PeriodFigure]?
  /// The reason why there are no figures.
  var message: String?
  /// The field that the reason is about.
  var fault: (field: String, words: String)?

  /// The most dates that are named.
  private static let namedDates = 5
  /// The most periods that a table has.
  private static let maximumRows = 100

  /// Asks for the figures of a form.
  init(
    _ form: AlertForm, segments: [SavedSegment], app: App, now: Timestamp, _ ask: PageVisit.Ask
  ) async throws {
    let question = form.question()
    do {
      let past = PastPeriods(
        question.period, of: try QuestionPage.alertFigure(question, segments: segments), at: now,
        in: QuestionCalendar(app.zone))
      var answers: [Answer] = []
      for question in past.questions { answers.append(try await ask(question).answer) }
      (figures, days) = (past.figures(answers) ?? [], past.days)
      guard form.hasLimit else { return }
      let alert = Alert(
        app: app.id, name: "", condition: try form.condition(), minimumUsers: try form.minimumUsers(), destinations: [])
      breaches = AlertReplay(alert, figures).breaches
    } catch let error as WarehouseError where error.code == .invalid {
      message = error.message
    } catch let error as QuestionError {
      fault = form.figure.fault(error)
      message = fault == nil ? error.message : nil
    }
  }

  /// The number of times that the alert would have fired, in words.
  var words: String? {
    guard !figures.isEmpty else { return nil }
    guard let breaches else {
      return "Enter a limit and press Show: it is drawn in, with how often the alert would have fired."
    }
    let count = "It would have fired \(counted(breaches.count, "time")) in the last \(days) days"
    guard !breaches.isEmpty else { return "\(count)." }
    let dates = breaches.suffix(Self.namedDates).reversed().map { breach in
      let (day, time) = (breach.label.prefix(10), breach.label.dropFirst(11))
      return (Day(String(day))?.shortText ?? String(day)) + (time.isEmpty ? "" : " \(time)")
    }
    return "\(count), \(breaches.count > Self.namedDates ? "the latest " : "")on \(dates.joined(separator: ", "))."
  }

  /// The chart, and its numbers unless they are very many, as HTML.
  func html(_ form: AlertForm, _ visit: PageVisit, app: App, now: Timestamp) -> String? {
    guard let first = figures.first, let last = figures.last, let start = Day(String(first.label.prefix(10))),
      let end = Day(String(last.label.prefix(10)))
    else { return nil }
    let (question, figure) = (form.question(), form.figure)
    let unit = question.unit
    func drawn(_ value: Double?) -> Double? { value.map { unit == .percent ? $0 / 100 : $0 } }
    let name = shown(QuestionPage.alertFigureName(question))
    var series = [Chart.Series(name: name, values: figures.map { drawn($0.value) }, color: 1)]
    // The limit of a change isn't one of the figure.
    if let condition = try? form.condition(), let limit = condition.limit, form.kind != .changed {
      series.append(
        Chart.Series(
          name: "Limit: \(unit.text(limit: limit))", values: figures.map { _ in drawn(limit) }, isCompared: true,
          color: 2))
    }
    let time = question.period.unit
    let chart = Chart(
      id: "alert", title: "\(name) per \(question.period.rawValue)",
      places: Chart.Place.places(
        figures.map(\.label), time, in: start...end,
        today: QuestionCalendar(app.zone).day(of: now.millisecondsSince1970)),
      series: series, format: figure.page == .funnels ? .share : figure.format, unit: time.heading)
    return visit.drawn(chart) + (figures.count <= Self.maximumRows ? visit.table(chart) : "")
  }
}
