import AppCatalog
import HTTPTypes
import Hummingbird
import NIOCore
import TernGzip
import Testing
import Warehouse

@testable import Symbols

/// `GET /api/v1/apps/:app/export`.
@Suite struct ExportEndpointTests {
  @Test func `an export is streamed in parts, and recorded in the audit log`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let path = "/api/v1/apps/1/export?format=csv&from=2026-05-01&to=2026-05-02&after=7&user=ann"
      let response = try await client.execute(uri: path, method: .get, headers: fixture.authorized)
      #expect(response.status == .ok)
      #expect(response.headers[.contentType] == "text/csv; charset=utf-8")
      #expect(
        response.headers[.contentDisposition]
          == #"attachment; filename="Player-Friends-rows-of-a-person-2026-05-01-to-2026-05-02.csv""#)
      let text = String(buffer: response.body)
      #expect(text == "csv 2026-05-01 2026-05-02 7 user(\"ann\")\nrows\nend\n")
    }
    let entry = try #require(try fixture.catalog.audit(limit: 1).first)
    #expect(entry.action == "data exported" && entry.actor.name == "token test" && entry.subject.contains("app 1"))
  }

  @Test func `an export is compressed for clients that take gzip`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let plain = try await client.execute(uri: "/api/v1/apps/1/export", method: .get, headers: fixture.authorized)
      #expect(plain.headers[.contentEncoding] == nil && plain.headers[.vary] == "Accept-Encoding")
      for (coding, isCompressed) in [
        ("gzip", true), ("deflate, GZIP;q=0.5", true), ("x-gzip", true), ("br", false), ("gzip;q=0", false),
        ("gzip; q=0.000, br", false), ("", false),
      ] {
        var headers = fixture.authorized
        headers[.acceptEncoding] = coding
        let response = try await client.execute(uri: "/api/v1/apps/1/export", method: .get, headers: headers)
        #expect(response.headers[.contentEncoding] == (isCompressed ? "gzip" : nil), "\(coding)")
        var bytes = [UInt8](buffer: response.body)
        if isCompressed { bytes = try inflated(bytes) }
        #expect(bytes == [UInt8](buffer: plain.body), "\(coding)")
      }
    }
  }

  @Test func `what has arrived of a compressed export can be decompressed`() throws {
    let (stream, inflater) = (try #require(GzipStream(level: 1)), GzipInflater())
    var (text, arrived): ([UInt8], [UInt8]) = ([], [])
    for count in [1, 0, 70_000, 300_000] {
      let part = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
      text += part
      try stream.add(part).withUnsafeBytes { try inflater.inflate($0) { arrived += $0 } }
      #expect(arrived == text)
    }
    #expect(throws: WarehouseError.self) { try inflater.checkEnd() }
    try stream.finish([]).withUnsafeBytes { try inflater.inflate($0) { arrived += $0 } }
    try inflater.checkEnd()
    #expect(arrived == text)
  }

  @Test func `mistakes get status 400, and nothing is recorded`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let mistakes = [
        "format=xml", "decimal=dot", "texts=plain", "afterAttachment=x", "from=yesterday",
        "from=2026-05-02&to=2026-05-01", "after=-1",
        "install=unknown",
      ]
      for query in mistakes {
        let response = try await client.execute(
          uri: "/api/v1/apps/1/export?\(query)", method: .get, headers: fixture.authorized)
        #expect(response.status == .badRequest, "\(query)")
      }
    }
    #expect(try !fixture.catalog.audit(limit: 100).contains { $0.action == "data exported" })
  }
}

/// An export of three lines that describe the request.
struct SampleExport: EventExport {
  func exportPage(_ request: ExportRequest, at cursor: ExportCursor) async throws -> ExportPage {
    if request.person == .install("unknown") { throw WarehouseError(.invalid, "There is none.") }
    switch cursor {
    case .start:
      let days = [request.from, request.to].map { $0?.description ?? "-" }.joined(separator: " ")
      let person = request.person.map { "\($0)" } ?? "everyone"
      let text = "\(request.format) \(days) \(request.after) \(person)\n"
      return ExportPage(bytes: Array(text.utf8), next: .rows(after: 0, through: 1))
    case .rows: return ExportPage(bytes: Array("rows\n".utf8), next: .rejections)
    default: return ExportPage(bytes: Array("end\n".utf8), next: nil)
    }
  }
}
