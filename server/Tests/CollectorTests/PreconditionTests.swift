import Alerts
import AppCatalog
import HTTPTypes
import NIOCore
import Outgoing
import Testing
import Warehouse

/// Changes of what two people edit at once.
@Suite struct PreconditionTests {
  private static let filters = #""filters": [["is", "country", ["DE"]]]"#

  private static let newErrors = #""condition": {"kind": "new_error"}, "destinations": ["mail:a@example.org"]"#
  private static let server = #""condition": {"kind": "server"}, "destinations": ["mail:a@example.org"]"#

  /// A thing that can be edited, and two requests that change it.
  private struct Edited: Sendable {
    let path: String
    var method = HTTPRequest.Method.put
    let first: String
    let second: String
  }

  private static let edited = [
    Edited(path: "/apps/1", method: .patch, first: #"{"name": "First"}"#, second: #"{"newNamesPerDay": 5}"#),
    Edited(
      path: "/apps/1/views/1", method: .patch, first: #"{"name": "First"}"#, second: #"{"timeZone": "Asia/Tokyo"}"#),
    Edited(
      path: "/apps/1/limits", method: .patch, first: #"{"eventsPerSecond": 10}"#, second: #"{"eventsPerSecond": 20}"#),
    Edited(
      path: "/apps/1/segments/1", first: #"{"name": "First", \#(filters)}"#, second: #"{"name": "Second", \#(filters)}"#
    ),
    Edited(
      path: "/apps/1/dashboards/2", first: #"{"name": "First", "cards": []}"#,
      second: #"{"name": "Second", "cards": []}"#
    ),
    Edited(
      path: "/apps/1/alerts/1", first: #"{"name": "First", \#(newErrors)}"#,
      second: #"{"name": "Second", \#(newErrors)}"#),
    Edited(path: "/alerts/2", first: #"{"name": "First", \#(server)}"#, second: #"{"name": "Second", \#(server)}"#),
    Edited(
      path: "/apps/1/mail-reports/1", first: #"{"every": "week", "hour": 7, "recipients": ["a@example.org"]}"#,
      second: #"{"every": "week", "hour": 8, "recipients": ["a@example.org"]}"#),
    Edited(path: "/apps/1/dimensions/1", first: #"{"name": "First"}"#, second: #"{"name": "Second"}"#),
    Edited(path: "/users/2", method: .patch, first: #"{"role": "editor"}"#, second: #"{"personalData": true}"#),
  ]

  private func prepare(_ fixture: Fixture) throws {
    let (catalog, app) = (fixture.catalog, fixture.app.id)
    _ = try catalog.createView(app: app, name: "Before", timeZone: "UTC")
    _ = try catalog.createSegment(app: app, name: "Before", filters: #"[["is","country",["AT"]]]"#)
    _ = try catalog.createDashboard(app: app, name: "Before", cards: [])
    let address = try #require(MailAddress("a@example.org"))
    _ = try catalog.createAlert(
      Alert(app: app, name: "Before", condition: .newError, destinations: [.mail(address)]))
    _ = try catalog.createAlert(
      Alert(app: nil, name: "Before", condition: .serverProblem, destinations: [.mail(address)]))
    _ = try catalog.createMailReport(
      MailReport(app: app, subject: .overview, cadence: .day, hour: 7, recipients: [address]))
    try catalog.define(app: app, kind: .dimension, index: 1, name: "Before")
    _ = try catalog.invite(name: "ann", role: .viewer, apps: nil, seesPersonalData: false)
  }

  @Test func `a change that was meant for an earlier state is refused, and one without a condition is not`()
    async throws
  {
    let fixture = try Fixture()
    try prepare(fixture)
    try await fixture.administered { api in
      for thing in Self.edited {
        let seen = try await api.tag(thing.path)
        #expect(try await api.tag(thing.path) == seen, "\(thing.path): the same state has the same tag")
        let first = try await api.send(thing.method, thing.path, thing.first, ifMatch: seen)
        #expect(first.status == .ok, "\(thing.path): \(String(buffer: first.body))")
        let now = try await api.tag(thing.path)
        #expect(now != seen && first.headers[.eTag] == now, "\(thing.path)")
        let audit = try fixture.catalog.audit(limit: 1_000).count
        let refused = try await api.send(thing.method, thing.path, thing.second, ifMatch: seen)
        #expect(refused.status == .preconditionFailed, "\(thing.path)")
        #expect(try error(refused)["code"] as? String == "has_changed")
        #expect(refused.headers[.eTag] == now, "the answer has the tag of the present state")
        #expect(try await api.tag(thing.path) == now)
        #expect(try fixture.catalog.audit(limit: 1_000).count == audit, "\(thing.path): nothing is recorded")
        // Weak tags never match, a list does if one of its tags does.
        #expect(
          try await api.send(thing.method, thing.path, thing.second, ifMatch: "W/\(now)").status == .preconditionFailed)
        #expect(try await api.send(thing.method, thing.path, thing.second, ifMatch: "\(seen), \(now)").status == .ok)
        #expect(try await api.send(thing.method, thing.path, thing.first, ifMatch: "*").status == .ok)
        #expect(try await api.send(thing.method, thing.path, thing.second).status == .ok)
      }
    }
  }

  @Test func `a deletion has a condition, too`() async throws {
    let fixture = try Fixture()
    try prepare(fixture)
    try await fixture.administered { api in
      for path in [
        "/apps/1/views/1", "/apps/1/segments/1", "/apps/1/dashboards/2", "/apps/1/alerts/1", "/alerts/2",
        "/apps/1/mail-reports/1", "/users/2",
      ] {
        let tag = try await api.tag(path)
        #expect(try await api.send(.delete, path, ifMatch: "\"00\"").status == .preconditionFailed, "\(path)")
        #expect(try await api.send(.delete, path, ifMatch: tag).status == .noContent, "\(path)")
        #expect(try await api.send(.delete, path, ifMatch: tag).status == .notFound, "\(path)")
      }
      let undefined = try await api.send(.put, "/apps/1/metrics/1", #"{"name": "New"}"#, ifMatch: "*")
      #expect(undefined.status == .preconditionFailed, "there is no state that it could be meant for")
    }
  }

  @Test func `of changes that were meant for the same state, one is made`() async throws {
    let fixture = try Fixture()
    try prepare(fixture)
    try await fixture.administered { api in
      for thing in Self.edited {
        let seen = try await api.tag(thing.path)
        let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
          for _ in 0..<12 {
            group.addTask { try await api.send(thing.method, thing.path, thing.first, ifMatch: seen).status }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == .ok } == 1, "\(thing.path): \(statuses)")
        #expect(statuses.count { $0 == .preconditionFailed } == 11, "\(thing.path)")
      }
    }
  }

  @Test func `programs that read, add and write lose nothing of each other, also not of other processes`() async throws
  {
    let fixture = try Fixture()
    let dashboard = try fixture.catalog.createDashboard(app: fixture.app.id, name: "0", cards: [])
    let path = "/apps/1/dashboards/\(dashboard.id)"
    let elsewhere = try fixture.catalogOfAnotherProcess()
    try await fixture.administered { api in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            var added = 0
            while added < 5 {
              let seen = try await api.send(.get, path)
              let number = try #require((try object(seen)["name"] as? String).flatMap { Int($0) })
              let changed = try await api.send(
                .put, path, #"{"name": "\#(number + 1)", "cards": []}"#, ifMatch: seen.headers[.eTag])
              if changed.status == .ok { added += 1 }
            }
          }
        }
        group.addTask {
          for _ in 0..<5 {
            _ = try elsewhere.changeDashboard(dashboard.id, app: dashboard.app) {
              $0.name = "\((Int($0.name) ?? 0) + 1)"
            }
            await Task.yield()
          }
        }
        try await group.waitForAll()
      }
      #expect(try await api.object(.get, path)["name"] as? String == "25")
    }
    try elsewhere.close()
  }
}
