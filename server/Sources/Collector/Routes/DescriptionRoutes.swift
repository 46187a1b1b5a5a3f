import Hummingbird

/// `GET /api/openapi.json`: the description of all addresses for programs.
struct DescriptionRoutes: Sendable {
  func add(to routes: RouteTable) {
    routes.on("/api/openapi.json", [.get: .open { _, _ in .json(APIDescription.document) }])
  }
}
