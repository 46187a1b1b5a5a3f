import Answering
import Foundation
import HTTP
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
