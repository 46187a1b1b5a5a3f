import HTTPTypes
import Questions
import Warehouse

extension APIDescription {
  private static let index = APIOperation.Parameter.path(
    "index", .limited(CustomDefinition.indexes.lowerBound...CustomDefinition.indexes.upperBound))

  /// Shared links.
  static let links: [APIOperation] = [
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}/links", name: "listLinks",
      summary: "The pages of an app that are shared, without the secrets of their links.", parameters: [app],
      answers: ["application/json": .object(["links": .list(.named("SharedLink"))])], errors: [404]),
    APIOperation(
      method: .post, path: "/api/v1/apps/{app}/links", name: "createLink",
      summary: "Shares a page with everyone who has its link. The link's address is only in this answer.",
      parameters: [app], body: ["application/json": .named("NewSharedLink")], status: 201,
      answers: [
        "application/json": .object([
          "link": .named("SharedLink"),
          "address": .text.example(.text("https://tern.example.com/shared/…")).described("It can't be read again."),
        ])
      ], errors: [400, 404, 413, 503]),
    APIOperation(
      method: .delete, path: "/api/v1/apps/{app}/links/{link}", name: "revokeLink",
      summary: "Ends a shared link at once.",
      parameters: [app, .path("link", .identifier)], status: 204, errors: [404]),
  ]

  /// Custom dimensions and metrics.
  static let definitions: [APIOperation] = CustomDefinition.Kind.allCases.flatMap { kind in
    let (path, name) = ("/api/v1/apps/{app}/\(kind.rawValue)s", kind == .metric ? "Metric" : "Dimension")
    return [
      APIOperation(
        method: .get, path: path, name: "list\(name)s", summary: "The custom \(kind.rawValue)s of an app's hits.",
        parameters: [app],
        answers: ["application/json": .object(["\(kind.rawValue)s": .list(.named("Custom\(name)"))])],
        errors: [404]),
      APIOperation(
        method: .get, path: "\(path)/{index}", name: kind.rawValue, summary: "One custom \(kind.rawValue).",
        parameters: [app, index], answers: ["application/json": .named("Custom\(name)")], errors: [404]),
      APIOperation(
        method: .put, path: "\(path)/{index}", name: "define\(name)",
        summary: "Defines a custom \(kind.rawValue): its name applies to all reports, the rest to hits from now on.",
        parameters: [app, index, ifMatch], body: ["application/json": .named("NewCustom\(name)")],
        answers: ["application/json": .named("Custom\(name)")], errors: [400, 404, 412, 413, 503]),
    ]
  }

  private static let active = Schema.nullable(.boolean).described("False to stop processing values.")

  /// The schemas of shared links, dimensions and metrics.
  static let sharingSchemas: Schema.Members = [
    "SharedLink": .object([
      "id": .count, "page": .text, "query": .text, "name": .text.described("The contents of the page in words."),
      "sites": .list(.text), "created": .time, "expires": .nullable(.time),
    ]),
    "NewSharedLink": .object(
      [
        "page": .text.example(.text("overview"))
          .described("The name of a report without personal data, of a page that asks a question, or `dashboards`.")
      ],
      optional: [
        "query": .nullable(.text(0...LinkAPIRoutes.maximumQueryBytes).example(.text("days=7")))
          .described("The parameters in the page's address."),
        "sites": .nullable(.list(.text.example(.text("https://wiki.example.com")), 0...LinkAPIRoutes.maximumSites))
          .described("The sites that may show the page in a frame."),
        "days": .nullable(.limited(1...3_650)).described("The days after which the link ends."),
      ], others: .any),
    "CustomDimension": .object([
      "index": .count, "parameter": .text, "name": .text, "scope": .choice(CustomDefinition.Scope.self),
      "active": .boolean, "since": .nullable(.time),
    ]),
    "NewCustomDimension": .object(
      ["name": .text(1...100).example(.text("Plan"))],
      optional: ["scope": .nullable(.choice(CustomDefinition.Scope.self)), "active": active], others: .any),
    "CustomMetric": .object([
      "index": .count, "parameter": .text, "name": .text, "type": .choice(CustomDefinition.MetricType.self),
      "active": .boolean, "since": .nullable(.time),
    ]),
    "NewCustomMetric": .object(
      ["name": .text(1...100).example(.text("Time to play"))],
      optional: ["type": .nullable(.choice(CustomDefinition.MetricType.self)), "active": active], others: .any),
  ]
}
