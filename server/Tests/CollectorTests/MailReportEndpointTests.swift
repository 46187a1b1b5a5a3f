import Foundation
import HTTPTypes
import NIOCore
import Outgoing
import TernEvents
import Testing
import Warehouse

@testable import Alerts
@testable import AppCatalog

/// Reports by mail through the HTTP API, on their page, and the link in each mail.
@Suite struct MailReportEndpointTests {
  private static let weekly = #"{"every": "week", "hour": 9, "recipients": ["a@example.org", "b@example.org"]}"#

  private func send(
    _ client: TestClient, _ method: HTTPRequest.Method, _ path: String = "", _ json: String = "",
    headers: HTTPFields
  ) async throws -> TestResponse {
    try await client.execute(
      uri: "/api/v1/apps/1/mail-reports\(path)", method: method, headers: headers, body: ByteBuffer(string: json))
  }

  @Test func `a report is created, requested and removed, and each change is recorded`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let headers = fixture.authorized
      let created = try await send(client, .post, "", Self.weekly, headers: headers)
      #expect(created.status == .created)
      let report = try object(created)
      #expect(report["name"] as? String == "Overview" && report["every"] as? String == "week")
      #expect(report["hour"] as? Int == 9 && report["dashboard"] == nil)
      let number = try #require(report["id"] as? Int)
      let list = try object(try await send(client, .get, headers: headers))
      let listed = try #require((list["mailReports"] as? [[String: Any]])?.first)
      #expect(listed["recipients"] as? [String] == ["a@example.org", "b@example.org"])
      #expect(try await send(client, .post, "/\(number)/send", headers: headers).status == .noContent)
      #expect(try fixture.catalog.mailReports().first?.isRequested == true)
      let history = try object(try await send(client, .get, "/\(number)/notifications", headers: headers))
      #expect((history["notifications"] as? [Any])?.isEmpty == true)
      #expect(try await send(client, .delete, "/\(number)", headers: headers).status == .noContent)
      for (method, path) in [(HTTPRequest.Method.post, "/send"), (.delete, ""), (.get, "/notifications")] {
        #expect(try await send(client, method, "/\(number)\(path)", headers: headers).status == .notFound, "\(path)")
      }
    }
    let actions = try fixture.catalog.audit(limit: 3).map(\.action)
    #expect(actions == ["mail report deleted", "mail report requested", "mail report created"])
  }

  @Test func `a changed report keeps its number and what was sent`() async throws {
    let fixture = try Fixture()
    try await fixture.administered { api in
      let created = try await api.object(.post, "/apps/1/mail-reports", Self.weekly, status: .created)
      let path = "/apps/1/mail-reports/\(try #require(created["id"] as? Int))"
      let before = try #require(try fixture.catalog.mailReports().first)
      let daily = #"{"every": "day", "hour": 6, "recipients": ["c@example.org"]}"#
      let changed = try await api.object(.put, path, daily)
      #expect(changed["every"] as? String == "day" && changed["hour"] as? Int == 6)
      #expect(changed["recipients"] as? [String] == ["c@example.org"])
      #expect(
        changed["id"] as? Int == created["id"] as? Int && changed["created"] as? String == created["created"] as? String
      )
      #expect(try fixture.catalog.mailReports().first?.sent == before.sent)
      let refused = [
        "{}", daily.replacing("6", with: "24"), daily.replacing("c@", with: ""),
        daily.replacing(#""hour""#, with: #""dashboard": 999, "hour""#),
      ]
      for json in refused { #expect(try await api.send(.put, path, json).status == .badRequest, "\(json)") }
      #expect(try await api.send(.put, "/apps/1/mail-reports/99", daily).status == .notFound)
    }
    #expect(try fixture.catalog.audit(limit: 1).map(\.action) == ["mail report changed"])
  }

  @Test(arguments: [
    "{}", "[]", #"{"every": "year", "hour": 9, "recipients": ["a@b"]}"#,
    #"{"every": "day", "hour": 24, "recipients": ["a@b"]}"#, #"{"every": "day", "hour": 9, "recipients": []}"#,
    #"{"every": "day", "hour": 9, "recipients": ["a@b\r\nBcc: c@d"]}"#,
    #"{"every": "day", "hour": 9, "recipients": ["mail:a@b"]}"#,
    #"{"every": "day", "hour": 9, "recipients": ["a@b", "A@b"]}"#,
    #"{"every": "day", "hour": 9, "dashboard": 999, "recipients": ["a@b"]}"#,
  ])
  func `what can't be sent is refused with a reason`(json: String) async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let answer = try await send(client, .post, "", json, headers: fixture.authorized)
      #expect(answer.status == .badRequest)
    }
    #expect(try fixture.catalog.mailReports().isEmpty)
  }

  @Test func `the link in a mail asks first, and a post without a login unsubscribes`() async throws {
    let fixture = try Fixture()
    let addresses = try ["a@example.org", "b@example.org"].map { try #require(MailAddress($0)) }
    let report = try fixture.catalog.createMailReport(
      MailReport(app: fixture.app.id, subject: .overview, cadence: .day, hour: 7, recipients: addresses))
    let secret = try fixture.catalog.unsubscribeSecret()
    let token = UnsubscribeToken.make(report.id, addresses[0], secret: secret)
    try await fixture.routed { client in
      func open(_ token: String, _ method: HTTPRequest.Method, _ headers: HTTPFields = [:]) async throws -> TestResponse
      {
        try await client.execute(
          uri: "/unsubscribe/\(token)", method: method, headers: headers,
          body: ByteBuffer(string: method == .post ? "List-Unsubscribe=One-Click" : ""))
      }
      for method in [HTTPRequest.Method.get, .head] {
        #expect(try await open(token, method).status == .ok)
        #expect(try fixture.catalog.mailReports().first?.report.recipients == addresses, "reading changes nothing")
      }
      let page = String(buffer: try await open(token, .get).body)
      #expect(page.contains("a@example.org") && page.contains("every day at 07:00") && page.contains("<button"))
      #expect(!page.contains("b@example.org"))
      // Made elsewhere, for another report, cut off, or too long.
      let forged = [
        UnsubscribeToken.make(report.id, addresses[0], secret: Array("x".utf8)), "2" + token.dropFirst(),
        String(token.dropLast()), "x", String(repeating: "1-", count: 2_000),
      ]
      for token in forged {
        for method in [HTTPRequest.Method.get, .post] {
          #expect(try await open(token, method).status == .notFound, "\(token.prefix(80))")
        }
      }
      #expect(try fixture.catalog.mailReports().first?.report.recipients == addresses)
      // Mail programs post from no page of the portal, with any cookie or none.
      let headers: HTTPFields = [.origin: "https://mail.example.com"]
      for _ in 0..<2 {
        let answer = try await open(token, .post, headers)
        #expect(answer.status == .ok && String(buffer: answer.body).contains("You are unsubscribed"))
      }
      #expect(!String(buffer: try await open(token, .get).body).contains("<button"))
      let large = try await client.execute(
        uri: "/unsubscribe/\(token)", method: .post, body: ByteBuffer(repeating: 0x61, count: 2_000))
      #expect(large.status == .contentTooLarge)
    }
    #expect(try fixture.catalog.mailReports().first?.report.recipients == [addresses[1]])
    let entries = try fixture.catalog.audit(limit: 10).filter { $0.action == "unsubscribed from mail report" }
    #expect(entries.count == 1 && entries.first?.actor.name == "link in a mail")
  }

  @Test func `the page adds, sends and deletes reports`() async throws {
    let fixture = try Fixture()
    let board = try fixture.catalog.createDashboard(app: fixture.app.id, name: "Board <b>", cards: []).id
    let headers: HTTPFields = [.cookie: try fixture.cookie(), .origin: "http://localhost"]
    try await fixture.routed { client in
      func post(_ form: String) async throws -> TestResponse {
        try await client.execute(
          uri: "/apps/1/mail-reports", method: .post, headers: headers, body: ByteBuffer(string: form))
      }
      let wrong = try await post("do=create&subject=overview&every=day&hour=7&to=nobody")
      #expect(wrong.status == .badRequest && String(buffer: wrong.body).contains("be a recipient"))
      for form in ["subject=&every=day&hour=7", "subject=overview&every=x&hour=7", "subject=overview&every=day&hour=x"]
      {
        #expect(try await post("do=create&to=a@example.org&\(form)").status == .badRequest)
      }
      let created = try await post("do=create&subject=\(board)&every=month&hour=23&to=a@example.org%0D%0Ab@example.org")
      #expect(created.status == .seeOther && created.headers[.location] == "/apps/1/mail-reports?done=created")
      let page = String(
        buffer: try await client.execute(uri: "/apps/1/mail-reports", method: .get, headers: headers).body)
      #expect(page.contains("Board &lt;b&gt;") && page.contains("On the first of the month at 23:00"))
      #expect(page.contains("a@example.org, b@example.org"))
      let number = try #require(try fixture.catalog.mailReports().first?.report.id)
      #expect(try await post("do=send&id=\(number)").status == .seeOther)
      #expect(try fixture.catalog.mailReports().first?.isRequested == true)
      let edit = String(
        buffer: try await client.execute(
          uri: "/apps/1/mail-reports?edit=\(number)", method: .get, headers: headers
        ).body)
      #expect(
        edit.contains("Change Board &lt;b&gt;, on the first of the month at 23:00")
          && edit.contains("a@example.org\nb@example.org</textarea>"))
      #expect(edit.contains(#"value="\#(board)" selected"#) && edit.contains(#"value="23" selected"#))
      let change =
        "do=change&id=\(number)&subject=overview&every=week&hour=8&recipients=a@example.org,b@example.org&to="
      let refused = try await post(change)
      #expect(
        refused.status == .badRequest
          && String(buffer: refused.body).contains("Change Board &lt;b&gt;, on the first of the month at 23:00"))
      let late = try await post("\(change)b@example.org".replacing("recipients=a@example.org,", with: "recipients="))
      #expect(late.status == .badRequest && String(buffer: late.body).contains("have changed since you opened"))
      #expect(try await post("\(change)b@example.org").status == .seeOther)
      let changed = try #require(try fixture.catalog.mailReports().first?.report)
      #expect(changed.schedule == "on Mondays at 08:00" && changed.subject == .overview)
      #expect(changed.id == number && changed.recipients.map(\.text) == ["b@example.org"])
      #expect(try await post("do=change&id=99&subject=overview&every=week&hour=8&to=a@b.c").status == .notFound)
      _ = try fixture.catalog.unsubscribe(
        token: UnsubscribeToken.make(
          number, try #require(changed.recipients.first), secret: try fixture.catalog.unsubscribeSecret()))
      let unsent = try await post("do=send&id=\(number)")
      #expect(unsent.status == .badRequest && String(buffer: unsent.body).contains("<h2>Add a report</h2>"))
      #expect(try await post("do=delete&id=\(number)").status == .seeOther)
      #expect(try fixture.catalog.mailReports().isEmpty)
    }
  }
}
