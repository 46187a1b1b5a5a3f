import AppCatalog
import HTTPTypes
import NIOCore
import Testing
import Warehouse

/// Tokens through the API, and what each of them may do there.
@Suite struct TokenAPITests {
  @Test func `a token is created, shown without its secret and revoked`() async throws {
    let fixture = try Fixture()
    try await fixture.administered { api in
      let created = try await api.object(
        .post, "/tokens", #"{"name": "nightly", "scopes": ["export"], "app": 1, "days": 30}"#, status: .created)
      let secret = try #require(created["secret"] as? String)
      let token = try #require(created["token"] as? [String: Any])
      #expect(token["scopes"] as? [String] == ["export"] && token["app"] as? Int == 1 && token["expires"] is String)
      let number = try #require(token["id"] as? Int)
      let program = APIClient(client: api.client, headers: [.authorization: "Bearer \(secret)"])
      #expect(try await program.send(.get, "/apps").status == .ok)
      #expect(!String(buffer: try await api.send(.get, "/tokens").body).contains(secret))
      #expect(try await api.send(.delete, "/tokens/\(number)").status == .noContent)
      #expect(try await api.send(.delete, "/tokens/\(number)").status == .notFound)
      #expect(try await program.send(.get, "/apps").status == .unauthorized)
      for (json, words) in [
        (#"[]"#, "Send a JSON object with name, scopes, and optionally app, days."),
        (#"{"name": "x"}"#, #"The member \"scopes\" is missing"#),
        (#"{"name": "x", "scopes": []}"#, "Expected 1 to 5 elements"),
        (#"{"name": "x", "scopes": ["all"]}"#, "read, export, manage, administer"),
        (#"{"name": "x", "scopes": ["write"]}"#, "needs an app"),
        (#"{"name": "x", "scopes": ["read"], "app": 9}"#, "no app 9"),
        (#"{"name": "x", "scopes": ["read"], "days": 0}"#, "1 to 3650"),
      ] {
        let refused = try await api.send(.post, "/tokens", json)
        #expect(refused.status == .badRequest && String(buffer: refused.body).contains(words), "\(json)")
      }
    }
    #expect(try fixture.catalog.audit(limit: 2).map(\.action) == ["token revoked", "token created"])
  }

  @Test func `only an owner who is logged in creates a token that administers the server`() async throws {
    let fixture = try Fixture()
    let cookie = try fixture.cookie()
    let json = #"{"name": "admin", "scopes": ["administer"]}"#
    try await fixture.administered { api in
      #expect(try await api.send(.post, "/tokens", json).status == .forbidden)
      let owner = APIClient(client: api.client, headers: [.cookie: cookie, .origin: "http://localhost"])
      let created = try await owner.object(.post, "/tokens", json, status: .created)
      let secret = try #require(created["secret"] as? String)
      let program = APIClient(client: api.client, headers: [.authorization: "Bearer \(secret)"])
      #expect(try await program.send(.get, "/users").status == .ok)
      let limited = try await owner.send(.post, "/tokens", json.dropLast() + #", "app": 1}"#)
      #expect(limited.status == .badRequest)
    }
  }

  @Test func `a token that manages apps gets no more rights by it`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let api = APIClient(client: client, headers: fixture.authorized)
      let created = try await api.send(.post, "/apps", #"{"name": "Another"}"#)
      #expect(created.status == .created)
      for (method, path) in [
        (HTTPRequest.Method.post, "/users"), (.get, "/users"), (.post, "/users/1/link"), (.get, "/sessions"),
        (.post, "/tokens"), (.get, "/tokens"), (.get, "/audit"), (.delete, "/audit?days=1"), (.get, "/failed-logins"),
      ] {
        #expect(try await api.send(method, path, "{}").status == .forbidden, "\(method) \(path)")
      }
    }
    #expect(try fixture.catalog.accounts().count == 1)
  }
}
