import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Portal
import Reports
import ServerBase
import TernEvents
import Warehouse

/// The status of error groups: a form of the portal, and `/api/v1/apps/ID/errors/GROUP` for programs.
struct ErrorStatusRoutes: Sendable {
  let reader: BodyReader
  let reports: ReportScheduler
  let store: any MetricsStore
  let catalog: any CollectorCatalog
  let wallTime: @Sendable () -> Timestamp

  private static let maximumBytes = 64 << 10

  func add(to routes: RouteTable) {
    // Not below `/apps/:app/errors`: the router does not fall back to `:page` once `errors` has matched.
    routes.on("/apps/:app/error-status", [.post: .page(.permission(.edit)) { try await post($0, $1) }])
    routes.on(
      "/api/v1/apps/:app/errors/:group",
      [
        .get: .api(.permission(.read)) { _, context in try await show(context) },
        .put: .api(.permission(.edit)) { try await put($0, $1) },
      ])
  }

  private func post(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (app, form) = (try context.app, try await reader.form(request, context))
    guard let group = form["group"].flatMap({ Int64($0) }) else { throw APIError.unknownErrorGroup }
    let wanted = ErrorStatusRequest(
      status: form["status"] ?? "", note: form["note"]?.replacing("\r\n", with: "\n"), version: form["version"]?.trimmed
    )
    _ = try await set(wanted, group, context)
    return Redirect(path: "/apps/\(app.id)/error?group=\(group)").response
  }

  private func put(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let group = try Self.group(context)
    let body = try await reader.read(request, context, limit: Self.maximumBytes)
    guard let wanted = try? JSONDecoder().decode(ErrorStatusRequest.self, from: Data(body.bytes.readableBytesView))
    else {
      throw APIError(
        status: .badRequest, code: "malformed",
        message: "Send a JSON object with status and, optionally, note and version.")
    }
    return try Self.response(group, try await set(wanted, group, context))
  }

  private func show(_ context: CollectorContext) async throws -> Response {
    let (group, app) = (try Self.group(context), try context.app.id)
    let state = try catalog.errorStates(app: app)[group]
    return try Self.response(
      group,
      try await reports.run(for: context.clientShare) { [store] in
        guard try await store.hasErrorGroup(app: app, id: group) else { throw APIError.unknownErrorGroup }
        return try await ErrorTriage(group, state, app: app, from: store)
      })
  }

  /// Sets a state, and returns it as it applies.
  private func set(
    _ wanted: ErrorStatusRequest, _ group: Int64, _ context: CollectorContext
  ) async throws -> ErrorTriage {
    let app = try context.app
    guard let status = ErrorStatus(rawValue: wanted.status) else {
      throw APIError(
        status: .badRequest, code: "invalid",
        message: "The status must be \(ErrorStatus.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    let today = try ReportZone(app.timeZone).day(of: wallTime())
    let latest = try await reports.run(for: context.clientShare) { [store] in
      guard try await store.hasErrorGroup(app: app.id, id: group) else { throw APIError.unknownErrorGroup }
      guard try await !ErrorGroup.isOverflow(app: app.id, group: group, from: store) else {
        throw APIError(
          status: .badRequest, code: "invalid",
          message: "This group has errors that are unlike each other, beyond the limit on new groups. It stays open.")
      }
      // Without a version, stragglers of versions that are out already must not open the error again.
      guard status == .closed, (wanted.version ?? "").isEmpty else { return "" }
      return try await ErrorGroup.latestVersion(app: app.id, today: today, from: store)
    }
    let version = wanted.version.flatMap { $0.isEmpty ? nil : $0 } ?? latest
    do {
      let state = try catalog.setErrorState(
        app: app.id, group: group, status: status, note: wanted.note ?? "", version: version)
      return ErrorTriage(state, versions: [])
    } catch let error as WarehouseError where error.code == .invalid {
      throw APIError(status: .badRequest, code: "invalid", message: error.message)
    }
  }

  private static func group(_ context: CollectorContext) throws -> Int64 {
    guard let group = context.parameters.get("group").flatMap({ Int64($0) }) else { throw APIError.unknownErrorGroup }
    return group
  }

  private static func response(_ group: Int64, _ triage: ErrorTriage) throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return .json(Array(try encoder.encode(ErrorStatusDescription(group, triage))))
  }
}

/// The request body that sets the status of an error group.
private struct ErrorStatusRequest: Decodable, Sendable {
  let status: String
  let note: String?
  let version: String?
}

/// The status of an error group in the JSON of the API.
private struct ErrorStatusDescription: Encodable {
  let group: Int64
  let status: String
  let note: String
  let version: String?
  let by: String?
  let changed: String?
  let reopenedIn: String?

  init(_ group: Int64, _ triage: ErrorTriage) {
    self.group = group
    status = triage.status.rawValue
    note = triage.state?.note ?? ""
    version = triage.state.flatMap { $0.version.isEmpty ? nil : $0.version }
    by = triage.state?.author
    changed = triage.state?.changed.isoText
    reopenedIn = triage.reopenedIn
  }
}

extension APIError {
  fileprivate static let unknownErrorGroup = APIError(
    status: .notFound, code: "unknown_error",
    message: "This error does not exist. The report errors lists those of a range.")
}
