import AppCatalog
import Foundation
import HTTPTypes
import Hummingbird
import Ingest
import NIOCore
import Portal
import TernEvents
import Testing
import Warehouse
import WarehouseSQLite

@testable import Site
@testable import TernServer

/// Tests errors and attachments from the request to the page.
@Suite struct ErrorPageTests {
  private static let error = "C0000000-0000-4000-8000-000000000001"

  func withCollector(
    _ body: @escaping @Sendable (TestClient, App, HTTPFields, SQLiteWarehouse) async throws -> Void
  ) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-errors-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let catalog = try Catalog(directory: directory)
    let warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    let dependencies = CollectorDependencies(of: warehouse, catalog)
    let app = try catalog.createApp(name: "Notes")
    let cookie: HTTPFields = [.cookie: "tern_session=\(try catalog.ownerSession())"]
    let collector = try CollectorApplication(
      dependencies: dependencies, address: "http://localhost",
      settings: CollectorSettings())
    try await TestClient(collector, logger: dependencies.logger).use { client in
      try await body(client, app, cookie, warehouse)
    }
    try await warehouse.close()
    try catalog.close()
  }

  /// A native event; `more` follows the required members.
  func line(_ type: String, _ number: Int, _ more: String, version: String = "1.2") -> String {
    let time = WallClock.system().millisecondsSince1970 - 60_000 + Int64(number)
    let digits = String(number, radix: 16)
    let id = "E0000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    return
      #"{"id":"\#(id)","type":"\#(type)","time":\#(time),"install":"0C7C9D1E-5A77-4E0C-8F0B-3B8E1D0F9A42","#
      + #""session":"s1","user":"ann"\#(more),"device":{"osName":"iOS","osVersion":"17"},"app":{"version":"\#(version)"}}"#
  }

  private func piece(_ number: Int, _ part: Int, of parts: Int, _ data: String, name: String, type: String) -> String {
    line(
      "attachment", number,
      #","attachment":{"error":"E0000000-0000-4000-8000-000000000002","id":"\#(Self.error)","name":"\#(name)","#
        + #""contentType":"\#(type)","part":\#(part),"parts":\#(parts),"data":"\#(data)"}"#)
  }

  func send(_ lines: [String], _ client: TestClient, key: String) async throws -> [String: Any] {
    let response = try await client.execute(
      uri: "/v1/events", method: .post, headers: [.ternKey: key],
      body: ByteBuffer(string: lines.joined(separator: "\n")))
    #expect(response.status == .ok)
    return try object(response)
  }

  func page(_ path: String, _ client: TestClient, _ cookie: HTTPFields) async throws -> String {
    let response = try await client.execute(uri: path, method: .get, headers: cookie)
    #expect(response.status == .ok, "\(path)")
    return String(buffer: response.body)
  }

  @Test func `a native client's crash is listed, and shown with its stack, session and attachment`() async throws {
    try await withCollector { client, app, cookie, warehouse in
      let exception =
        #","exception":{"type":"Bad<Thing>","message":"no & no","frames":[{"className":"A","methodName":"f"}]},"#
        + #""properties":{"Level":"3"}"#
      // An app that was moved from App Center has only its secret.
      let answer = try await send(
        [
          line("event", 1, #","name":"Before <it>""#), line("crash", 2, exception),
          piece(3, 1, of: 2, "bGxv", name: "../a.html", type: "text/html"),
          piece(4, 0, of: 2, "SGU=", name: "../a.html", type: "text/html"),
        ], client, key: app.appSecret.uppercased())
      #expect(answer["accepted"] as? Int == 4)
      try await warehouse.flush()
      let list = try await page("/apps/1/errors", client, cookie)
      #expect(list.contains("Bad&lt;Thing&gt;") && list.contains("/apps/1/error?group=1"))
      let fault = try await page("/apps/1/error?group=1", client, cookie)
      #expect(fault.contains("/apps/1/error?occurrence=2") && fault.contains("1.2"))
      let occurrence = try await page("/apps/1/error?occurrence=2", client, cookie)
      for text in ["no &amp; no", "A.f", "Before &lt;it&gt;", "Level", "ann", "/apps/1/errors/files/1"] {
        #expect(occurrence.contains(text), "\(text)")
      }
      let file = try await client.execute(uri: "/apps/1/errors/files/1", method: .get, headers: cookie)
      #expect(String(buffer: file.body) == "Hello")
      #expect(file.headers[.contentType] == "text/plain; charset=utf-8")
      #expect(file.headers[.contentDisposition] == #"attachment; filename="_a.html.txt""#)
      #expect(file.headers[.contentSecurityPolicy] == "sandbox; default-src 'none'")
      #expect(file.headers[.xContentTypeOptions] == "nosniff")
    }
  }

  @Test func `an error group or occurrence outside the range is found, one that does not exist is not`() async throws {
    try await withCollector { client, app, cookie, _ in
      _ = try await send(
        [line("crash", 1, #","exception":{"type":"Bad"}"#), line("event", 2, #","name":"E""#)], client, key: app.key)
      for (question, status) in [
        ("group=1", HTTPResponse.Status.ok), ("group=1&from=2001-01-01&to=2001-01-02", .ok), ("occurrence=1", .ok),
        ("occurrence=1&from=2001-01-01&to=2001-01-02", .ok), ("group=2", .notFound), ("occurrence=2", .notFound),
        ("occurrence=99", .notFound), ("group=1&occurrence=99", .notFound), ("group=9223372036854775807", .notFound),
        ("group=x", .badRequest), ("", .badRequest),
      ] {
        for path in ["/apps/1/error?\(question)", "/api/v1/apps/1/reports/error?\(question)"] {
          let response = try await client.execute(uri: path, method: .get, headers: cookie)
          #expect(response.status == status, "\(path)")
          guard status == .notFound else { continue }
          let text = String(buffer: response.body)
          #expect(text.contains("This error does not exist"), "\(path)")
          if path.hasPrefix("/api") { #expect(text.contains(#""code":"unknown_error""#)) }
        }
      }
      let report = try await client.execute(
        uri: "/api/v1/apps/1/reports/error?occurrence=1", method: .get, headers: cookie)
      let occurrence = try #require(try object(report)["occurrence"] as? [String: Any])
      #expect((occurrence["event"] as? [String: Any])?["name"] as? String == "Bad", "an error is named after its type")
    }
  }

  @Test func `attachments require a login and belong to their own app`() async throws {
    try await withCollector { client, app, cookie, _ in
      _ = try await send([piece(4, 0, of: 1, "SGU=", name: "a", type: "x")], client, key: app.key)
      for (path, headers, status) in [
        ("/apps/1/errors/files/1", cookie, HTTPResponse.Status.ok), ("/apps/1/errors/files/1", [:], .seeOther),
        ("/apps/2/errors/files/1", cookie, .notFound), ("/apps/1/errors/files/2", cookie, .notFound),
        ("/apps/1/errors/files/x", cookie, .notFound), ("/apps/1/events/files/1", cookie, .notFound),
      ] as [(String, HTTPFields, HTTPResponse.Status)] {
        #expect(try await client.execute(uri: path, method: .get, headers: headers).status == status, "\(path)")
      }
    }
  }

  @Test(arguments: [
    ("report.txt", "text/plain", "report.txt"), ("photo.PNG", "image/png", "photo.PNG"),
    ("", "image/png", "attachment-7.bin"),
    ("...", "text/css", "attachment-7.txt"), ("a\"\r\nSet-Cookie: x.txt", "text/plain", "a___Set-Cookie__x.txt"),
    ("evil.html", "text/html", "evil.html.txt"), ("run.exe", "application/x", "run.exe.bin"),
    ("../../etc/passwd", "x", "_.._etc_passwd.bin"), ("naïve 😀.log", "text/plain", "na_ve__.log"),
  ]) func `a file name from a client is made harmless`(name: String, type: String, expected: String) {
    let file = AttachmentFile(facts: AttachmentFacts(id: 7, name: name, contentType: type, bytes: 0), data: [])
    #expect(file.plainName == expected)
    #expect(["text/plain; charset=utf-8", "application/octet-stream"].contains(file.contentType))
  }

  /// Everything after `attachment` in the header, for files that claim to be text.
  @Test(arguments: [
    ("report.txt", #"; filename="report.txt""#),
    ("naïve 😀.log", #"; filename="na_ve__.log"; filename*=UTF-8''na%C3%AFve_%F0%9F%98%80.log"#),
    ("отчёт.txt", #"; filename="_____.txt"; filename*=UTF-8''%D0%BE%D1%82%D1%87%D1%91%D1%82.txt"#),
    ("日誌", #"; filename="attachment-7.txt"; filename*=UTF-8''%E6%97%A5%E8%AA%8C.txt"#),
    ("é.html", #"; filename="_.html.txt"; filename*=UTF-8''%C3%A9.html.txt"#),
    ("e\u{301}.txt", #"; filename="e_.txt"; filename*=UTF-8''e%CC%81.txt"#),
    // Characters that change the writing direction, join, hide or end lines do not belong in a name.
    ("a\u{202E}txt.exe", #"; filename="a_txt.exe.txt""#), ("a\u{200D}\u{2066}b.txt", #"; filename="a__b.txt""#),
    (
      "ü\"; filename=x\r\nX: y.txt",
      #"; filename="____filename_x__X__y.txt"; filename*=UTF-8''%C3%BC___filename_x__X__y.txt"#
    ),
    ("\u{2028}\u{85}é.txt", #"; filename="___.txt"; filename*=UTF-8''__%C3%A9.txt"#),
    ("é%00'.txt", #"; filename="__00_.txt"; filename*=UTF-8''%C3%A9_00_.txt"#),
  ]) func `a non-ASCII name is sent along with a plain one, and breaks no header`(name: String, rest: String) {
    let file = AttachmentFile(facts: AttachmentFacts(id: 7, name: name, contentType: "text/plain", bytes: 0), data: [])
    #expect(file.response.headers[.contentDisposition] == "attachment" + rest)
  }

  @Test func `a piece without room is rejected`() async throws {
    try await withCollector { client, app, _, _ in
      _ = try await send([piece(4, 0, of: 2, "SGU=", name: "a", type: "x")], client, key: app.key)
      let answer = try await send([piece(5, 1, of: 3, "SGU=", name: "a", type: "x")], client, key: app.key)
      #expect(answer["accepted"] as? Int == 0)
      let refused = try #require((answer["rejected"] as? [[String: Any]])?.first)
      #expect(refused["reason"] as? String == "attachment_invalid")
      #expect(refused["id"] as? String == "E0000000-0000-4000-8000-000000000005")
    }
  }
}
