import HTTPTypes
import Questions
import Reports
import Warehouse

extension APIDescription {
  private static let view = APIOperation.Parameter.path("view", .identifier)

  /// Changes of apps and views.
  static let editing: [APIOperation] = [
    APIOperation(
      method: .patch, path: "/api/v1/apps/{app}", name: "changeApp",
      summary: "Changes an app's name, time zone, identifiers, limit of new names or how long its rows are kept. "
        + "Members that are missing keep their values. After a new time zone, all days are counted again in the "
        + "background.",
      parameters: [app, ifMatch], body: ["application/json": .named("AppChange")],
      answers: ["application/json": .named("App")], errors: [400, 404, 412, 413, 503]),
    APIOperation(
      method: .delete, path: "/api/v1/apps/{app}", name: "deleteApp",
      summary:
        "Deletes an app with everything, in the background. For owners. A second request answers with the same job.",
      parameters: [
        app, ifMatch,
        .query("confirm", .text(1...100).described("The app's name, exactly as it is."), isRequired: true),
      ], status: 202, answers: ["application/json": .named("Job")], errors: [400, 404, 412, 503]),
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}/limits", name: "limits",
      summary: "How much an app may send, the usual limits, and what was refused within the last day.",
      parameters: [app], answers: ["application/json": .named("Limits")], errors: [404]),
    APIOperation(
      method: .patch, path: "/api/v1/apps/{app}/limits", name: "changeLimits",
      summary: "Changes how much an app may send, within a second; null restores the usual limit. For owners.",
      parameters: [app, ifMatch], body: ["application/json": .named("LimitChange")],
      answers: ["application/json": .named("Limits")], errors: [400, 404, 412, 413, 503]),
    APIOperation(
      method: .post, path: "/api/v1/apps/{app}/views", name: "createView", summary: "Creates a view.",
      parameters: [app], body: ["application/json": .named("NewView")], status: 201,
      answers: ["application/json": .named("View")], errors: [400, 404, 413, 503]),
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}/views/{view}", name: "view", summary: "One view with its rules.",
      parameters: [app, view], answers: ["application/json": .named("View")], errors: [404]),
    APIOperation(
      method: .patch, path: "/api/v1/apps/{app}/views/{view}", name: "changeView",
      summary: "Changes a view: its name at once, its time zone from now on, everything else from its next day on.",
      parameters: [app, view, ifMatch], body: ["application/json": .named("ViewChange")],
      answers: ["application/json": .named("View")], errors: [400, 404, 412, 413, 503]),
    APIOperation(
      method: .delete, path: "/api/v1/apps/{app}/views/{view}", name: "deleteView",
      summary: "Deletes a view with its counted days and shared links; the app's hits stay.",
      parameters: [app, view, ifMatch], status: 204, errors: [404, 412]),
    APIOperation(
      method: .delete, path: "/api/v1/apps/{app}/persons", name: "deletePerson",
      summary: "Deletes everything of one person, in the background. Name the install or the user, not both.",
      parameters: [
        app, .query("install", .text.described("The install: a UUID, or a client ID.")),
        .query("user", .text.described("The user ID that the app has set.")),
        .query("refuseLater", .boolean.described("True to refuse what the person still sends.")),
      ], status: 202, answers: ["application/json": .named("Job")], errors: [400, 404, 503]),
  ]

  private static let zone = Schema.text.example(.text("Europe/Berlin"))

  private static let rules: Schema.Members = [
    "lateness": .nullable(.choice(View.Lateness.self)),
    "filters": .nullable(.list(.pattern("^[a-z]{1,6}!?=")))
      .described("Conditions on parameters of hits, such as `av=2.0` or `an!=Internal`."),
    "sessionTimeoutMinutes": .nullable(.limited(1...240)),
    "campaignDays": .nullable(.limited(1...731)), "quotas": .nullable(.boolean),
    "currency": .nullable(.pattern("^([A-Z]{3})?$")),
    "userID": .nullable(.boolean).described("True to count users by uid. It can't be changed later."),
    "unification": .nullable(.boolean)
      .described("With `userID`: true to count a session's hits before the first uid for that uid."),
  ]

  private static let limits = Schema.Members(
    UsageLimitChanges.members.map { ($0.name, .limited(UsageLimitChanges.range)) })

  /// The schemas of changes of apps and views.
  static let editingSchemas: Schema.Members = [
    "AppChange": .object(
      [:],
      optional: [
        "name": .nullable(.text(1...100)), "timeZone": .nullable(zone), "appSecret": .nullable(.uuid),
        "trackingId": .nullable(.pattern("^UA-[0-9]{4,10}-[0-9]{1,4}$")),
        "newNamesPerDay": .nullable(.limited(0...100_000))
          .described("New names of each kind per day once the app has reached its limit; null for the default."),
        "keep": .nullable(keep),
      ], others: .any),
    "Limits": .object([
      "limits": .object(limits), "usual": .object(limits),
      "refused": .list(
        .object([
          "limit": .choice(UsageLimits.Kind.self), "count": .count, "first": .count, "last": .count,
        ])),
    ]),
    "LimitChange": .object([:], optional: Schema.Members(limits.list.map { ($0, .nullable($1)) })),
    "NewView": .object(["name": .text(1...100), "timeZone": zone], optional: rules, others: .any),
    "ViewChange": .object(
      [:],
      optional: ["name": .nullable(.text(1...100)), "timeZone": .nullable(zone)] + rules + [
        "endsOpenDays": .nullable(.boolean)
          .described("Confirms that days which would have stayed open forever may become final.")
      ], others: .any),
  ]
}
