package import HTTP
package import Warehouse

/// The subject of alerts: an app that the address names, or the server.
package enum AlertScope: CaseIterable {
  case app, server

  /// The path of the page, and below `/api/v1` that of the API.
  package var path: String {
    switch self {
    case .app: "/apps/:app/alerts"
    case .server: "/alerts"
    }
  }

  /// Destinations are people's addresses, so those who may only read don't see alerts.
  package var requirement: Endpoint.Requirement {
    switch self {
    case .app: .permission(.edit)
    case .server: .permission(.administer)
    }
  }

  package func app(_ context: CollectorContext) throws(APIError) -> App? {
    switch self {
    case .app: try context.app
    case .server: nil
    }
  }
}
