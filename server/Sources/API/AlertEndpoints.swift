import Alerts
import Answering
import HTTP
import HTTPTypes
import JSON
import Portal
import Questions
import TernEvents
import Warehouse

/// `/api/v1/apps/{app}/alerts`, and `/api/v1/alerts` for those about the server.
struct AlertEndpoints: Sendable {
  let catalog: any CollectorCatalog
  let wallTime: @Sendable () -> Timestamp

  /// The most notifications of one answer.
  private static let notifications = 100
  private static let alert = JSONAnswer("Alert", ShownAlert.members)
  private static let newAlert = JSONBody(
    "AlertInput", Alert.members.ignoring(ShownAlert.members), maximumBytes: 64 << 10)
  static let notification = JSONAnswer("Notification", AlertNotification.members)

  private static let mute = JSONBody<Int>(
    [
      .required("seconds", \.self, .integer(0...Alert.longestMute)).described("0 unmutes the alert.")
    ], maximumBytes: 64 << 10)

  func add(to api: EndpointGroup) {
    for scope in AlertScope.allCases { add(scope, to: api) }
  }

  private func add(_ scope: AlertScope, to api: EndpointGroup) {
    let (name, subject) = scope == .app ? ("Alert", "an app") : ("ServerAlert", "the server")
    let alerts = api.group(scope.path, scope.requirement)
    // The tag is derived from the time of the last edit, which every edit advances. The status can change without an edit, so it is
    // left out.
    let item = Item(
      Self.alert, state: { Array("alert \($0.stored.alert.id) \($0.stored.alert.changed.millisecondsSince1970)".utf8) }
    ) {
      call in
      let (number, app) = (try call.number("alert", else: .unknownAlert), try scope.app(call.context)?.id)
      guard let found = try catalog.alerts(app: app).first(where: { $0.alert.id == number }) else {
        throw APIError.unknownAlert
      }
      return ShownAlert(found, now: wallTime())
    }
    alerts.get("", "list\(name)s", "The alerts of \(subject).", .list("alerts", of: Self.alert)) { call in
      try catalog.alerts(app: try scope.app(call.context)?.id).map { ShownAlert($0, now: wallTime()) }
    }
    alerts.create("", "create\(name)", "Adds an alert of \(subject).", Self.newAlert, item) { call, sent in
      let new = try alert(sent, call, Alert(app: try scope.app(call.context)?.id))
      return ShownAlert(
        StoredAlert(try catalog.createAlert(new), state: AlertState(), stateText: ""), now: wallTime())
    }
    alerts.show("/:alert", name.prefix(1).lowercased() + name.dropFirst(), "One alert of \(subject).", item)
    alerts.change(
      .put, "/:alert", "change\(name)",
      "Replaces an alert of \(subject). Changing the condition resets the alert's state.", Self.newAlert, item
    ) { call, old, sent in _ = try catalog.changeAlert(try alert(sent, call, old.stored.alert)) }
    alerts.remove("/:alert", "remove\(name)", "Deletes an alert of \(subject) with its history.", item) { _, old in
      _ = try catalog.removeAlert(old.stored.alert.id, app: old.stored.alert.app)
    }
    alerts.on(
      .put, "/:alert/mute", "mute\(name)", "Mutes an alert of \(subject) for a time, or unmutes it.", Self.mute
    ) { call, sent in
      let (seconds, number) = (try sent.value(from: 0), try call.number("alert", else: .unknownAlert))
      let until = seconds == 0 ? nil : wallTime() + .seconds(seconds)
      guard try catalog.muteAlert(number, app: try scope.app(call.context)?.id, until: until) != nil else {
        throw APIError.unknownAlert
      }
    }
    alerts.get(
      "/:alert/notifications", "list\(name)Notifications",
      "The notifications of an alert of \(subject), latest first. Each says if it arrived.",
      .list("notifications", of: Self.notification)
    ) { call in
      try catalog.notifications(of: try item.find(call).stored.alert.id, limit: Self.notifications)
    }
  }

  /// Returns the alert that a request describes; throws ``APIError`` 400 if its question can't be asked.
  private func alert(_ sent: JSONBody<Alert>.Sent, _ call: Call, _ old: Alert) throws -> Alert {
    let new = try sent.value(from: old)
    guard new.condition != old.condition, let question = new.condition.question else { return new }
    do {
      let segments = new.app == nil ? [] : try call.context.visibleSegments(catalog)
      _ = try QuestionPage.alertFigure(question, segments: segments)
    } catch let error as QuestionError {
      throw APIError.invalid(error.message, at: "$.condition")
    }
    return new
  }
}
