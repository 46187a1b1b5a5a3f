import AppCatalog
import Foundation
import HTTPTypes
import NIOCore
import Testing
import Warehouse

/// Users, invitations and sessions through the API.
@Suite struct UserAPITests {
  @Test func `a user is invited, changed and removed, and each change is recorded`() async throws {
    let fixture = try Fixture()
    let catalog = fixture.catalog
    try await fixture.administered { api in
      let invited = try await api.object(.post, "/users", #"{"name": " Ann ", "apps": [1]}"#, status: .created)
      let user = try #require(invited["user"] as? [String: Any])
      #expect(user["name"] as? String == "Ann" && user["role"] as? String == "viewer")
      #expect(user["apps"] as? [Int] == [1] && user["personalData"] as? Bool == false)
      let code = try #require((invited["link"] as? String)?.split(separator: "code=").last)
      #expect(try catalog.account(loginCode: String(code))?.name == "Ann")
      let number = try #require(user["id"] as? Int)
      let list = String(buffer: try await api.send(.get, "/users").body)
      #expect(list.contains("Ann") && !list.contains(code), "the link is shown once")

      let changed = try await api.object(
        .patch, "/users/\(number)", #"{"role": "editor", "apps": null, "personalData": true}"#)
      #expect(changed["role"] as? String == "editor" && changed["apps"] is NSNull)
      let audit = try catalog.audit(limit: 100).count
      #expect(try await api.send(.patch, "/users/\(number)", "{}").status == .ok)
      #expect(try catalog.audit(limit: 100).count == audit, "an empty change changes nothing")

      let link = try await api.object(.post, "/users/\(number)/link", status: .created)
      #expect((link["link"] as? String)?.hasPrefix("http://localhost/welcome?code=") == true)
      #expect(try catalog.account(loginCode: String(code)) == nil, "a new link replaces the one before")
      #expect(try await api.send(.delete, "/users/\(number)").status == .noContent)
      for (method, path) in [
        (HTTPRequest.Method.get, ""), (.patch, ""), (.delete, ""), (.post, "/link"), (.get, "/sessions"),
        (.delete, "/sessions"),
      ] {
        let gone = try await api.send(method, "/users/\(number)\(path)", "{}")
        #expect(gone.status == .notFound, "\(method) \(path)")
        #expect(try error(gone)["code"] as? String == "unknown_user")
      }
    }
    let entries = try catalog.audit(limit: 4)
    #expect(entries.map(\.action) == ["user removed", "login link created", "user changed", "user invited"])
    #expect(Set(entries.map(\.actor.name)) == ["token admin"])
  }

  @Test func `mistakes are refused with what to do, and change nothing`() async throws {
    let fixture = try Fixture()
    try await fixture.administered { api in
      for (json, words) in [
        ("[]", "Send a JSON object"), (#"{"name": ""}"#, "1 to 100 characters"),
        (#"{"name": "OWNER"}"#, "already a user"), (#"{"name": "x", "role": "king"}"#, "owner, editor, viewer"),
        (#"{"name": "x\u0000y"}"#, "a character other than NUL"), (#"{"name": "x\u0001y"}"#, "control characters"),
        (#"{"name": "x", "apps": [77]}"#, "no app 77"), (#"{"name": "x", "apps": []}"#, "1 to 1000"),
      ] {
        let refused = try await api.send(.post, "/users", json)
        #expect(refused.status == .badRequest && String(buffer: refused.body).contains(words), "\(json)")
      }
      let large = #"{"name": "\#(String(repeating: "x", count: 20_000))"}"#
      #expect(try await api.send(.post, "/users", large).status == .contentTooLarge)
      for (method, json) in [(HTTPRequest.Method.patch, #"{"role": "viewer"}"#), (.delete, "")] {
        let refused = try await api.send(method, "/users/1", json)
        #expect(refused.status == .badRequest && String(buffer: refused.body).contains("the only owner"))
      }
      #expect(try await api.list("/users", "users").count == 1)
    }
  }

  @Test func `sessions are listed and ended, one or all of a user`() async throws {
    let fixture = try Fixture()
    let catalog = fixture.catalog
    let ann = try catalog.invite(name: "ann", role: .viewer, apps: nil, seesPersonalData: false).account
    func login() throws -> String {
      try catalog.createLoginSession(of: ann.id, lasting: .seconds(86_400), address: "192.0.2.1", browser: "Lynx <i>")
    }
    let (first, second, owner) = (try login(), try login(), try catalog.ownerSession())
    try await fixture.administered { api in
      let all = try await api.list("/sessions", "sessions")
      #expect(all.count == 3 && all.contains { $0["browser"] as? String == "Lynx <i>" })
      let text = String(buffer: try await api.send(.get, "/sessions").body)
      for secret in [first, second, owner] { #expect(!text.contains(secret)) }
      let own = try await api.list("/users/\(ann.id)/sessions", "sessions")
      #expect(own.count == 2 && own.allSatisfy { $0["name"] as? String == "ann" })
      let number = try #require(try catalog.loginSession(first)).id
      #expect(try await api.send(.delete, "/sessions/\(number)").status == .noContent)
      #expect(try catalog.loginSession(first) == nil && catalog.loginSession(second) != nil)
      #expect(try await api.send(.delete, "/sessions/\(number)").status == .notFound)
      #expect(try await api.send(.delete, "/users/\(ann.id)/sessions").status == .noContent)
      #expect(try await api.send(.delete, "/users/\(ann.id)/sessions").status == .noContent, "again changes nothing")
      #expect(try catalog.loginSession(second) == nil && catalog.loginSession(owner) != nil)
    }
    #expect(try catalog.audit(limit: 3).map(\.action).prefix(2) == ["session ended", "session ended"])
  }

  @Test func `an owner who is logged in uses the API as well, but not from another site`() async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    try await fixture.routed { client in
      let own = APIClient(client: client, headers: [.cookie: cookie, .origin: "http://localhost"])
      let invited = try await own.send(.post, "/users", #"{"name": "ann"}"#)
      #expect(invited.status == .created)
      let foreign = APIClient(client: client, headers: [.cookie: cookie, .origin: "https://evil.example"])
      #expect(try await foreign.send(.post, "/users", #"{"name": "eve"}"#).status == .forbidden)
    }
    #expect(try fixture.catalog.accounts().map(\.name) == ["owner", "ann"])
  }
}
