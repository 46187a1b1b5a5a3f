import Warehouse

/// The subject of alerts: an app that the address names, or the server.
enum AlertScope: CaseIterable {
  case app, server

  /// The path of the page, and below `/api/v1` that of the API.
  var path: String {
    switch self {
    case .app: "/apps/:app/alerts"
    case .server: "/alerts"
    }
  }

  var requirement: Endpoint.Requirement {
    switch self {
    case .app: .permission(.edit)
    case .server: .permission(.administer)
    }
  }

  func app(_ context: CollectorContext) throws(APIError) -> App? {
    switch self {
    case .app: try context.app
    case .server: nil
    }
  }
}
