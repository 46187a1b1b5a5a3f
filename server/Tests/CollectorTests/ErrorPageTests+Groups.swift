import AppCatalog
import HTTPTypes
import NIOCore
import Testing
import Warehouse
import WarehouseSQLite

/// Rules for groups of errors, merged groups, and stacks that are taken out, by HTTP and on pages.
extension ErrorPageTests {
  private func send(
    _ method: HTTPRequest.Method, _ uri: String, _ body: String, _ client: TestClient, _ cookie: HTTPFields
  ) async throws -> TestResponse {
    var headers = cookie
    headers[.origin] = "http://localhost"
    return try await client.execute(uri: uri, method: method, headers: headers, body: ByteBuffer(string: body))
  }

  /// The first two calls decide on the group.
  private func bad(_ caller: String) -> String {
    let frames = ["a", "b", caller].map { #"{"className":"Store","methodName":"\#($0)"}"# }.joined(separator: ",")
    return #","exception":{"type":"Bad","frames":[\#(frames)]}"#
  }

  /// Two groups of crashes, of which the first has two stacks, and one of handled errors.
  private func store(_ client: TestClient, _ app: App, _ warehouse: SQLiteWarehouse) async throws {
    _ = try await send(
      [
        line("crash", 1, bad("c")), line("crash", 2, #","exception":{"type":"Worse"}"#),
        line("handled_error", 3, #","exception":{"type":"Bad"}"#), line("crash", 4, bad("d")),
      ], client, key: app.key)
    try await warehouse.flush()
  }

  @Test func `programs merge groups, take stacks out, set rules, and undo it all`() async throws {
    try await withCollector { client, app, cookie, warehouse in
      try await store(client, app, warehouse)
      let root = "/api/v1/apps/1/error-groups"
      func shown() async throws -> String { try await page(root, client, cookie) }
      #expect(
        try await shown()
          == #"{"merged":[],"rules":{"skippedFiles":[],"skippedFunctions":[],"skippedImages":[]},"split":[]}"#)
      #expect(try await send(.post, root + "/merged", #"{"group":2,"into":1}"#, client, cookie).status == .noContent)
      #expect(try await send(.post, root + "/split", #"{"occurrence":1}"#, client, cookie).status == .created)
      let rules = #"{"skippedFunctions":["report(_:)"],"skippedImages":["libvendor*"]}"#
      #expect(try await send(.put, root + "/rules", rules, client, cookie).status == .ok)
      #expect(
        try await shown()
          == #"{"merged":[{"group":2,"into":1}],"rules":{"skippedFiles":[],"skippedFunctions":["report(_:)"],"#
          + #""skippedImages":["libvendor*"]},"split":[1]}"#)

      for (body, status, text) in [
        (#"{"group":9,"into":1}"#, 400, "no error 9"), (#"{"group":1,"into":1}"#, 400, "one group already"),
        (#"{"group":3,"into":1}"#, 400, "Only errors of one kind"), (#"{"group":0,"into":1}"#, 400, "group"),
      ] {
        let answer = try await send(.post, root + "/merged", body, client, cookie)
        #expect(answer.status.code == status && String(buffer: answer.body).contains(text), "\(body) \(answer)")
      }
      let long = #"{"skippedFiles":["\#(String(repeating: "a", count: 201))"]}"#
      for bad in [long, #"{"skippedFiles":["***"]}"#, #"{"skippedFiles":["a\nb"]}"#, #"{"skippedFiles":"a"}"#] {
        #expect(try await send(.put, root + "/rules", bad, client, cookie).status == .badRequest, "\(bad)")
      }
      for occurrence in [2, 99] {
        let answer = try await send(.post, root + "/split", #"{"occurrence":\#(occurrence)}"#, client, cookie)
        #expect(answer.status == .badRequest, "\(occurrence)")
      }
      for path in ["/merged/2", "/split/1"] {
        #expect(try await send(.delete, root + path, "", client, cookie).status == .noContent, "\(path)")
        #expect(try await send(.delete, root + path, "", client, cookie).status == .notFound, "\(path)")
      }
      #expect(try await send(.put, root + "/rules", "{}", client, cookie).status == .ok)
      #expect(try await shown().contains(#""merged":[],"rules":{"skippedFiles":[],"skippedFunctions":[]"#))
    }
  }

  @Test func `a person decides on a page, from the pages of groups and errors`() async throws {
    try await withCollector { client, app, cookie, warehouse in
      try await store(client, app, warehouse)
      let address = "/apps/1/error-groups"
      #expect(try await page("/apps/1/error?group=2", client, cookie).contains("\(address)?group=2"))
      let occurrence = try await page("/apps/1/error?occurrence=1", client, cookie)
      #expect(occurrence.contains(#"name="do" value="split""#) && occurrence.contains("action=\"\(address)\""))
      #expect(try await page("\(address)?group=2", client, cookie).contains(#"name="group" value="2""#))

      for form in [
        "do=merge&group=2&into=1", "do=split&id=1",
        "do=rules&functions=report(_:)%0D%0A+Log.*+%0D%0A&files=&images=%3Cb%3E",
      ] {
        let answer = try await send(.post, address, form, client, cookie)
        #expect(answer.status == .seeOther && answer.headers[.location] == "\(address)?done=saved", "\(form)")
      }
      let changed = try await page(address, client, cookie)
      for text in ["Log.*\nreport(_:)", "&lt;b&gt;", "Separate", "Put back"] {
        #expect(changed.contains(text), "\(text)")
      }
      #expect(try await page("/audit", client, cookie).contains("error 2 merged into 1"))
      let refused = try await send(.post, address, "do=merge&group=2&into=77", client, cookie)
      #expect(refused.status == .badRequest && String(buffer: refused.body).contains(#"role="alert""#))
      for form in ["do=separate&id=2", "do=rejoin&id=1", "do=rules&functions=&files=&images="] {
        #expect(try await send(.post, address, form, client, cookie).status == .seeOther, "\(form)")
      }
      #expect(try await !page(address, client, cookie).contains("Separate"))
    }
  }
}

/// Crashes that no session counts.
extension ErrorPageTests {
  @Test func `crash-free sessions name the crashes that belong to no session`() async throws {
    try await withCollector { client, app, cookie, warehouse in
      let crash = #","exception":{"type":"Bad"}"#
      func alone(_ line: String) -> String { line.replacing(#""session":"s1","#, with: "") }
      _ = try await send([line("event", 1, #","name":"x""#), line("crash", 2, crash)], client, key: app.key)
      try await warehouse.flush()
      #expect(try await !page("/apps/1/errors", client, cookie).contains("no session"))
      _ = try await send([alone(line("crash", 3, crash))], client, key: app.key)
      try await warehouse.flush()
      #expect(try await page("/apps/1/errors", client, cookie).contains("1 crash belongs to no session"))
      _ = try await send([alone(line("crash", 4, crash))], client, key: app.key)
      try await warehouse.flush()
      // Also those of another status than the listed ones.
      #expect(
        try await page("/apps/1/errors?status=closed", client, cookie).contains("2 crashes belong to no session"))
    }
  }
}
