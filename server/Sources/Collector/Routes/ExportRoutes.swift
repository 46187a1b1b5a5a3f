import HTTPTypes
import Hummingbird
import NIOCore
import Warehouse

/// `/api/v1/apps/:app/export`: raw rows for programs (docs/export-format.md).
struct ExportRoutes: Sendable {
  let exporter: any EventExport
  let catalog: any CollectorCatalog
  let reports: ReportScheduler
  /// The text that identifies this server in exports.
  let server: String

  func add(to routes: RouteTable) {
    routes.on("/api/v1/apps/:app/export", [.get: .api(.permission(.readPersonalData)) { try await export($0, $1) }])
  }

  private func export(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let parameters = request.parameters
    var wanted = ExportRequest(app: try context.app, format: .ndjson, server: server)
    if let text = parameters["format"], !text.isEmpty {
      guard let format = ExportRequest.Format(rawValue: text) else {
        throw Self.invalid("The format must be ndjson or csv.")
      }
      wanted.format = format
    }
    wanted.from = try day(parameters["from"])
    wanted.to = try day(parameters["to"])
    if let from = wanted.from, let to = wanted.to, from > to { throw Self.invalid("`from` must not be after `to`.") }
    if let text = parameters["after"] {
      guard let row = Int64(text), row >= 0 else { throw Self.invalid("`after` must be the number of a row.") }
      wanted.after = row
    }
    wanted.person = parameters["install"].map { .install($0) } ?? parameters["user"].map { .user($0) }
    // Before the response begins, so that a mistake gets a status of its own.
    let first: ExportPage
    do {
      first = try await page(wanted, .start, context)
    } catch let error as WarehouseError where error.code == .invalid {
      throw Self.invalid(error.message)
    }
    try catalog.record(.exported, "app \(wanted.app.id), by the API")
    guard let grant = context.grant else { throw APIError.loginNeeded }
    let body = ResponseBody { [wanted] writer in
      var current = first
      while true {
        if !current.bytes.isEmpty { try await writer.write(ByteBuffer(bytes: current.bytes)) }
        guard let next = current.next else { break }
        // A revoked right ends the download; without the last line, it can't be taken for a complete one.
        guard grant.isStillValid() else { throw APIError.loginNeeded }
        current = try await page(wanted, next, context)
      }
      try await writer.finish(nil)
    }
    let headers: HTTPFields = [.contentType: wanted.format.contentType, .cacheControl: "no-store"]
    return Response(status: .ok, headers: headers, body: body)
  }

  /// Reads a part when it is the client's turn, like a report.
  private func page(
    _ request: ExportRequest, _ cursor: ExportCursor, _ context: CollectorContext
  ) async throws -> ExportPage {
    try await reports.run(for: context.clientShare) { [exporter] in try await exporter.exportPage(request, at: cursor) }
  }

  private func day(_ text: String?) throws -> Day? {
    guard let text, !text.isEmpty else { return nil }
    guard let day = Day(text) else { throw Self.invalid("Days look like 2026-05-31.") }
    return day
  }

  private static func invalid(_ message: String) -> APIError {
    APIError(status: .badRequest, code: "invalid", message: message)
  }
}
