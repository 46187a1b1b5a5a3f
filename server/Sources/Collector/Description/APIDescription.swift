import HTTPTypes
import Questions

/// The OpenAPI description of every address for programs, at `/api/openapi.json`.
///
/// A new route for programs needs an operation in ``operations``; a test compares the list with the routes.
enum APIDescription {
  /// All operations.
  static let operations =
    apps + editing + definitions + links + errors + symbols + questions + segments + people + dashboards + alerts
    + mailReports + administration + collecting + measurement + monitoring + appCenter + own

  /// The document.
  static let document: [UInt8] = JSONTree.object([
    ("openapi", .text("3.1.0")),
    (
      "info",
      .object([
        ("title", .text("Tern")), ("version", .text("1")),
        ("description", .text("Collects events of apps, and answers reports and questions about them.")),
      ])
    ),
    ("paths", paths), ("components", .object([("schemas", schemas), ("securitySchemes", securitySchemes)])),
  ]).encoded

  private static let own = [
    APIOperation(
      method: .get, path: "/api/openapi.json", name: "describe", summary: "This description.", credentials: .none,
      answers: ["application/json": .object])
  ]

  private static var paths: JSONTree {
    var addresses: [String] = []
    for operation in operations where !addresses.contains(operation.path) { addresses.append(operation.path) }
    return .object(
      addresses.map { address in
        let methods = operations.filter { $0.path == address }
        return (address, .object(methods.map { ($0.method.rawValue.lowercased(), $0.tree) }))
      })
  }

  /// The named schemas.
  static var schemas: JSONTree {
    let all =
      appSchemas + editingSchemas + errorSchemas + symbolSchemas + questionSchemas + segmentSchemas + dashboardSchemas
      + sharingSchemas + administrationSchemas + alertSchemas + mailReportSchemas + collectingSchemas + appCenterSchemas
    return .object(all.list.map { ($0.0, $0.1.tree) })
  }

  private static var securitySchemes: JSONTree {
    func header(_ name: String) -> JSONTree {
      .object([("type", .text("apiKey")), ("in", .text("header")), ("name", .text(name))])
    }
    return .object([
      ("token", .object([("type", .text("http")), ("scheme", .text("bearer"))])), ("apiToken", header("X-API-Token")),
      ("appKey", header("Tern-Key")), ("appSecret", header("App-Secret")),
    ])
  }
}
