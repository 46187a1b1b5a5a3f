import HTTP
import HTTPTypes
package import Hummingbird
import NIOCore
package import Reports
package import ServerBase
package import Warehouse

extension Response {
  /// Creates a response with an answer. Large answers are written in parts, so that they are never in memory twice.
  package static func answer(
    _ answered: AnsweredQuestion, _ format: AnswerFormat, _ csv: CSVStyle, named name: FileName
  ) -> Response {
    var headers: HTTPFields = [
      .contentType: format.contentType, .cacheControl: "no-store", .contentDisposition: name.disposition,
    ]
    if answered.rowsLeftOut > 0 { headers[.rowsLeftOut] = String(answered.rowsLeftOut) }
    if !answered.notes.isEmpty { headers[.notes] = answered.notes.joined(separator: " ") }
    var parts = answered.document(format, csv).makeIterator()
    let first = ByteBuffer(bytes: parts.next() ?? [])
    guard let second = parts.next() else {
      return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: first))
    }
    let rest = parts
    let body = ResponseBody { writer in
      try await writer.write(first)
      try await writer.write(ByteBuffer(bytes: second))
      try await write(rest, to: &writer)
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: headers, body: body)
  }

  @concurrent private static func write(
    _ parts: AnswerDocument.Iterator, to writer: inout any ResponseBodyWriter
  ) async throws {
    var parts = parts
    while let part = parts.next() { try await writer.write(ByteBuffer(bytes: part)) }
  }

  /// Creates a response with a report. A header names the lists that may be incomplete.
  package static func report(
    _ report: Report, _ format: ReportFormat, _ csv: CSVStyle, of app: App
  ) throws -> Response {
    var headers: HTTPFields = [
      .contentType: format.contentType, .cacheControl: "no-store",
      .contentDisposition: report.fileName(of: app, format).disposition,
    ]
    let full = report.fullLists
    if !full.isEmpty { headers[.fullLists] = full.joined(separator: ", ") }
    return Response(
      status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: try report.text(format, csv))))
  }
}
