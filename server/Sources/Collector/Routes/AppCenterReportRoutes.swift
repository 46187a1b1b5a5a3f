import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Reports
import TernEvents
import Warehouse

/// `/v0.1/apps/{owner}/{app}/analytics/…`: App Center's analytics API, so that scripts that use it need only another
/// host and another token (docs/app-center.md).
struct AppCenterReportRoutes: Sendable {
  let access: Access
  let reports: ReportScheduler
  let store: any MetricsStore
  let catalog: any CatalogStore
  let wallTime: @Sendable () -> Timestamp

  func add(to routes: RouteTable) {
    routes.on("/v0.1/apps/:owner/:app/analytics/**", [.get: { try await get($0, $1) }, .delete: { try deny($0, $1) }])
  }

  private func get(_ request: Request, _ context: CollectorContext) async throws -> Response {
    try authorize(request, context)
    let app = try app(context)
    do {
      let query = try AppCenterQuery(
        path: context.parameters.getCatchAll().map(Self.decoded), parameters: request.parameters, app: app.id,
        timeZone: app.timeZone, now: wallTime())
      let store = store
      return .json(Array(try await reports.run(for: context.clientShare) { try await query.response(from: store) }))
    } catch let error as AppCenterError {
      throw APIError(error)
    }
  }

  private func deny(_ request: Request, _ context: CollectorContext) throws -> Response {
    try authorize(request, context)
    throw APIError(AppCenterError(.notImplemented, "This API can't delete stored events."))
  }

  /// Accepts App Center's own header, or else what the rest of the API accepts.
  private func authorize(_ request: Request, _ context: CollectorContext) throws {
    if let token = request.headers[.apiToken]?.trimmed {
      guard try access.verify(token, from: context.clientShare) else {
        throw APIError(AppCenterError(.unauthorized, "The token in X-API-Token is not the admin token of this server."))
      }
      return
    }
    do {
      try access.requireAPI(request, context)
    } catch let error as APIError where error.status == .unauthorized {
      throw APIError(AppCenterError(.unauthorized, "Send the admin token in the header X-API-Token."))
    }
  }

  /// Returns the app with a name, number or secret; owners are ignored.
  ///
  /// Names take precedence, because App Center had only names: `2024` means an app of that name, and `2` means an app
  /// named `2` even if another app has the number 2. The other app can still be addressed by its name or secret.
  private func app(_ context: CollectorContext) throws -> App {
    let text = context.parameters.get("app").map { Self.decoded($0) } ?? ""
    let apps = try catalog.apps()
    if let app = apps.first(where: { $0.name == text }) { return app }
    if let number = Int64(text), let app = try catalog.app(AppID(number)) { return app }
    if let app = try catalog.app(appSecret: text) { return app }
    // Names in App Center's addresses have no spaces: `My App` is `My-App`.
    let slug = Self.slug(text)
    if !slug.isEmpty, let app = apps.first(where: { Self.slug($0.name) == slug }) { return app }
    throw APIError(
      AppCenterError(.notFound, "There is no such app. Use the app's name, number or app secret."))
  }

  private static func slug(_ name: String) -> String {
    name.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." }.joined(separator: "-")
  }

  private static func decoded(_ part: some StringProtocol) -> String { part.removingPercentEncoding ?? String(part) }
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
