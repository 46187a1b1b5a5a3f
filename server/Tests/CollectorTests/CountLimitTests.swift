import Foundation
import HTTPTypes
import NIOCore
import Testing
import Warehouse

@testable import AppCatalog

/// Tests how many things a program or a user can create.
@Suite struct CountLimitTests {
  /// A request that creates one more thing.
  private struct Creation: Sendable {
    let limit: CountLimit
    var method = HTTPRequest.Method.post
    let path: @Sendable (Int) -> String
    let json: @Sendable (Int) -> String
    /// The number of things that a new server has.
    var present = 0
    var refusal = HTTPResponse.Status.badRequest

    init(
      _ limit: CountLimit, _ path: @autoclosure @escaping @Sendable () -> String,
      _ json: @escaping @Sendable (Int) -> String
    ) {
      (self.limit, self.path, self.json) = (limit, { _ in path() }, json)
    }

    init(_ limit: CountLimit, deleting path: @escaping @Sendable (Int) -> String) {
      (self.limit, self.path, self.json) = (limit, path, { _ in "" })
      (method, refusal) = (.delete, .serviceUnavailable)
    }

    func by(_ method: HTTPRequest.Method) -> Creation { changed { $0.method = method } }
    func after(_ present: Int) -> Creation { changed { $0.present = present } }

    private func changed(_ change: (inout Creation) -> Void) -> Creation {
      var copy = self
      change(&copy)
      return copy
    }
  }

  private static let creations = [
    Creation(.apps, "/apps") { #"{"name": "App \#($0)"}"# }.after(1),
    Creation(.users, "/users") { #"{"name": "user \#($0)"}"# }.after(1),
    Creation(.tokens, "/tokens") { #"{"name": "token \#($0)", "scopes": ["read"]}"# }.after(2),
    Creation(.views, "/apps/1/views") { #"{"name": "View \#($0)", "timeZone": "UTC"}"# },
    Creation(.viewZones, "/apps/1/views/1") { number in
      #"{"timeZone": "\#(["Asia/Tokyo", "Europe/Paris", "Asia/Kolkata"][number % 3])"}"#
    }.by(.patch).after(1),
    Creation(.definitionRules, "/apps/1/dimensions/3") { number in
      #"{"name": "Plan", "scope": "\#(number.isMultiple(of: 2) ? "session" : "hit")"}"#
    }.by(.put),
    Creation(.links, "/apps/1/links") { _ in #"{"page": "events", "query": "days=7"}"# },
    Creation(.dashboards, "/apps/1/dashboards") { #"{"name": "Board \#($0)", "cards": []}"# }.after(1),
    Creation(.segments, "/apps/1/segments") {
      #"{"name": "Segment \#($0)", "filters": [["is", "country", ["DE"]]]}"#
    },
    Creation(.notes, "/apps/1/annotations") { #"{"day": "2026-05-30", "text": "Note \#($0)"}"# },
    Creation(.alerts, "/apps/1/alerts") {
      #"{"name": "\#($0)", "condition": {"kind": "new_error"}, "destinations": ["mail:a@example.org"]}"#
    },
    Creation(.mailReports, "/apps/1/mail-reports") { _ in
      #"{"every": "week", "hour": 7, "recipients": ["a@example.org"]}"#
    },
    Creation(.jobs, deleting: { "/apps/1/persons?user=ann\($0)&refuseLater=true" }),
  ]

  @Test func `each kind of thing ends at its limit, and the answer says what to do`() async throws {
    let most = 3
    let fixture = try Fixture(maximumCount: most)
    try await fixture.administered { api in
      for creation in Self.creations {
        for number in 0...(most - creation.present) {
          let response = try await api.send(creation.method, creation.path(number), creation.json(number))
          let text = String(buffer: response.body)
          if number < most - creation.present {
            #expect(response.status.kind == .successful, "\(creation.limit.things), \(number): \(text)")
          } else {
            #expect(response.status == creation.refusal, "\(creation.limit.things): \(text)")
            let message = try error(response)["message"] as? String
            #expect(message == "There can be at most \(most) \(creation.limit.things). \(creation.limit.remedy)")
          }
        }
      }
    }
    #expect(Set(Self.creations.map(\.limit) + [.sessions]) == Set(CountLimit.all))
  }

  @Test func `the oldest sessions of a user end, and no one else's`() throws {
    let fixture = try Fixture(maximumCount: 2)
    let ann = try fixture.catalog.invite(name: "ann", role: .viewer, apps: nil, seesPersonalData: false).account
    let other = try fixture.catalog.ownerSession()
    let secrets = try (0..<4).map { _ in
      try fixture.catalog.createLoginSession(of: ann.id, lasting: .seconds(60), address: "", browser: "")
    }
    #expect(try secrets.map { try fixture.catalog.loginSession($0) != nil } == [false, false, true, true])
    #expect(try fixture.catalog.loginSession(other) != nil)
  }

  @Test func `the page on limits has all of them`() throws {
    let page = URL(filePath: #filePath).appending(path: "../../../../docs/limits.md").standardized
    let text = try String(contentsOf: page, encoding: .utf8)
    for limit in CountLimit.all {
      let maximum = limit.maximum.formatted(.number.locale(Locale(identifier: "en_US")))
      #expect(text.contains("| \(limit.things) | \(maximum) |"), "\(limit.things)")
    }
  }
}
