import Answering
import HTTP
import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import Reports
import TernBase
import TernGzip
import Warehouse

/// `/api/v1/apps/:app/export`: raw rows for programs (docs/export-format.md).
struct ExportEndpoints: Sendable {
  let exporter: any EventExport
  let catalog: any CollectorCatalog
  let reports: ReportScheduler
  /// The text that identifies this server in exports.
  let server: String

  func add(to api: EndpointGroup) {
    api.group("/apps/:app", .readPersonalData).on(
      .get, "/export",
      APIOperation(
        "export",
        "The stored rows of an app, compressed if Accept-Encoding names gzip. NDJSON ends with {\"end\":true}.",
        ReportEndpoints.range + [
          .query("format", .choice(ExportRequest.Format.self))
        ] + APIOperation.Parameter.csv + [
          .query("after", .count.described("The number of a row: only later ones are exported.")),
          .query("afterAttachment", .count.described("The number of an attachment: only later ones are exported.")),
          .query("install", .text.described("Only the rows of this install.")),
          .query("user", .text.described("Only the rows of this user.")),
        ], answers: ["application/x-ndjson": .text, "text/csv": .text], errors: [400, 503])
    ) { try await export($0.request, $0.context) }
  }

  private func export(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let parameters = request.parameters
    var wanted = ExportRequest(app: try context.app, format: .ndjson, server: server)
    if let text = parameters["format"], !text.isEmpty {
      guard let format = ExportRequest.Format(rawValue: text) else {
        throw APIError.invalid("The format must be ndjson or csv.")
      }
      wanted.format = format
    }
    wanted.csv = try request.csvStyle()
    wanted.from = try day(parameters["from"])
    wanted.to = try day(parameters["to"])
    if let from = wanted.from, let to = wanted.to, from > to {
      throw APIError.invalid("`from` must not be after `to`.")
    }
    wanted.after = try number(parameters["after"], "`after` must be the number of a row.")
    wanted.afterAttachment = try number(
      parameters["afterAttachment"], "`afterAttachment` must be the number of an attachment.")
    wanted.person = parameters["install"].map { .install($0) } ?? parameters["user"].map { .user($0) }
    // Before the response begins, so that a mistake gets a status of its own.
    let first: ExportPage
    do {
      first = try await page(wanted, .start, context)
    } catch let error as WarehouseError where error.code == .invalid {
      throw APIError.invalid(error.message)
    }
    try catalog.record(.exported, "app \(wanted.app.id), by the API")
    guard let grant = context.grant else { throw APIError.loginNeeded }
    // Level 1, because a compressed export should be as fast as one that isn't.
    let compression = request.acceptsGzip ? GzipStream(level: 1).map { Locked($0) } : nil
    let body = ResponseBody { [wanted] writer in
      var current = first
      while true {
        // A revoked right ends the download; without the last line, it can't be taken for a complete one.
        guard grant.isStillValid() else { throw APIError.loginNeeded }
        guard let next = current.next else { break }
        // The next part is read while the client takes this one.
        async let following = page(wanted, next, context)
        let bytes = try await packed(current.bytes, isLast: false, compression, context)
        if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
        current = try await following
      }
      let bytes = try await packed(current.bytes, isLast: true, compression, context)
      if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
      try await writer.finish(nil)
    }
    // Without the name of a person: names of files are seen by others.
    let content = wanted.person == nil ? "rows" : "rows-of-a-person"
    let name = FileName(wanted.app, [content], from: wanted.from, to: wanted.to, ending: wanted.format.rawValue)
    var headers: HTTPFields = [
      .contentType: wanted.format.contentType, .cacheControl: "no-store", .contentDisposition: name.disposition,
    ]
    headers[.vary] = "Accept-Encoding"
    if compression != nil { headers[.contentEncoding] = "gzip" }
    return Response(status: .ok, headers: headers, body: body)
  }

  /// Returns a part as it is sent.
  private func packed(
    _ bytes: [UInt8], isLast: Bool, _ compression: Locked<GzipStream>?, _ context: CollectorContext
  ) async throws -> [UInt8] {
    guard let compression else { return bytes }
    return try await reports.run(for: context.clientShare) {
      compression.withLock { isLast ? $0.finish(bytes) : $0.add(bytes) }
    }
  }

  /// Reads a part when it is the client's turn, like a report.
  private func page(
    _ request: ExportRequest, _ cursor: ExportCursor, _ context: CollectorContext
  ) async throws -> ExportPage {
    try await reports.run(for: context.clientShare) { [exporter] in try await exporter.exportPage(request, at: cursor) }
  }

  private func number(_ text: String?, _ message: String) throws -> Int64 {
    guard let text else { return 0 }
    guard let number = Int64(text), number >= 0 else { throw APIError.invalid(message) }
    return number
  }

  private func day(_ text: String?) throws -> Day? {
    guard let text, !text.isEmpty else { return nil }
    guard let day = Day(text) else { throw APIError.invalid("Days look like 2026-05-31.") }
    return day
  }
}
