import Alerts
import AppCatalog
import Foundation
import Ingest
import Portal
import Questions
import Reports
import TernEvents
import Warehouse
import WarehouseSQLite

/// Observes the warehouse for alerts, with the same questions as cards of dashboards, about one hour or day.
struct AlertObserver: Sendable {
  /// The most new groups of errors in one observation; later ones contain the others.
  private static let maximumErrors = 1_000

  let catalog: Catalog
  let reader: WarehouseReader
  /// The time since which the server can receive events.
  let receivingSince: Timestamp
  /// Returns the problems of the server.
  let problems: @Sendable (_ now: Timestamp) -> [ProblemNotice]

  /// Returns an observation.
  func observe(_ alert: Alert, _ state: AlertState, now: Timestamp) async throws -> AlertObservation {
    guard let id = alert.app else { return alert.condition == .serverProblem ? .problems(problems(now)) : .nothingNew }
    // The app was deleted meanwhile, and its alerts with it.
    guard let app = try catalog.app(id) else { return .nothingNew }
    switch alert.condition {
    case .above, .below, .changed, .crashFreeUsersBelow:
      guard let question = alert.condition.question else { return .nothingNew }
      return try await figure(question, state, app, now).map { .figure($0) } ?? .nothingNew
    case .nothingArrived:
      // Parts of attachments may arrive alone, long after their errors.
      let kinds = Set(StoredKind.allCases).subtracting([.attachmentPart])
      let last = try await reader.recent(app: id, kinds: kinds, limit: 1).first?.received
      return .arrival(last: last, receivingSince: receivingSince)
    case .newError: return try await newErrors(after: state.group, id)
    case .errorCameBack:
      let known = Set((state.closings ?? [:]).keys)
      return .returnedErrors(
        try await returnedErrors(id), numbers: try await reader.errorGroupNumbers(app: id, known))
    case .serverProblem: return .nothingNew
    }
  }

  private func figure(
    _ question: AlertQuestion, _ state: AlertState, _ app: App, _ now: Timestamp
  ) async throws -> PeriodFigure? {
    let figure = try QuestionPage.alertFigure(question, segments: try catalog.segments(app: app.id))
    let calendar = QuestionCalendar(app.zone)
    // Most evaluations end here: an hour is queried once, unless there was too little data, and a day once an hour.
    guard let periods = state.due(EndedPeriods.recent(question.period, at: now, in: calendar), at: now),
      let questions = periods.questions(figure)
    else { return nil }
    let today = calendar.day(of: now.millisecondsSince1970)
    var answers: [Answer] = []
    for asked in questions {
      answers.append(
        try await reader.answer(asked, app: app.id, calendar: QuestionCalendar(app.zone), today: today).answer)
    }
    var found = periods.figure(answers, of: figure)
    found?.name = QuestionPage.alertFigureName(question)
    return found
  }

  /// Returns the groups of crashes in the period of a figure, with the filters of its question, those with the most users
  /// first; none if the figure isn't about crashes.
  func crashes(_ alert: Alert, behind figure: PeriodFigure, now: Timestamp) async throws -> [CrashNotice] {
    guard let asked = alert.condition.question, let app = try alert.app.flatMap({ try catalog.app($0) }),
      case .query(let query) = try QuestionPage.alertFigure(asked, segments: try catalog.segments(app: app.id)),
      query.metrics.first?.isAboutCrashes ?? false
    else { return [] }
    let today = QuestionCalendar(app.zone).day(of: now.millisecondsSince1970)
    let day = QuestionCalendar.firstDay(of: asked.period.unit, number: figure.number)
    let scope = QuestionScope(
      range: .dates(day, day),
      filters: query.scope.filters + [
        .isOneOf(.kind, [.text(QuestionKind.crash.rawValue)]),
        .isOneOf(.time(asked.period.unit), [.text(figure.label)]),
      ], person: query.scope.person)
    let crashes = Set(
      try await reader.errors(in: scope, app: app.id, calendar: QuestionCalendar(app.zone), today: today))
    let groups = try await reader.errorGroups(app: app.id, group: nil, days: day...day, among: crashes, limit: .max)
    return groups.filter { $0.kind == .crash }.sorted { ($1.users, $1.count, $0.id) < ($0.users, $0.count, $1.id) }
      .prefix(CrashNotice.maximumCount).map { CrashNotice(type: $0.type, place: $0.place, users: $0.users) }
  }

  /// Returns what is usual for a figure, and the latest release before it. A funnel is asked about day by day, so nothing is
  /// usual for it.
  func context(_ alert: Alert, of figure: PeriodFigure, now: Timestamp) async throws -> FigureContext {
    var context = FigureContext()
    guard let asked = alert.condition.question, let app = try alert.app.flatMap({ try catalog.app($0) }) else {
      return context
    }
    let calendar = QuestionCalendar(app.zone)
    let today = calendar.day(of: now.millisecondsSince1970)
    let day = QuestionCalendar.firstDay(of: asked.period.unit, number: figure.number)
    let releases = try await Releases.find(
      app: app.id, days: day.advanced(by: -FigureContext.releaseDays)...day, from: reader)
    context.release = releases.last.map { FigureContext.Release(version: $0.version, day: $0.day) }
    let question = try QuestionPage.alertFigure(asked, segments: try catalog.segments(app: app.id))
    guard case .query = question else { return context }
    // A day may be reported some days later.
    let past = PastPeriods(
      asked.period, of: question, days: FigureContext.usualDays + 4, at: now, in: QuestionCalendar(app.zone))
    var answers: [Answer] = []
    for question in past.questions {
      answers.append(
        try await reader.answer(question, app: app.id, calendar: QuestionCalendar(app.zone), today: today).answer)
    }
    context.usual = FigureContext.usual(past.figures(answers) ?? [], before: figure, per: asked.period)
    return context
  }

  private func newErrors(after known: Int64?, _ app: AppID) async throws -> AlertObservation {
    let (groups, highest) = try await reader.errorGroups(
      app: app, after: known ?? .max, limit: Self.maximumErrors)
    let errors = groups.map { ErrorNotice(group: $0.id, type: $0.type, place: $0.place) }
    // If there are more than the limit, the others must stay unknown.
    return .newErrors(errors, highest: errors.count < Self.maximumErrors ? highest : errors.last?.group ?? highest)
  }

  private func returnedErrors(_ app: AppID) async throws -> [ErrorNotice] {
    let closed = try await catalog.errorStates(app: app).current(app: app, in: reader).filter {
      $0.value.status == .closed
    }
    guard !closed.isEmpty else { return [] }
    let versions = try await reader.errorVersions(app: app, since: closed.mapValues(\.changed))
    let returned = closed.compactMap { group, state -> (Int64, Int64, String)? in
      let triage = ErrorTriage(state, versions: Array(versions[group] ?? []))
      return triage.reopenedIn.map { (group, state.changed.millisecondsSince1970, $0) }
    }.sorted { $0.0 < $1.0 }
    let names = try await reader.errorGroups(returned.map(\.0))
    return returned.map { group, closed, version in
      ErrorNotice(
        group: group, type: names[group]?.type ?? "", place: names[group]?.place ?? "", version: version, closed: closed
      )
    }
  }
}
