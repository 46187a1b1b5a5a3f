import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Reports
import TernEvents
import Warehouse

/// `/v0.1/apps/{owner}/{app}/analytics/…`: App Center's analytics API, so that scripts that use it need only another
/// host and another token (docs/app-center.md).
struct AppCenterReportEndpoints: Sendable {
  let reports: ReportScheduler
  let store: any MetricsStore
  let wallTime: @Sendable () -> Timestamp

  func add(to routes: RouteTable) {
    let path = "/v0.1/apps/:owner/:app/analytics/**"
    routes.add(
      .get, path, .api(.appCenterReport) { try await get($0, $1) }, Self.operations.filter { $0.method == .get })
    routes.add(
      .delete, path, .api(.permission(.edit)) { _, _ in try deny() }, Self.operations.filter { $0.method == .delete })
  }

  private func get(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let app = try context.app
    do {
      let query = try AppCenterQuery(
        path: context.parameters.getCatchAll().map { $0.removingPercentEncoding ?? String($0) },
        parameters: request.parameters, app: app.id,
        zone: app.zone, now: wallTime())
      let store = store
      return .json(Array(try await reports.run(for: context.clientShare) { try await query.response(from: store) }))
    } catch let error as AppCenterError {
      throw APIError(error)
    }
  }

  private func deny() throws -> Response {
    throw APIError(AppCenterError(.notImplemented, "This API can't delete stored events."))
  }
}

extension CatalogStore {
  /// Returns the app with a name, number or secret as in App Center's addresses; owners are ignored.
  ///
  /// Names take precedence, because App Center had only names: `2024` means an app of that name, and `2` means an app
  /// named `2` even if another app has the number 2. The other app can still be addressed by its name or secret.
  func app(appCenterName part: String) throws -> App? {
    let (text, apps) = (part.removingPercentEncoding ?? part, try apps())
    if let app = apps.first(where: { $0.name == text }) { return app }
    if let number = Int64(text), let app = try app(AppID(number)) { return app }
    if let app = try app(appSecret: text) { return app }
    // Names in App Center's addresses have no spaces: `My App` is `My-App`.
    let slug = Self.slug(text)
    return slug.isEmpty ? nil : apps.first { Self.slug($0.name) == slug }
  }

  private static func slug(_ name: String) -> String {
    name.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." }.joined(separator: "-")
  }
}

extension APIError {
  /// Creates an error in the format of App Center's API.
  fileprivate init(_ error: AppCenterError) {
    let status: HTTPResponse.Status =
      switch error.code {
      case .badRequest: .badRequest
      case .notFound: .notFound
      case .notImplemented: .notImplemented
      case .unauthorized: .unauthorized
      }
    self.init(status: status, code: error.code.rawValue, message: error.message)
  }
}
