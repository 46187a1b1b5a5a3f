import Alerts
import HTTPTypes
import Questions

extension APIDescription {
  /// Alerts.
  static let alerts =
    alerts(of: "an app", "/api/v1/apps/{app}", "Alert", [app])
    + alerts(of: "the server", "/api/v1", "ServerAlert", [])

  private static func alerts(
    of subject: String, _ path: String, _ name: String, _ scope: [APIOperation.Parameter]
  ) -> [APIOperation] {
    // Without an app there is none that could be unknown.
    let unknown = scope.isEmpty ? [] : [404]
    return [
      APIOperation(
        method: .get, path: "\(path)/alerts", name: "list\(name)s", summary: "The alerts of \(subject).",
        parameters: scope, answers: ["application/json": .object(["alerts": .list(.named("Alert"))])], errors: unknown),
      APIOperation(
        method: .post, path: "\(path)/alerts", name: "create\(name)",
        summary: "Adds an alert of \(subject).", parameters: scope,
        body: ["application/json": .named("NewAlert")], status: 201,
        answers: ["application/json": .named("Alert")], errors: [400] + unknown + [413, 503]),
      APIOperation(
        method: .get, path: "\(path)/alerts/{alert}", name: name.prefix(1).lowercased() + name.dropFirst(),
        summary: "One alert of \(subject).",
        parameters: scope + [alert], answers: ["application/json": .named("Alert")], errors: [404]),
      APIOperation(
        method: .put, path: "\(path)/alerts/{alert}", name: "change\(name)",
        summary: "Replaces an alert of \(subject). Changing the condition resets its state.",
        parameters: scope + [alert, ifMatch], body: ["application/json": .named("NewAlert")],
        answers: ["application/json": .named("Alert")], errors: [400, 404, 412, 413, 503]),
      APIOperation(
        method: .delete, path: "\(path)/alerts/{alert}", name: "remove\(name)",
        summary: "Deletes an alert of \(subject) with its history.", parameters: scope + [alert, ifMatch], status: 204,
        errors: [404, 412]),
      APIOperation(
        method: .put, path: "\(path)/alerts/{alert}/mute", name: "mute\(name)",
        summary: "Mutes an alert of \(subject) for a time, or unmutes it.", parameters: scope + [alert],
        body: [
          "application/json": .object(
            ["seconds": .limited(0...Alert.longestMute).described("0 unmutes the alert.")], others: .any)
        ], status: 204, errors: [400, 404, 413, 503]),
      APIOperation(
        method: .get, path: "\(path)/alerts/{alert}/notifications", name: "list\(name)Notifications",
        summary: "The notifications of an alert of \(subject), latest first, and whether they arrived.",
        parameters: scope + [alert],
        answers: ["application/json": .object(["notifications": .list(.named("Notification"))])], errors: [404]),
    ]
  }

  private static let alert = APIOperation.Parameter.path("alert", .identifier)

  /// The schemas of alerts.
  static let alertSchemas: Schema.Members = [
    "AlertCondition": .object(
      [
        "kind": .choice(["above", "below", "changed", "crash_free", "silent", "new_error", "came_back", "server"])
          .described(
            "`above`, `below` and `changed` need `limit`, `page`, `query` and `period`; `crash_free` needs `limit` and "
              + "`period`, `silent` needs `hours`, the others nothing. Alerts of the server have `server`, others don’t."
          )
      ],
      optional: [
        "limit": .number.described("A figure; for `changed` and `crash_free` a percentage."),
        "page": .choice(["explore", "funnels"]).described("Funnels need the period `day`."),
        "query": .text.described("The query of the page's address, for example `metric=events&event=Order`."),
        "period": .choice(AlertPeriod.self), "hours": .limited(1...720),
      ], others: .any),
    "NewAlert": .object(
      [
        "name": .text(1...100), "condition": .named("AlertCondition"),
        "destinations": .list(
          .text.described(
            "`mail:ADDRESS`, `webhook:URL` or `chat:URL`. In a change, a current one as it is shown keeps it."),
          1...Alert.maximumDestinations),
      ],
      optional: [
        "minimumUsers": .nullable(.limited(0...1_000_000_000)).described(
          "The number of users that a period needs for a decision.")
      ], others: .any),
    "Alert": .object(
      [
        "id": .count, "name": .text, "condition": .named("AlertCondition"), "text": .text, "minimumUsers": .count,
        "destinations": .list(.text.described("Without the paths of addresses, which may be secret.")),
        "status": .choice(StoredAlert.Status.self),
        "author": .text.described("The account or token that made the last change."), "changed": .time,
      ],
      optional: [
        "app": .count.described("Absent in alerts of the server."), "mutedUntil": .time,
        "failure": .text.described("The reason why the alert can't be evaluated; only while it can't."),
      ]),
    "Notification": .object([
      "id": .uuid, "time": .time, "event": .text, "title": .text, "text": .text,
      "deliveries": .list(
        .object([
          "destination": .text, "status": .choice(AlertNotification.Status.self), "failures": .count, "answer": .text,
        ])),
    ]),
  ]
}
