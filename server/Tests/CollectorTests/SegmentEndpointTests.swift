import AppCatalog
import Foundation
import HTTPTypes
import NIOCore
import Questions
import Testing
import Warehouse

@Suite struct SegmentEndpointTests {
  private static let german = #"{"name": "Germans", "filters": [["is", "country", ["DE"]]]}"#

  private func send(
    _ client: TestClient, _ method: HTTPRequest.Method, _ path: String = "", _ json: String = "",
    headers: HTTPFields
  ) async throws -> TestResponse {
    try await client.execute(
      uri: "/api/v1/apps/1/segments\(path)", method: method, headers: headers, body: ByteBuffer(string: json))
  }

  private func names(_ client: TestClient, headers: HTTPFields) async throws -> [String] {
    let members = try object(try await send(client, .get, headers: headers))
    return try #require(members["segments"] as? [[String: Any]]).compactMap { $0["name"] as? String }
  }

  @Test func `a segment is created, changed and removed, and each change is recorded`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let headers = fixture.authorized
      let created = try await send(client, .post, "", Self.german, headers: headers)
      #expect(created.status == .created)
      let segment = try object(created)
      #expect(segment["name"] as? String == "Germans")
      #expect((segment["author"] as? String)?.hasPrefix("token ") == true)
      let number = try #require(segment["id"] as? Int)
      let taken = try await send(client, .post, "", Self.german, headers: headers)
      #expect(taken.status == .badRequest)
      let changed = try await send(
        client, .put, "/\(number)", #"{"name": "Austrians", "filters": [["is", "country", ["AT"]]]}"#,
        headers: headers)
      #expect(changed.status == .ok)
      #expect(try await names(client, headers: headers) == ["Austrians"])
      #expect(try await send(client, .delete, "/\(number)", headers: headers).status == .noContent)
      #expect(try await names(client, headers: headers).isEmpty)
      for method in [HTTPRequest.Method.put, .delete] {
        #expect(try await send(client, method, "/\(number)", Self.german, headers: headers).status == .notFound)
      }
    }
    let actions = try fixture.catalog.audit(limit: 3).map(\.action)
    #expect(actions == ["segment deleted", "segment changed", "segment created"])
  }

  @Test func `a question with a segment is the question with its filters`() async throws {
    let fixture = try Fixture()
    let segment = try fixture.catalog.createSegment(
      app: fixture.app.id, name: "Germans", filters: #"[["is","country",["DE"]],["set","model"]]"#)
    let json = #"{"metrics": ["users"], "filters": [["not", ["segment", \#(segment.id)]]]}"#
    try await fixture.routed { client in
      let response = try await client.execute(
        uri: "/api/v1/apps/1/query", method: .post, headers: fixture.authorized, body: ByteBuffer(string: json))
      #expect(response.status == .ok)
      let understood = try #require(try object(response)["query"] as? [String: Any])
      let filters = try JSONSerialization.data(withJSONObject: try #require(understood["filters"]))
      #expect(
        String(decoding: filters, as: UTF8.self) == #"[["not",["and",[["is","country",["DE"]],["set","model"]]]]]"#)
    }
    let filters: [QuestionFilter] = [.not(.all([.isOneOf(.country, [.text("DE")]), .isSet(.model)]))]
    #expect(fixture.questions.asked.map(\.scope.filters) == [filters])
  }

  @Test(arguments: [
    (#"{"name": "A"}"#, "$"), (#"{"name": "A", "filters": []}"#, "$.filters"),
    (#"{"name": "A", "filters": [["is", "planet", ["Mars"]]]}"#, "$.filters[0][1]"),
    (#"{"name": "A", "filters": [["segment", 1]]}"#, "$.filters[0][0]"),
  ])
  func `filters that cannot be read are refused with their JSON path`(json: String, path: String) async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let response = try await send(client, .post, "", json, headers: fixture.authorized)
      #expect(response.status == .badRequest)
      let error = try #require(try object(response)["error"] as? [String: Any])
      #expect(error["path"] as? String == path)
      #expect(try await names(client, headers: fixture.authorized).isEmpty)
    }
  }

  @Test func `segments that name persons are hidden from those who may not see them`() async throws {
    let fixture = try Fixture()
    let segment = try fixture.catalog.createSegment(
      app: fixture.app.id, name: "Ada", filters: #"[["is","user",["ada@example.com"]]]"#)
    let (_, secret) = try fixture.catalog.createToken(name: "t", scopes: [.read], app: nil)
    let headers: HTTPFields = [.authorization: "Bearer \(secret)"]
    try await fixture.routed { client in
      #expect(try await names(client, headers: headers).isEmpty)
      #expect(try await names(client, headers: fixture.authorized) == ["Ada"])
      let response = try await client.execute(
        uri: "/api/v1/apps/1/query", method: .post, headers: headers,
        body: ByteBuffer(string: #"{"metrics": ["users"], "filters": [["segment", \#(segment.id)]]}"#))
      #expect(response.status == .forbidden)
    }
  }

  @Test func `a segment belongs to one app, and goes with it`() throws {
    let fixture = try Fixture()
    let other = try fixture.catalog.createApp(name: "Other")
    let filters = #"[["set","model"]]"#
    let segment = try fixture.catalog.createSegment(app: fixture.app.id, name: "A", filters: filters)
    #expect(try fixture.catalog.segments(app: other.id).isEmpty)
    #expect(try !fixture.catalog.removeSegment(segment.id, app: other.id))
    #expect(try fixture.catalog.changeSegment(segment.id, app: other.id, name: "B", filters: filters) == nil)
    let job = try fixture.catalog.requestDeletion(of: fixture.app)
    try fixture.catalog.finishDeletion(of: fixture.app.id, job: job.id, DataJob.Result(message: ""))
    #expect(try fixture.catalog.segments(app: fixture.app.id).isEmpty)
  }

  @Test func `segments are saved from a page, changed and deleted in the portal`() async throws {
    let fixture = try Fixture()
    let (catalog, app, cookie) = (fixture.catalog, fixture.app.id, try fixture.cookie())
    try await fixture.routed { client in
      func post(_ form: String) async throws -> TestResponse {
        try await client.execute(
          uri: "/apps/1/segments", method: .post, headers: [.cookie: cookie, .origin: "http://localhost"],
          body: ByteBuffer(string: form))
      }
      func page(_ uri: String) async throws -> String {
        String(buffer: try await client.execute(uri: uri, method: .get, headers: [.cookie: cookie]).body)
      }
      #expect(try await page("/apps/1/explore?f1=country&v1=DE").contains("Save the filters as a segment"))
      #expect(try await !page("/apps/1/explore").contains("Save the filters as a segment"))
      let made = try await post("do=create&name=Germany&f1=country+is+DE")
      #expect(made.status == .seeOther)
      let segment = try #require(try catalog.segments(app: app).first)
      #expect(segment.name == "Germany")
      let filtered = try await page("/apps/1/explore?segment=\(segment.id)&compare=segment-\(segment.id)")
      #expect(filtered.contains("selected>Germany"))
      #expect(!filtered.contains("role=\"alert\""), "the question is understood")
      #expect(try await page("/apps/1/explore?segment=99").contains("This segment no longer exists."))
      let done = "h1=has_done&k1=event&n1=Purchase&c1=3&h2=has_not_done&k2=crash&n2=&c2=1&d2=30"
      _ = try await post("do=change&id=\(segment.id)&name=DE&f1=country&o1=is&v1=DE&\(done)")
      let changed = try #require(try catalog.segments(app: app).first)
      #expect(changed.name == "DE")
      #expect(
        changed.filters
          == #"[["is","country",["DE"]],["has_done",{"event":"Purchase"},{"at_least":3}],"#
          + #"["has_not_done",{"kind":"crash"},{"days":30}]]"#
      )
      let list = try await page("/apps/1/segments?edit=\(segment.id)")
      #expect(
        list.contains("country is Germany, has done Purchase at least 3 times, has not done crash in the last 30 days"))
      #expect(list.contains("name=\"c1\" value=\"3\"") && !list.contains("has_done&quot;"))
      for mistake in [
        "do=create&name=x&filters=%5B%5D", "do=create&name=x&filters=",
        "do=create&name=de&f1=user+set", "do=create&name=x&f1=colour+is+red", "do=create&name=x&f1=country+gt+3",
        "do=create&name=x&h1=has_done&k1=event&n1=Play&c1=0", "do=create&name=x&h1=has_done&k1=any&d1=0",
      ] {
        #expect(try await post(mistake).status == .badRequest, "\(mistake)")
      }
      _ = try await post("do=delete&id=\(segment.id)")
      #expect(try catalog.segments(app: app).isEmpty)
    }
  }
}
