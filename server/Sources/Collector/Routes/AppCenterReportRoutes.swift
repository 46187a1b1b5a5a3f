import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Reports
import TernEvents
import Warehouse

/// `/v0.1/apps/{owner}/{app}/analytics/…`: App Center's analytics API, so that scripts that read it need only another
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
      let question = try AppCenterQuestion(
        path: context.parameters.getCatchAll().map(Self.decoded), parameters: request.parameters, app: app.id,
        timeZone: app.timeZone, now: wallTime())
      let store = store
      return .json(Array(try await reports.run(for: context.clientShare) { try await question.answer(from: store) }))
    } catch let fault as AppCenterFault {
      throw APIError(fault)
    }
  }

  private func deny(_ request: Request, _ context: CollectorContext) throws -> Response {
    try authorize(request, context)
    throw APIError(AppCenterFault(.notImplemented, "Stored events are not removed by this API."))
  }

  /// App Center's own header, else what the rest of the API takes.
  private func authorize(_ request: Request, _ context: CollectorContext) throws {
    if let token = request.headers[.apiToken]?.trimmed {
      guard try access.verify(token, from: context.clientShare) else {
        throw APIError(AppCenterFault(.unauthorized, "The token in X-API-Token is not the admin token of this server."))
      }
      return
    }
    do {
      try access.requireAPI(request, context)
    } catch let error as APIError where error.status == .unauthorized {
      throw APIError(AppCenterFault(.unauthorized, "Send the admin token in the header X-API-Token."))
    }
  }

  /// The app by its name, number or secret; owners are not known here.
  ///
  /// Names go first, as App Center knew nothing else: an app called `2024` is meant by that, and so is one called `2`
  /// where another has the number 2. That one can still be reached by its name and its secret.
  private func app(_ context: CollectorContext) throws -> App {
    let text = context.parameters.get("app").map { Self.decoded($0) } ?? ""
    let apps = try catalog.apps()
    if let app = apps.first(where: { $0.name == text }) { return app }
    if let number = Int64(text), let app = try catalog.app(AppID(number)) { return app }
    if let app = try catalog.app(appSecret: text) { return app }
    // Names in App Center's addresses have no blanks: `My App` is `My-App`.
    let slug = Self.slug(text)
    if !slug.isEmpty, let app = apps.first(where: { Self.slug($0.name) == slug }) { return app }
    throw APIError(
      AppCenterFault(.notFound, "There is no such app. Name it by its name, its number or its app secret."))
  }

  private static func slug(_ name: String) -> String {
    name.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." }.joined(separator: "-")
  }

  private static func decoded(_ part: some StringProtocol) -> String { part.removingPercentEncoding ?? String(part) }
}

extension APIError {
  /// The error in the form of App Center's API.
  fileprivate init(_ fault: AppCenterFault) {
    let status: HTTPResponse.Status =
      switch fault.code {
      case .badRequest: .badRequest
      case .notFound: .notFound
      case .notImplemented: .notImplemented
      case .unauthorized: .unauthorized
      }
    self.init(status: status, code: fault.code.rawValue, message: fault.message)
  }
}
