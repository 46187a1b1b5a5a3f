import HTTPTypes
import Questions
import Reports
import Warehouse

extension APIDescription {
  /// The number of an app.
  static let app = APIOperation.Parameter.path("app", .identifier)

  /// Apps, views, reports and raw rows.
  static let apps: [APIOperation] = [
    APIOperation(
      method: .get, path: "/api/v1/apps", name: "listApps", summary: "The apps that the token may read.",
      answers: ["application/json": .object(["apps": .list(.named("App"))])]),
    APIOperation(
      method: .post, path: "/api/v1/apps", name: "createApp", summary: "Creates an app.",
      body: ["application/json": .named("NewApp")], status: 201, answers: ["application/json": .named("App")],
      errors: [400, 413, 503]),
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}", name: "app", summary: "One app with its settings.", parameters: [app],
      answers: ["application/json": .named("App")], errors: [404]),
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}/views", name: "listViews", summary: "The views of an app.",
      parameters: [app], answers: ["application/json": .object(["views": .list(.named("View"))])], errors: [404]),
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}/reports/{name}", name: "report",
      summary: "A report of an app, or of one of its views.",
      parameters: [app, .path("name", .choice(reportNames))] + range + [
        .query("days", .limited(1...ReportRequest.maximumDays).described("The length of a range without `from`.")),
        .query("limit", .limited(1...ReportRequest.maximumLimit).described("The most rows of a list.")),
        .query(
          "filters",
          .text.described(
            "Only rows that pass: a JSON array of filters, as in questions. For overview, events, event, screens, "
              + "versions, devices and countries; the other reports refuse it.")),
        .query("segment", .identifier.described("Only rows that pass a saved segment.")),
        .query("view", .identifier.described("The number of a view.")),
        .query("event", .text.described("The name of the event, for reports about one.")),
        .query("group", .identifier.described("The number of an error group.")),
        .query("occurrence", .identifier.described("The number of an error.")),
        .query(
          "status",
          .choice(ErrorStatus.allCases.map(\.rawValue) + ["all"]).described("The errors of the report `errors`.")
        ),
        .query("format", .choice(ReportFormat.self)),
      ],
      answers: ["application/json": .named("Report"), "text/csv": .text, "text/plain": .text],
      errors: [400, 404, 503]),
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}/export", name: "export",
      summary: "The stored rows of an app, compressed if Accept-Encoding names gzip. NDJSON ends with {\"end\":true}.",
      parameters: [app] + range + [
        .query("format", .choice(["ndjson", "csv"])),
        .query("after", .count.described("The number of a row: only later ones are exported.")),
        .query("afterAttachment", .count.described("The number of an attachment: only later ones are exported.")),
        .query("install", .text.described("Only the rows of this install.")),
        .query("user", .text.described("Only the rows of this user.")),
      ],
      answers: ["application/x-ndjson": .text, "text/csv": .text], errors: [400, 404, 503]),
  ]

  private static let range: [APIOperation.Parameter] = [
    .query("from", .date.described("The first day.")), .query("to", .date.described("The last day.")),
  ]

  /// The time for which rows are kept.
  static let keep = Schema.pattern("^([1-9][0-9]{0,2}d|[1-9][0-9]?mo|forever)$")
    .described("The time for which rows are kept: days, months or forever.")

  private static var reportNames: [String] {
    Set((ReportRegistry.standard.app + ReportRegistry.standard.view).map(\.name)).sorted()
  }

  /// The schemas of apps, views, reports and errors.
  static let appSchemas: Schema.Members = [
    "App": .object(
      [
        "id": .count, "name": .text, "key": .text, "appSecret": .text, "trackingId": .text, "timeZone": .text,
        "keep": keep,
      ],
      optional: [
        "newNamesPerDay": .count.described("New names of each kind per day; missing if default, and in lists."),
        "recounting": .text.described(
          "After a change of the time zone, while days are being counted again: the progress, or why it has failed."),
      ]),
    "NewApp": .object(
      ["name": .text(1...100)],
      optional: [
        "timeZone": .nullable(.text.example(.text("Europe/Berlin"))), "appSecret": .nullable(.uuid),
        "trackingId": .nullable(.pattern("^UA-[0-9]{4,10}-[0-9]{1,4}$")),
      ], others: .any),
    "View": .object(
      ["id": .count, "app": .count, "name": .text, "timeZone": .text, "rules": .list(.object)], others: .any),
    "Report": .object(
      ["app": .count, "from": .date, "to": .date, "timeZone": .text],
      optional: ["view": .count, "report": .text],
      others: .any.described("A value of the report, or one of its lists: an array of objects.")),
    "Error": .object([
      "error": .object(
        [
          "code": .text.described("A stable code for programs."),
          "message": .text.described("The reason and the remedy, for people."),
          "position": .nullable(.count).described("The byte of the body at which parsing failed."),
          "index": .nullable(.count).described("The line or log in which parsing failed, from 0."),
          "indexes": .list(.count).described("All unreadable lines; the others can be sent again."),
        ], optional: ["path": .text.described("The JSON path of the fault in a question.")])
    ]),
  ]
}
