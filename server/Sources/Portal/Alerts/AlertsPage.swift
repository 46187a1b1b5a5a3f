package import Alerts
import Foundation
import Outgoing
import Reports
package import TernEvents
import Warehouse

/// The page of an app's alerts, which posts to `/apps/ID/alerts`, or of those about the server, which posts to
/// `/alerts`.
package struct AlertsPage: AppPage {
  package static let place = AppPlace.alerts

  let visit: PageVisit
  let alerts: [StoredAlert]
  let history: [AlertNotification]
  let form: AlertForm
  let destinations: AlertDestinations
  let preview: AlertPreview?
  let app: App?
  let apps: [App]
  let now: Timestamp
  let result: FormResult

  /// - Parameters:
  ///   - alerts: The alerts with their state.
  ///   - history: The latest notifications, latest first.
  ///   - form: The fields of the form that creates or changes an alert.
  ///   - destinations: The destinations that the form offers.
  ///   - preview: The course of the form's figure; `nil` if it has none, or nothing is chosen yet.
  init(
    _ visit: PageVisit, _ alerts: [StoredAlert], history: [AlertNotification], form: AlertForm = AlertForm(),
    destinations: AlertDestinations = AlertDestinations([]), preview: AlertPreview? = nil, app: App?, apps: [App],
    now: Timestamp, result: FormResult = FormResult()
  ) {
    (self.visit, self.alerts, self.history, self.form, self.app, self.apps, self.now, self.result) = (
      visit, alerts, history, form, app, apps, now, result
    )
    (self.destinations, self.preview) = (destinations, preview)
  }

  package init(_ request: some PageRequest) async throws {
    let (app, parameters) = (request.app, request.parameters)
    let alerts = try request.catalog.alerts(app: app.id)
    let form = Self.form(alerts, parameters, request.fields)
    let isChosen = request.fields != nil || parameters["question"] != nil || parameters["edit"] != nil
    let preview =
      isChosen && form.isAboutFigure
      ? try await AlertPreview(form, segments: try request.segments(), app: app, now: request.now, request.ask) : nil
    try self.init(
      try await request.visit(naming: form.isAboutFigure ? Set(form.figure.namedFields.map(\.value)) : []), alerts,
      of: app,
      apps: request.apps, from: request.catalog, form: form, preview: preview, now: request.now, result: request.result)
  }

  /// The most notifications on the page.
  private static let notifications = 50

  /// Reads the alerts about the server.
  ///
  /// - Parameters:
  ///   - parameters: The parameters of the address.
  ///   - fields: The fields of the form that was posted.
  package init(
    _ visit: PageVisit, from catalog: any AlertStore & MailReportStore, _ parameters: [String: String],
    form fields: [String: String]?, now: Timestamp, result: FormResult
  ) throws {
    let alerts = try catalog.alerts(app: nil)
    try self.init(
      visit, alerts, of: nil, apps: [], from: catalog, form: Self.form(alerts, parameters, fields), preview: nil,
      now: now, result: result)
  }

  /// The form as it was posted, or as an address fills it in: with an alert to change, a figure or a kind of condition.
  private static func form(
    _ alerts: [StoredAlert], _ parameters: [String: String], _ posted: [String: String]?
  ) -> AlertForm {
    if let posted { return AlertForm(posted) }
    let edited = alerts.first { $0.alert.id.description == parameters["edit"] }
    var form = edited.map { AlertForm($0.alert) } ?? AlertForm()
    if parameters["question"] != nil { form.fields["kind"] = nil }
    for name in ["question", "kind"] { form.fields[name] = parameters[name] ?? form.fields[name] }
    return form
  }

  private init(
    _ visit: PageVisit, _ alerts: [StoredAlert], of app: App?, apps: [App],
    from catalog: any AlertStore & MailReportStore, form: AlertForm, preview: AlertPreview?, now: Timestamp,
    result: FormResult
  ) throws {
    let history = try alerts.flatMap { try catalog.notifications(of: $0.alert.id, limit: Self.notifications) }
      .sorted { ($1.message.time, $1.message.id) < ($0.message.time, $0.message.id) }.prefix(Self.notifications)
    self.init(
      visit, alerts, history: Array(history), form: form,
      destinations: try AlertDestinations(app: app?.id, reader: visit.reader.name, from: catalog), preview: preview,
      app: app, apps: apps, now: now, result: result)
  }

  package func html() -> String {
    let address = app.map { PortalLinks(app: $0.id).page(.alerts) } ?? "/alerts"
    let rows = alerts.map { stored -> TemplateValues in
      let alert = stored.alert
      let mute =
        alert.isMuted(at: now)
        ? TemplateValues.button("Unmute", "unmute", id: alert.id, to: address)
        : .button("Mute for 8 hours", "mute", id: alert.id, to: address)
      return .row(
        [
          shown(alert.name), AlertForm.words(alert.condition),
          shown(alert.destinations.map(\.shown).joined(separator: ", ")),
          state(stored, app, now),
        ],
        [
          .changeLink(alert.id, on: address), mute,
          .button("Delete", "delete", id: alert.id, to: address, destroys: true),
        ])
    }
    let names = Dictionary(alerts.map { ($0.alert.id, $0.alert.name) }, uniquingKeysWith: { $1 })
    let notifications = history.map { notification in
      TemplateValues.row([
        listed(notification.message.time, of: app), shown(names[notification.source] ?? ""),
        shown(notification.message.text),
        shown(notification.deliveries.map(\.text).joined(separator: "; "), empty: "–"),
      ])
    }
    // The page opens at the form, so the form says what became of it.
    let isOfForm = form.fields["do"] != nil
    var page = ManagementPage(
      title: "Alerts",
      lead: app == nil
        ? "The server reports its own problems, such as a full disk or a failed backup: once, and once when they are over."
        : "The server checks every two minutes and reports once when a limit is crossed, once when that is over, and once "
          + "when data that arrives late changes either.",
      result: isOfForm ? FormResult() : result,
      tables: [
        .list("Alerts", ["Name", "Condition", "To", "State"], rows, empty: "No alerts yet. Add one below."),
        .list(
          "History", ["Time", "Alert", "Message", "Delivered"], notifications, empty: "No notifications yet."),
      ])
    var faults = form.isAboutFigure ? visit.words(of: form.figure.namedFields) : [:]
    if let fault = preview?.fault { faults[fault.field] = fault.words }
    page.last = visit.templates.render(
      "alertform",
      form.values(
        visit, app: app, name: form.alertID.flatMap { names[$0] }, to: address, destinations, faults: faults,
        chart: app.flatMap { preview?.html(form, visit, app: $0, now: now) }, words: preview?.words,
        message: preview?.message, result: isOfForm ? result : FormResult()))
    guard let app else { return visit.management(page) }
    return visit.management(page, app: app, apps: apps, place: .alerts)
  }

  private func state(_ stored: StoredAlert, _ app: App?, _ now: Timestamp) -> String {
    switch stored.status(at: now) {
    case .muted: "Muted until \(listed(stored.alert.mutedUntil, of: app))"
    case .raised: "Raised"
    case .quiet: "Quiet"
    case .failing: shown("Can’t be evaluated: \(stored.state.failure?.reason ?? "")")
    }
  }
}

extension AppPlace {
  package static let alerts = AppPlace("Alerts", "alerts")
}
