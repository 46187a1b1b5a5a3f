package import Alerts
import Foundation
import Outgoing
import Reports
package import TernEvents
package import Warehouse

/// The page of an app's alerts, which posts to `/apps/ID/alerts`, or of those about the server, which posts to
/// `/alerts`.
package struct AlertsPage: AppPage {
  package static let place = AppPlace.alerts

  let visit: PageVisit
  let alerts: [StoredAlert]
  let history: [AlertNotification]
  let form: AlertForm
  let app: App?
  let apps: [App]
  let now: Timestamp
  let result: FormResult

  /// - Parameters:
  ///   - alerts: The alerts with their state.
  ///   - history: The latest notifications, latest first.
  ///   - form: The fields of the form that creates or changes an alert.
  init(
    _ visit: PageVisit, _ alerts: [StoredAlert], history: [AlertNotification], form: AlertForm = AlertForm(), app: App?,
    apps: [App], now: Timestamp, result: FormResult = FormResult()
  ) {
    (self.visit, self.alerts, self.history, self.form, self.app, self.apps, self.now, self.result) = (
      visit, alerts, history, form, app, apps, now, result
    )
  }

  package init(_ request: some PageRequest) async throws {
    try self.init(
      try await request.visit(), of: request.app, apps: request.apps, from: request.catalog, request.parameters,
      form: request.fields, now: request.now, result: request.result)
  }

  /// The most notifications on the page.
  private static let notifications = 50

  /// Reads the alerts of an app, or those about the server.
  ///
  /// - Parameters:
  ///   - parameters: The parameters of the address.
  ///   - fields: The fields of the form that failed.
  package init(
    _ visit: PageVisit, of app: App?, apps: [App], from catalog: any AlertStore, _ parameters: [String: String],
    form fields: [String: String]?, now: Timestamp, result: FormResult
  ) throws {
    let alerts = try catalog.alerts(app: app?.id)
    let edited = alerts.first { $0.alert.id.description == parameters["edit"] }
    let question = parameters["question"].map { ["question": $0] } ?? [:]
    let form = fields.map { AlertForm($0) } ?? edited.map { AlertForm($0.alert) } ?? AlertForm(question)
    let history = try alerts.flatMap { try catalog.notifications(of: $0.alert.id, limit: Self.notifications) }
      .sorted { ($1.message.time, $1.message.id) < ($0.message.time, $0.message.id) }.prefix(Self.notifications)
    self.init(visit, alerts, history: Array(history), form: form, app: app, apps: apps, now: now, result: result)
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
          shown(alert.name), condition(alert), shown(alert.destinations.map(\.shown).joined(separator: ", ")),
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
    var page = ManagementPage(
      title: "Alerts",
      lead: app == nil
        ? "The server reports its own problems, such as a full disk or a failed backup: once, and once when they are over."
        : "The server checks every two minutes and reports once when a limit is crossed, once when that is over, and once "
          + "when data that arrives late changes either.",
      result: result,
      tables: [
        .list("Alerts", ["Name", "Condition", "To", "State"], rows, empty: "No alerts yet. Add one below."),
        .list(
          "History", ["Time", "Alert", "Message", "Delivered"], notifications, empty: "No notifications yet."),
      ])
    guard let app else {
      page.forms = [
        createOrChangeForm(
          form, among: names, to: address,
          help:
            "It reports when events can’t be counted, the disk is nearly full, the certificate expires soon, a backup fails "
            + "or the cluster is behind.", [name(form.fields, example: "Server"), destinations(form.fields)])
      ]
      return visit.management(page)
    }
    page.forms = [appForm(form, among: names, address)]
    return visit.management(page, app: app, apps: apps, place: .alerts)
  }

  /// Returns the form that creates an alert, or changes the one that it names.
  private func createOrChangeForm(
    _ form: AlertForm, among names: [Int64: String], to address: String, help: String, _ fields: [TemplateValues]
  ) -> TemplateValues {
    guard let id = form.alertID else {
      return .form("Add an alert", button: "Add", "create", to: address, anchor: "form", help: help, fields)
    }
    return .form(
      "Change \(shown(names[id] ?? "an alert"))", button: "Save", "change", to: address, anchor: "form", help: help,
      [.hidden("id", "\(id)"), .hidden("version", form.fields["version"] ?? "")] + fields)
  }

  private func appForm(_ form: AlertForm, among names: [Int64: String], _ address: String) -> TemplateValues {
    let fields = form.fields
    return createOrChangeForm(
      form, among: names, to: address,
      help:
        "Choose a figure in Explore and press Alert, or paste the address of a page of Explore or Funnels. A funnel’s "
        + "figure is the percentage of users who take all steps on a day. Shares, such as crash-free users and funnels, "
        + "are percentages from 0 to 100, and durations of sessions are in seconds, "
        + "without pauses of 30 minutes and more. Hours and days are checked ten minutes after they "
        + "have ended, and days again for three days, since crashes arrive with the next launch of their app.",
      [
        name(fields, example: "Orders"),
        .choice(
          "Condition", "kind",
          AlertCondition.Kind.allCases.compactMap { kind in kind.caption.map { (kind.rawValue, $0) } },
          chosen: fields["kind"]),
        limit(form),
        .choice("Per", "period", [("day", "day"), ("hour", "hour")], chosen: fields["period"]),
        .field("Figure of Explore or Funnels", "question", fields["question"] ?? "metric=users"),
        .field(
          "Minimum number of users", "users", fields["users"] ?? "",
          placeholder: "30 for changes and crash-free users, otherwise 0"),
        destinations(fields),
      ])
  }

  /// The field of the limit, which says its unit if the figure or the condition is known.
  private func limit(_ form: AlertForm) -> TemplateValues {
    let (caption, example): (String, String) =
      switch form.limitUnit {
      case .percent: ("Limit, in %", "99.5")
      case .seconds: ("Limit, in seconds", "60")
      case .number: ("Limit (of shares, in %)", "10")
      }
    return .field(caption, "limit", form.fields["limit"] ?? "", placeholder: example)
  }

  private func name(_ fields: [String: String], example: String) -> TemplateValues {
    .field("Name", "name", fields["name"] ?? "", placeholder: example, isRequired: true)
  }

  private func destinations(_ fields: [String: String]) -> TemplateValues {
    .area(
      "To", "to", AlertForm(fields).destinations.map { visible($0) }.joined(separator: "\n"),
      placeholder: Destination.forms(mail: "someone@example.org", web: "https://example.org/hook"))
  }

  private func condition(_ alert: Alert) -> String {
    switch alert.condition {
    case .above(_, let question), .below(_, let question), .changed(_, let question):
      shown("\(alert.condition.text), \(question.query)")
    case .crashFreeUsersBelow, .nothingArrived, .newError, .errorCameBack, .serverProblem: shown(alert.condition.text)
    }
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
