import HTTPTypes
import Portal
import Questions
import Warehouse

extension APIDescription {
  /// Dashboards, and notes about days.
  static let dashboards: [APIOperation] = [
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}/dashboards", name: "listDashboards", summary: "The dashboards of an app.",
      parameters: [app], answers: ["application/json": .object(["dashboards": .list(.named("Dashboard"))])],
      errors: [404]),
    APIOperation(
      method: .post, path: "/api/v1/apps/{app}/dashboards", name: "createDashboard", summary: "Creates a dashboard.",
      parameters: [app], body: ["application/json": .named("NewDashboard")], status: 201,
      answers: ["application/json": .named("Dashboard")], errors: [400, 404, 413, 503]),
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}/dashboards/{dashboard}", name: "dashboard", summary: "One dashboard.",
      parameters: [app, dashboard], answers: ["application/json": .named("Dashboard")], errors: [404]),
    APIOperation(
      method: .put, path: "/api/v1/apps/{app}/dashboards/{dashboard}", name: "changeDashboard",
      summary: "Replaces a dashboard's name and cards.", parameters: [app, dashboard, ifMatch],
      body: ["application/json": .named("NewDashboard")], answers: ["application/json": .named("Dashboard")],
      errors: [400, 404, 412, 413, 503]),
    APIOperation(
      method: .delete, path: "/api/v1/apps/{app}/dashboards/{dashboard}", name: "removeDashboard",
      summary: "Deletes a dashboard with its cards.", parameters: [app, dashboard, ifMatch], status: 204,
      errors: [404, 412]),
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}/annotations", name: "listAnnotations",
      summary: "The notes about days that people wrote.", parameters: [app],
      answers: ["application/json": .object(["annotations": .list(.named("Annotation"))])], errors: [404]),
    APIOperation(
      method: .post, path: "/api/v1/apps/{app}/annotations", name: "createAnnotation",
      summary: "Adds a note about a day, for example from a release script.", parameters: [app],
      body: ["application/json": .named("NewAnnotation")], status: 201,
      answers: ["application/json": .named("Annotation")], errors: [400, 404, 413, 503]),
    APIOperation(
      method: .delete, path: "/api/v1/apps/{app}/annotations/{annotation}", name: "removeAnnotation",
      summary: "Deletes a note about a day.",
      parameters: [app, .path("annotation", .identifier)], status: 204, errors: [404]),
  ]

  private static let dashboard = APIOperation.Parameter.path("dashboard", .identifier)

  /// The schemas of dashboards and notes.
  static let dashboardSchemas: Schema.Members = [
    "NewDashboard": .object(
      ["name": .text(1...100), "cards": .list(.named("Card"), 0...Dashboard.maximumCards)], others: .any),
    "Dashboard": .object([
      "id": .count, "name": .text, "cards": .list(.named("Card")),
      "author": .text.described("The account or token that made the last change."), "changed": .time,
    ]),
    "Card": .object(
      [
        "name": .text(1...100), "page": .choice(QuestionPage.ofCards.map(\.rawValue)),
        "query": .text.described("The query of the page's address, for example `metric=users&by=version`."),
      ], optional: ["wide": .boolean.described("True if the card takes the whole width of the page.")], others: .any),
    "NewAnnotation": .object(["day": .date, "text": .text(1...100)], others: .any),
    "Annotation": .object(["id": .count, "day": .date, "text": .text, "author": .text, "created": .time]),
  ]
}
