import AppCatalog
import Foundation
import HTTPTypes
import NIOCore
import Outgoing
import TernEvents
import Testing
import Warehouse

@testable import Alerts
@testable import Portal

/// Alerts through the HTTP API and on their page.
@Suite struct AlertEndpointTests {
  private static let orders = """
    {"name": "Orders", "condition": {"kind": "below", "limit": 10, "page": "explore", "query": "metric=events&event=Order", \
    "period": "hour"}, "destinations": ["chat:https://hooks.example.org/T0/SECRET", "mail:a@example.org"]}
    """

  private func send(
    _ client: TestClient, _ method: HTTPRequest.Method, _ path: String = "", _ json: String = "",
    headers: HTTPFields
  ) async throws -> TestResponse {
    try await client.execute(
      uri: "/api/v1/apps/1/alerts\(path)", method: method, headers: headers, body: ByteBuffer(string: json))
  }

  @Test func `an alert is created, muted and removed, and each change is recorded`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let headers = fixture.authorized
      let created = try await send(client, .post, "", Self.orders, headers: headers)
      #expect(created.status == .created)
      let alert = try object(created)
      #expect(alert["text"] as? String == "below 10 per hour" && alert["status"] as? String == "quiet")
      #expect(
        alert["destinations"] as? [String] == ["chat:https://hooks.example.org/…", "mail:a@example.org"],
        "a path may be a secret")
      #expect(
        try await send(client, .post, "", Self.orders, headers: headers).status == .badRequest, "the name is taken")
      let number = try #require(alert["id"] as? Int)
      let mute = try await send(client, .put, "/\(number)/mute", #"{"seconds": 60}"#, headers: headers)
      #expect(mute.status == .noContent)
      let list = try object(try await send(client, .get, headers: headers))
      let listed = try #require((list["alerts"] as? [[String: Any]])?.first)
      #expect(listed["status"] as? String == "muted" && listed["mutedUntil"] is String)
      #expect(
        try await send(client, .put, "/\(number)/mute", #"{"seconds": 0}"#, headers: headers).status == .noContent)
      #expect(try fixture.catalog.alerts().first?.alert.mutedUntil == nil)
      let history = try object(try await send(client, .get, "/\(number)/notifications", headers: headers))
      #expect((history["notifications"] as? [Any])?.isEmpty == true)
      #expect(try await send(client, .delete, "/\(number)", headers: headers).status == .noContent)
      for (method, path) in [(HTTPRequest.Method.put, "/mute"), (.delete, ""), (.get, "/notifications")] {
        let answer = try await send(client, method, "/\(number)\(path)", #"{"seconds": 1}"#, headers: headers)
        #expect(answer.status == .notFound, "\(path)")
      }
    }
    let actions = try fixture.catalog.audit(limit: 4).map(\.action)
    #expect(actions == ["alert deleted", "alert changed", "alert changed", "alert created"])
  }

  @Test func `a changed alert keeps its number, its history and the secret part of its destinations`() async throws {
    let fixture = try Fixture()
    try await fixture.administered { api in
      let number = try #require(
        try await api.object(.post, "/apps/1/alerts", Self.orders, status: .created)["id"] as? Int)
      let path = "/apps/1/alerts/\(number)"
      let stored = try #require(try fixture.catalog.alerts().first)
      let tag = try await api.tag(path)
      var state = stored.state
      (state.isBreached, state.period) = (true, 500_000)
      #expect(try fixture.catalog.store(state, of: stored, messages: [message()]))
      #expect(try await api.tag(path) == tag, "its status changes by itself")
      _ = try fixture.catalog.muteAlert(
        stored.alert.id, app: fixture.app.id, until: Timestamp(millisecondsSince1970: 4_102_444_800_000))

      let renamed = Self.orders.replacing("Orders", with: "Sales").replacing("T0/SECRET", with: "…")
      let answer = try await api.object(.put, path, renamed)
      #expect(answer["name"] as? String == "Sales" && answer["id"] as? Int == number)
      let changed = try #require(try fixture.catalog.alerts().first)
      #expect(changed.alert.destinations == stored.alert.destinations && changed.alert.mutedUntil != nil)
      #expect(changed.state == state, "the condition is the same")

      let other = renamed.replacing(#""limit": 10"#, with: #""limit": 20"#).replacing("hour", with: "day")
      #expect(try await api.object(.put, path, other)["text"] as? String == "below 20 per day")
      #expect(try fixture.catalog.alerts().first?.state == AlertState())
      #expect(try await api.list("\(path)/notifications", "notifications").count == 1)

      let refused = [
        renamed.replacing("chat:", with: "webhook:"), renamed.replacing("metric", with: "nonsense"),
        renamed.replacing("below", with: "never"), #"{"name": "x"}"#, "",
      ]
      for json in refused { #expect(try await api.send(.put, path, json).status == .badRequest, "\(json)") }
      #expect(try await api.send(.put, "/apps/1/alerts/99", Self.orders).status == .notFound)
      #expect(try await api.send(.put, "/alerts/\(number)", Self.orders).status == .notFound, "it is an app's")
      _ = try await api.object(.post, "/apps/1/alerts", Self.orders, status: .created)
      #expect(try await api.send(.put, path, Self.orders).status == .badRequest, "the name is taken")
    }
    #expect(try fixture.catalog.audit(limit: 3).map(\.action) == ["alert created", "alert changed", "alert changed"])
  }

  private func message() -> OutgoingMessage {
    var generator = SystemRandomNumberGenerator()
    let now = Timestamp(millisecondsSince1970: 1_795_773_600_000)
    return OutgoingMessage(
      id: UniqueID.timeOrdered(at: now, using: &generator), time: now, event: "alert.breached", title: "Orders",
      text: "The figure is 3.")
  }

  @Test(arguments: [
    #"{}"#, #"[]"#, #"{"name": "x", "condition": {"kind": "never"}, "destinations": ["mail:a@b"]}"#,
    #"{"name": "x", "condition": {"kind": "above"}, "destinations": ["mail:a@b"]}"#,
    #"{"name": "x", "condition": {"kind": "new_error"}, "destinations": []}"#,
    #"{"name": "x", "condition": {"kind": "new_error"}, "destinations": ["file:///etc/passwd"]}"#,
    #"{"name": "x", "condition": {"kind": "server"}, "destinations": ["mail:a@b"]}"#,
    #"{"name": "x", "condition": {"kind": "silent", "hours": 0}, "destinations": ["mail:a@b"]}"#,
    #"{"name": "x", "condition": {"kind": "crash_free", "limit": 101, "period": "day"}, "destinations": ["mail:a@b"]}"#,
    """
    {"name": "x", "condition": {"kind": "above", "limit": 1, "page": "explore", "query": "metric=users&f1=user+is+ann", \
    "period": "day"}, "destinations": ["mail:a@b"]}
    """,
    """
    {"name": "x", "condition": {"kind": "above", "limit": 1, "page": "funnels", "query": "s1=event+a&s2=event+b", \
    "period": "hour"}, "destinations": ["mail:a@b"]}
    """,
    """
    {"name": "x", "condition": {"kind": "above", "limit": 101, "page": "funnels", "query": "s1=event+a&s2=event+b", \
    "period": "day"}, "destinations": ["mail:a@b"]}
    """,
    """
    {"name": "x", "condition": {"kind": "below", "limit": -1, "page": "explore", "query": "metric=crash_free_sessions", \
    "period": "day"}, "destinations": ["mail:a@b"]}
    """,
    """
    {"name": "x", "condition": {"kind": "above", "limit": 1, "page": "explore", "query": "nonsense", "period": "day"}, \
    "destinations": ["mail:a@b"]}
    """,
    """
    {"name": "x", "condition": {"kind": "above", "limit": 1, "page": "explore", "query": "metric=users&filters=x", \
    "period": "day"}, "destinations": ["mail:a@b"]}
    """,
    """
    {"name": "x", "condition": {"kind": "above", "limit": 1, "page": "explore", "query": "metric=users\\r\\nX: y", \
    "period": "day"}, "destinations": ["mail:a@b"]}
    """,
    #"{"name": "x", "condition": {"kind": "new_error"}, "destinations": ["mail:a@b", "mail:A@b"]}"#,
    """
    {"name": "x", "condition": {"kind": "above", "limit": 1, "page": "retention", "query": "", "period": "day"}, \
    "destinations": ["mail:a@b"]}
    """,
  ])
  func `what can't be watched is refused with a reason`(json: String) async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let answer = try await send(client, .post, "", json, headers: fixture.authorized)
      #expect(answer.status == .badRequest)
      #expect(try fixture.catalog.alerts().isEmpty)
    }
  }

  @Test func `the limit of a share is a percentage, in requests, answers and the form of the page`() async throws {
    let fixture = try Fixture()
    @Sendable func json(_ limit: Double) -> String {
      """
      {"name": "Stability", "condition": {"kind": "below", "limit": \(limit), "page": "explore", \
      "query": "metric=crash_free_users&days=30", "period": "day"}, "destinations": ["mail:a@example.org"]}
      """
    }
    try await fixture.routed { client in
      let refused = try await send(client, .post, "", json(100.5), headers: fixture.authorized)
      #expect(refused.status == .badRequest)
      #expect(String(buffer: refused.body).contains("a percentage from 0 to 100, such as 99.5"))
      let alert = try object(try await send(client, .post, "", json(99.5), headers: fixture.authorized))
      #expect(alert["text"] as? String == "below 99.5 % per day" && alert["unit"] as? String == "%")
      #expect((alert["condition"] as? [String: Any])?["limit"] as? Double == 99.5)
      let orders = try object(try await send(client, .post, "", Self.orders, headers: fixture.authorized))
      #expect(orders["unit"] == nil)
    }
    let visit = PageVisit(try PortalServer(address: ""))
    func form(_ question: String) -> String {
      AlertsPage(
        visit, [], history: [], form: AlertForm(["question": question]), app: fixture.app, apps: [],
        now: .init(millisecondsSince1970: 0)
      ).html()
    }
    #expect(form("metric=crash_free_users").contains("Limit, in %"))
    #expect(form("metric=session_duration_avg").contains("Limit, in seconds"))
    #expect(form("metric=events").contains("Limit (of shares, in %)"))
  }

  @Test func `a funnel is watched by days`() async throws {
    let fixture = try Fixture()
    let json = """
      {"name": "Buyers", "condition": {"kind": "below", "limit": 20, "page": "funnels", "query": "s1=event+a&s2=event+b", \
      "period": "day"}, "destinations": ["mail:a@example.org"]}
      """
    try await fixture.routed { client in
      let answer = try await send(client, .post, "", json, headers: fixture.authorized)
      #expect(answer.status == .created, "\(String(buffer: answer.body))")
    }
  }

  @Test func `alerts about the server have addresses of their own and only the condition that it has a problem`()
    async throws
  {
    let fixture = try Fixture()
    try await fixture.routed { client in
      func send(_ method: HTTPRequest.Method, _ path: String, _ json: String = "") async throws -> TestResponse {
        try await client.execute(
          uri: "/api/v1/alerts\(path)", method: method, headers: fixture.authorized, body: ByteBuffer(string: json))
      }
      #expect(try await send(.post, "", Self.orders).status == .badRequest)
      let created = try await send(
        .post, "", #"{"name": "Server", "condition": {"kind": "server"}, "destinations": ["mail:ops@example.org"]}"#)
      #expect(created.status == .created)
      let number = try #require(try object(created)["id"] as? Int)
      let listed = try object(try await send(.get, ""))["alerts"] as? [[String: Any]]
      #expect(listed?.map { $0["name"] as? String } == ["Server"])
      // It is no alert of an app.
      #expect(
        try await self.send(client, .delete, "/\(number)", headers: fixture.authorized).status == .notFound)
      #expect(try await send(.put, "/\(number)/mute", #"{"seconds": 60}"#).status == .noContent)
      #expect(try await send(.get, "/\(number)/notifications").status == .ok)
      #expect(try await send(.delete, "/\(number)").status == .noContent)
      #expect(try fixture.catalog.alerts().isEmpty)
    }
  }

  @Test func `the alerts of one app are not those of another`() async throws {
    let fixture = try Fixture()
    let other = try fixture.catalog.createApp(name: "Other").id
    let alert = try fixture.catalog.createAlert(
      Alert(app: other, name: "Errors", condition: .newError, destinations: [try Destination("mail:a@example.org")]))
    try await fixture.routed { client in
      for (method, path) in [(HTTPRequest.Method.put, "/mute"), (.delete, ""), (.get, "/notifications")] {
        let answer = try await send(
          client, method, "/\(alert.id)\(path)", #"{"seconds": 1}"#, headers: fixture.authorized)
        #expect(answer.status == .notFound, "\(path)")
      }
      let list = try object(try await send(client, .get, headers: fixture.authorized))
      #expect((list["alerts"] as? [Any])?.isEmpty == true)
    }
    #expect(try fixture.catalog.alerts().count == 1)
  }
}
