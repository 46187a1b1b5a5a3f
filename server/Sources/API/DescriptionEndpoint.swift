import HTTP
import HTTPTypes
import Hummingbird
import JSON

/// `GET /api/openapi.json`: the description of all endpoints for programs.
enum DescriptionEndpoint {
  /// Adds the endpoint, after all others; returns the description.
  static func add(to root: EndpointGroup) -> APIDescription {
    var operation = APIOperation("describe", "This description.", answers: ["application/json": .object])
    operation.complete(.get, "/api/openapi.json", .nothing, .server)
    let description = APIDescription(operations: root.routes.operations + [operation])
    let document = description.document
    root.routes.add(.get, "/api/openapi.json", .open { _, _ in .json(document) }, [operation])
    return description
  }
}
