import Alerts
import HTTPTypes
import Questions

extension APIDescription {
  /// Reports by mail.
  static let mailReports: [APIOperation] = [
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}/mail-reports", name: "listMailReports",
      summary: "The reports by mail of an app.", parameters: [app],
      answers: ["application/json": .object(["mailReports": .list(.named("MailReport"))])], errors: [404]),
    APIOperation(
      method: .post, path: "/api/v1/apps/{app}/mail-reports", name: "createMailReport",
      summary: "Has the server mail the overview or a dashboard regularly.", parameters: [app],
      body: ["application/json": .named("NewMailReport")], status: 201,
      answers: ["application/json": .named("MailReport")], errors: [400, 404, 413, 503]),
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}/mail-reports/{report}", name: "mailReport",
      summary: "One report by mail.",
      parameters: [app, report], answers: ["application/json": .named("MailReport")], errors: [404]),
    APIOperation(
      method: .put, path: "/api/v1/apps/{app}/mail-reports/{report}", name: "changeMailReport",
      summary: "Replaces a report's subject, schedule and recipients.", parameters: [app, report, ifMatch],
      body: ["application/json": .named("NewMailReport")], answers: ["application/json": .named("MailReport")],
      errors: [400, 404, 412, 413, 503]),
    APIOperation(
      method: .delete, path: "/api/v1/apps/{app}/mail-reports/{report}", name: "removeMailReport",
      summary: "Deletes a report by mail with its history.", parameters: [app, report, ifMatch], status: 204,
      errors: [404, 412]),
    APIOperation(
      method: .post, path: "/api/v1/apps/{app}/mail-reports/{report}/send", name: "sendMailReport",
      summary: "Sends a report now, about the last period that has ended.", parameters: [app, report], status: 204,
      errors: [400, 404]),
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}/mail-reports/{report}/notifications", name: "listMails",
      summary: "The mails of a report, latest first, and whether they arrived.", parameters: [app, report],
      answers: ["application/json": .object(["notifications": .list(.named("Notification"))])], errors: [404]),
  ]

  private static let report = APIOperation.Parameter.path("report", .identifier)

  private static let hour = Schema.limited(0...23).described("The hour, in the app's time zone.")

  /// The schemas of reports by mail.
  static let mailReportSchemas: Schema.Members = [
    "NewMailReport": .object(
      [
        "every": .choice(MailReport.Cadence.self).described("Sent every day, on Mondays or on the first of the month."),
        "hour": hour, "recipients": .list(.text.described("An email address."), 1...MailReport.maximumRecipients),
      ],
      optional: ["dashboard": .nullable(.count).described("The number of a dashboard; the overview without it.")],
      others: .any),
    "MailReport": .object(
      [
        "id": .count, "app": .count, "name": .text, "every": .choice(MailReport.Cadence.self), "hour": hour,
        "recipients": .list(.text.described("Without those who have unsubscribed.")),
        "author": .text.described("The account or token that created it."), "created": .time,
      ], optional: ["dashboard": .count]),
  ]
}
