import AppCatalog
import HTTPTypes
import NIOCore
import Testing
import Warehouse

/// Shared links, dimensions and metrics through the API.
@Suite struct LinkAPITests {
  @Test func `a page is shared until its link is revoked`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let api = APIClient(client: client, headers: fixture.authorized)
      let json = #"{"page": "events", "query": "days=7", "sites": ["https://wiki.example.com"], "days": 30}"#
      let created = try await api.object(.post, "/apps/1/links", json, status: .created)
      let address = try #require(created["address"] as? String)
      let path = try #require(address.firstRange(of: "/shared/").map { String(address[$0.lowerBound...]) })
      #expect(try await client.execute(uri: path, method: .get).status == .ok)
      let link = try #require(created["link"] as? [String: Any])
      #expect(link["page"] as? String == "events" && link["sites"] as? [String] == ["https://wiki.example.com"])
      let number = try #require(link["id"] as? Int)
      let listed = try await api.send(.get, "/apps/1/links")
      #expect(!String(buffer: listed.body).contains(path.dropFirst("/shared/".count)), "the secret is shown once")
      #expect(try await api.list("/apps/1/links", "links").count == 1)
      #expect(try await api.send(.delete, "/apps/1/links/\(number)").status == .noContent)
      #expect(try await api.send(.delete, "/apps/1/links/\(number)").status == .notFound)
      #expect(try await client.execute(uri: path, method: .get).status == .notFound)
      for mistake in [
        #"{"page": "live"}"#, #"{"page": "nonsense"}"#, #"{"page": "events", "query": "days=x"}"#,
        #"{"page": "events", "sites": ["*"]}"#, #"{"page": "events", "days": 0}"#, "{}",
        #"{"page": "events", "query": "\#(String(repeating: "a", count: 8_193))"}"#,
        #"{"page": "events", "sites": [\#(Array(repeating: "\"https://a.b\"", count: 21).joined(separator: ","))]}"#,
      ] {
        #expect(try await api.send(.post, "/apps/1/links", mistake).status == .badRequest, "\(mistake.prefix(60))")
      }
    }
    #expect(try fixture.catalog.links(app: nil).isEmpty)
    #expect(try fixture.catalog.audit(limit: 2).map(\.action) == ["shared link revoked", "page shared"])
  }

  @Test func `a link of another app can't be revoked through this one`() async throws {
    let fixture = try Fixture()
    let other = try fixture.catalog.createApp(name: "Other")
    let link = try fixture.catalog.createLink(app: other.id, report: "events", query: "", sites: []).link
    try await fixture.routed { client in
      let api = APIClient(client: client, headers: fixture.authorized)
      let refused = try await api.send(.delete, "/apps/1/links/\(link.id)")
      #expect(refused.status == .notFound)
    }
    #expect(try fixture.catalog.links(app: other.id).count == 1)
  }

  @Test func `a dimension and a metric are defined, changed and listed`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let api = APIClient(client: client, headers: fixture.authorized)
      let plan = try await api.object(.put, "/apps/1/dimensions/3", #"{"name": "Plan", "scope": "session"}"#)
      #expect(plan["parameter"] as? String == "cd3" && plan["scope"] as? String == "session")
      let again = try await api.object(.put, "/apps/1/dimensions/3", #"{"name": "Tariff", "active": false}"#)
      #expect(again["scope"] as? String == "hit" && again["active"] as? Bool == false, "PUT replaces all of it")
      let time = try await api.object(.put, "/apps/1/metrics/3", #"{"name": "Time", "type": "time"}"#)
      #expect(time["type"] as? String == "time" && time["active"] as? Bool == true)
      #expect(try await api.list("/apps/1/dimensions", "dimensions").compactMap { $0["name"] as? String } == ["Tariff"])
      #expect(try await api.list("/apps/1/metrics", "metrics").count == 1)
      #expect(try await api.object(.get, "/apps/1/metrics/3")["name"] as? String == "Time")
      for (path, json) in [
        ("dimensions/3", #"{"name": ""}"#), ("dimensions/3", #"{"name": "x", "scope": "life"}"#),
        ("metrics/3", #"{"name": "x", "type": "colour"}"#), ("metrics/3", "{}"),
      ] {
        #expect(try await api.send(.put, "/apps/1/\(path)", json).status == .badRequest, "\(path) \(json)")
      }
      for index in ["0", "201", "x", "9223372036854775807"] {
        let path = "/apps/1/dimensions/\(index)"
        #expect(try await api.send(.put, path, #"{"name": "x"}"#).status == .notFound, "\(index)")
        #expect(try await api.send(.get, path).status == .notFound, "\(index)")
      }
    }
    #expect(try fixture.catalog.definitions(app: fixture.app.id).map(\.name) == ["Tariff", "Time"])
  }
}
