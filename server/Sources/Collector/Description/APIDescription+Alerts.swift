import Alerts
import HTTPTypes
import Questions

extension APIDescription {
  /// Alerts.
  static let alerts: [APIOperation] = [
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}/alerts", name: "listAlerts", summary: "The alerts of an app.",
      parameters: [app], answers: ["application/json": .object(["alerts": .list(.named("Alert"))])], errors: [404]),
    APIOperation(
      method: .post, path: "/api/v1/apps/{app}/alerts", name: "createAlert",
      summary: "Has the server report what crosses a limit.", parameters: [app],
      body: ["application/json": .named("NewAlert")], status: 201,
      answers: ["application/json": .named("Alert")], errors: [400, 404, 413, 503]),
    APIOperation(
      method: .delete, path: "/api/v1/apps/{app}/alerts/{alert}", name: "removeAlert",
      summary: "Deletes an alert with its history.", parameters: [app, alert], status: 204, errors: [404]),
    APIOperation(
      method: .put, path: "/api/v1/apps/{app}/alerts/{alert}/mute", name: "muteAlert",
      summary: "Mutes an alert for a time, or lets it speak again.", parameters: [app, alert],
      body: [
        "application/json": .object(
          ["seconds": .limited(0...Alert.longestMute).described("0 to let it speak again.")], others: .any)
      ], status: 204, errors: [400, 404, 413, 503]),
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}/alerts/{alert}/notifications", name: "listNotifications",
      summary: "What an alert has said, latest first, and whether it arrived.", parameters: [app, alert],
      answers: ["application/json": .object(["notifications": .list(.named("Notification"))])], errors: [404]),
  ]

  private static let alert = APIOperation.Parameter.path("alert", .limited(1...9_007_199_254_740_991))

  /// The schemas of alerts.
  static let alertSchemas: Schema.Members = [
    "AlertCondition": .object(
      [
        "kind": .choice(["above", "below", "changed", "crash_free", "silent", "new_error", "came_back"]).described(
          "`above`, `below` and `changed` need `limit`, `page`, `query` and `period`; `crash_free` needs `limit` and "
            + "`period`, `silent` needs `hours`, the others nothing.")
      ],
      optional: [
        "limit": .number.described("A figure, or a number of percent of `changed` and `crash_free`."),
        "page": .choice(["explore", "funnels"]).described("The period of a funnel is a day."),
        "query": .text.described("The query of the page's address, for example `metric=events&event=Order`."),
        "period": .choice(AlertPeriod.self), "hours": .limited(1...720),
      ], others: .any),
    "NewAlert": .object(
      [
        "name": .text(1...100), "condition": .named("AlertCondition"),
        "destinations": .list(
          .text.described("`mail:ADDRESS`, `webhook:URL` or `chat:URL`."), 1...Alert.maximumDestinations),
      ],
      optional: [
        "minimum_users": .nullable(.limited(0...1_000_000_000)).described(
          "The users that a period needs for a decision.")
      ], others: .any),
    "Alert": .object(
      [
        "id": .count, "name": .text, "condition": .named("AlertCondition"), "text": .text, "minimum_users": .count,
        "destinations": .list(.text.described("Without the paths of addresses, which may be secrets.")),
        "status": .choice(StoredAlert.Status.self),
        "author": .text.described("The account or token that made the last change."), "changed": .time,
      ], optional: ["muted_until": .time]),
    "Notification": .object([
      "id": .uuid, "time": .time, "event": .text, "title": .text, "text": .text,
      "deliveries": .list(
        .object([
          "destination": .text, "status": .choice(AlertNotification.Status.self), "failures": .count, "answer": .text,
        ])),
    ]),
  ]
}
