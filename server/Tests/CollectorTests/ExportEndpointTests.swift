import AppCatalog
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import Warehouse

@testable import Collector

/// `GET /api/v1/apps/:app/export`.
@Suite struct ExportEndpointTests {
  @Test func `an export is streamed in parts, and recorded in the audit log`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let path = "/api/v1/apps/1/export?format=csv&from=2026-05-01&to=2026-05-02&after=7&user=ann"
      let response = try await client.execute(uri: path, method: .get, headers: fixture.authorized)
      #expect(response.status == .ok)
      #expect(response.headers[.contentType] == "text/csv; charset=utf-8")
      let text = String(buffer: response.body)
      #expect(text == "csv 2026-05-01 2026-05-02 7 user(\"ann\")\nrows\nend\n")
    }
    let entry = try #require(try fixture.catalog.audit(limit: 1).first)
    #expect(entry.action == "data exported" && entry.actor.name == "token test" && entry.subject.contains("app 1"))
  }

  @Test func `mistakes get status 400, and nothing is recorded`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let mistakes = ["format=xml", "from=yesterday", "from=2026-05-02&to=2026-05-01", "after=-1", "install=unknown"]
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
    if request.person == .install("unknown") { throw WarehouseError(code: .invalid, message: "There is none.") }
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
