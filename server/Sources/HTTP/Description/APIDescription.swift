import HTTPTypes
package import JSON
import Questions

/// The OpenAPI description of every address for programs, at `/api/openapi.json`.
package struct APIDescription {
  package let operations: [APIOperation]

  package init(operations: [APIOperation]) { self.operations = operations }

  package var document: [UInt8] { tree.encoded }

  package var tree: JSONTree {
    .object([
      ("openapi", .text("3.1.0")),
      (
        "info",
        .object([
          ("title", .text("Tern")), ("version", .text("1")),
          ("description", .text("Collects events of apps, and answers reports and questions about them.")),
        ])
      ),
      (
        "tags",
        .array(
          APITag.allCases.map { .object([("name", .text($0.rawValue)), ("description", .text($0.description))]) })
      ), ("paths", paths),
      (
        "components",
        .object([
          ("schemas", .object(schemas.map { ($0.0, $0.1.tree) })), ("securitySchemes", Self.securitySchemes),
        ])
      ),
    ])
  }

  private var paths: JSONTree {
    var addresses: [String] = []
    for operation in operations where !addresses.contains(operation.path) { addresses.append(operation.path) }
    return .object(
      addresses.map { address in
        let methods = operations.filter { $0.path == address }
        return (address, .object(methods.map { ($0.method.rawValue.lowercased(), $0.tree) }))
      })
  }

  /// The named schemas, each once.
  private var schemas: [(String, Schema)] {
    var names: Set<String> = []
    return (operations.flatMap(\.components) + Self.otherSchemas.list).filter { names.insert($0.0).inserted }
  }

  /// The schemas that operations name without having them: of questions, which refer to each other, and of errors.
  static let otherSchemas: Schema.Members =
    Question.schemas + [
      "Error": .object([
        "error": .object(
          [
            "code": .text.described("A stable code for programs."),
            "message": .text.described("The reason and the remedy, for people."),
            "position": .nullable(.count).described("The byte of the body at which parsing failed."),
            "index": .nullable(.count).described("The line or log in which parsing failed, from 0."),
            "indexes": .list(.count).described("All unreadable lines; the others can be sent again."),
          ], optional: ["path": .text.described("The JSON path of the fault in the body.")])
      ])
    ]

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
