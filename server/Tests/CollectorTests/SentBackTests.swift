import AppCatalog
import Foundation
import HTTPTypes
import NIOCore
import Outgoing
import Testing
import Warehouse

@testable import Alerts

/// Programs read a thing, change a member, and send the whole of it back.
@Suite struct SentBackTests {
  /// A thing: how it is created, and the method that changes it.
  struct Thing: Sendable, CustomTestStringConvertible {
    let list: String
    let json: String
    var path: String
    var method = HTTPRequest.Method.put
    var creation = HTTPRequest.Method.post

    var testDescription: String { path }
  }

  static let things: [Thing] = [
    Thing(list: "/apps", json: #"{"name": "Second"}"#, path: "/apps/1", method: .patch),
    Thing(
      list: "/apps/1/views", json: #"{"name": "Web", "timeZone": "Europe/Berlin"}"#, path: "/apps/1/views/1",
      method: .patch),
    Thing(
      list: "/apps/1/views", json: #"{"name": "Web", "timeZone": "UTC", "userID": true, "filters": ["av=2"]}"#,
      path: "/apps/1/views/1", method: .patch),
    Thing(
      list: "/apps/1/segments", json: #"{"name": "Germany", "filters": [["is", "country", ["DE"]]]}"#,
      path: "/apps/1/segments/1"),
    Thing(list: "/apps/1/dashboards", json: #"{"name": "Board", "cards": []}"#, path: "/apps/1/dashboards/2"),
    Thing(
      list: "/apps/1/alerts",
      json: #"{"name": "Errors", "condition": {"kind": "new_error"}, "destinations": ["chat:https://a.example/T0/X"]}"#,
      path: "/apps/1/alerts/1"),
    Thing(
      list: "/alerts",
      json: #"{"name": "Server", "condition": {"kind": "server"}, "destinations": ["mail:a@example.org"]}"#,
      path: "/alerts/1"),
    Thing(
      list: "/apps/1/mail-reports", json: #"{"every": "week", "hour": 7, "recipients": ["a@example.org"]}"#,
      path: "/apps/1/mail-reports/1"),
    Thing(list: "/users", json: #"{"name": "ann", "apps": [1]}"#, path: "/users/1", method: .patch),
    Thing(
      list: "/apps/1/dimensions/3", json: #"{"name": "Plan", "scope": "session"}"#, path: "/apps/1/dimensions/3",
      creation: .put),
  ]

  @Test(arguments: things) func `what was read can be sent back, and is then as before`(thing: Thing) async throws {
    let fixture = try Fixture()
    try await fixture.administered { api in
      let created = try await api.send(thing.creation, thing.list, thing.json)
      #expect([.ok, .created].contains(created.status), "\(String(buffer: created.body))")
      let read = try await api.send(.get, thing.path)
      #expect(read.status == .ok && read.headers[.eTag] != nil)
      let sent = try await api.send(
        thing.method, thing.path, String(buffer: read.body), ifMatch: read.headers[.eTag])
      #expect(sent.status == .ok, "\(String(buffer: sent.body))")
      // The time of the change is another.
      var (before, after) = (try object(read), try object(sent))
      (before["changed"], after["changed"]) = (nil, nil)
      #expect(before as NSObject == after as NSObject)
    }
  }

  @Test func `an alert with the longest query that can be stored can be read`() async throws {
    let fixture = try Fixture()
    let name = String(repeating: "x", count: DashboardCard.maximumQueryBytes - "metric=events&event=".utf8.count)
    let question = AlertQuestion(page: "explore", query: "metric=events&event=\(name)", period: .hour)
    _ = try fixture.catalog.createAlert(
      Alert(
        app: AppID(1), name: "Long", condition: .above(1, question),
        destinations: [.mail(try #require(MailAddress("a@example.org")))]))
    #expect(try fixture.catalog.alerts().first?.alert.condition == .above(1, question))
    try await fixture.administered { api in
      let read = try await api.send(.get, "/apps/1/alerts/1")
      let sent = try await api.send(.put, "/apps/1/alerts/1", String(buffer: read.body))
      #expect(sent.status == .ok)
    }
  }
}
