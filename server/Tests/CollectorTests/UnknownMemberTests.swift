import AppCatalog
import Foundation
import HTTPTypes
import JSON
import NIOCore
import Testing
import Warehouse

@testable import HTTP
@testable import TernServer

/// Members of requests that the API doesn't know: it would change nothing, and say that all is well.
@Suite struct UnknownMemberTests {
  @Test(arguments: SentBackTests.things) func `a member that isn't known is refused, and nothing is changed`(
    thing: SentBackTests.Thing
  ) async throws {
    let fixture = try Fixture()
    try await fixture.administered { api in
      let extended = "\(thing.json.dropLast()), \"nonsense\": 1}"
      let refused = try await api.send(thing.creation, thing.list, extended)
      #expect(refused.status == .badRequest)
      #expect(try error(refused)["path"] as? String == "$.nonsense")
      #expect([.ok, .created].contains(try await api.send(thing.creation, thing.list, thing.json).status))
      let before = try await api.send(.get, thing.path)
      #expect(before.status == .ok)
      let sent = "\(String(buffer: before.body).dropLast()), \"nonsense\": 1}"
      #expect(try error(try await api.send(thing.method, thing.path, sent))["code"] as? String == "invalid")
      #expect(try await api.send(.get, thing.path).body == before.body)
    }
  }

  @Test func `a fault names the unknown member, and the one that was probably meant`() async throws {
    let fixture = try Fixture()
    try await fixture.administered { api in
      let refused = try error(try await api.send(.patch, "/apps/1", #"{"name": "New", "keeep": "30d"}"#))
      #expect(refused["code"] as? String == "invalid" && refused["path"] as? String == "$.keeep")
      let message = try #require(refused["message"] as? String)
      let start = #"There is no member "keeep" here. Did you mean "keep"? Allowed members: name, timeZone,"#
      #expect(message.hasPrefix(start))
      #expect(try fixture.catalog.apps().first?.name == fixture.app.name)
      let card = #"{"name": "A", "page": "explore", "query": "metric=users", "isWide": true}"#
      let board = try error(try await api.send(.post, "/apps/1/dashboards", #"{"name": "x", "cards": [\#(card)]}"#))
      #expect(board["path"] as? String == "$.cards[0].isWide")
      let kept = try error(try await api.send(.post, "/apps", #"{"name": "x", "keep": "30d"}"#))
      #expect(kept["path"] as? String == "$.keep", "a new app keeps its rows forever")
    }
  }

  @Test(
    arguments: [
      ("keeep", "keep"), ("Keep", "keep"), ("kepe", "keep"), ("time_zone", "timeZone"), ("timezon", "timeZone"),
      ("kee", "keep"), ("x", nil), ("", nil), ("keeping", nil), (String(repeating: "k", count: 20_000), nil),
    ] as [(String, String?)])
  func `the nearest name is suggested if it is near`(name: String, meant: String?) throws {
    let node = JSONNode(value: .object([(name, .null)]))
    let fault = #expect(throws: JSONFault.self) { try node.members(["name", "timeZone", "keep"]) }
    let message = try #require(fault?.message)
    #expect(message.contains("Did you mean") == (meant != nil), "\(message)")
    if let meant { #expect(message.contains("Did you mean \"\(meant)\"?")) }
  }

  @Test func `the description says of each request that it can't have other members`() throws {
    let json = try JSONSerialization.jsonObject(with: Data(try Fixture().collector().description.document))
    let document = try #require(json as? [String: Any])
    let paths = try #require(document["paths"] as? [String: [String: Any]])
    let schemas = try #require((document["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]])
    var count = 0
    for (path, methods) in paths where path.hasPrefix("/api/v1/") {
      for (method, operation) in methods {
        let body = (operation as? [String: Any])?["requestBody"] as? [String: Any]
        let content = (body?["content"] as? [String: [String: Any]])?["application/json"]
        guard var schema = content?["schema"] as? [String: Any] else { continue }
        if let name = (schema["$ref"] as? String)?.split(separator: "/").last { schema = schemas[String(name)] ?? [:] }
        #expect(schema["additionalProperties"] as? Bool == false, "\(method) \(path)")
        count += 1
      }
    }
    #expect(count > 20)
  }
}
