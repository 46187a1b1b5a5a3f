import Foundation
import HTTPTypes
import Questions
import Testing

@testable import Collector

@Suite struct DescriptionTests {
  /// The first parts of addresses of pages. A route with another one is for programs.
  private static let pages: Set<String> = [
    "", "account", "alerts", "apps", "assets", "audit", "login", "logout", "shared", "sign-in", "storage", "tokens",
    "unsubscribe", "users", "welcome",
  ]

  @Test func `every route for programs is described, and nothing else`() throws {
    let routes = try Fixture().collector().requirements.keys
      .filter { !Self.pages.contains($0.path.split(separator: "/").first.map(String.init) ?? "") }
    let described = APIDescription.operations.map { "\($0.method) \(Self.route($0.path))" }
    #expect(Set(described) == Set(routes.map { "\($0.method) \($0.path)" }))
    #expect(Set(APIDescription.operations.map { "\($0.method) \($0.path)" }).count == described.count)
  }

  @Test func `the description is served without credentials, and each reference in it leads somewhere`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let response = try await client.execute(uri: "/api/openapi.json", method: .get)
      #expect(response.status == .ok)
      #expect(response.headers[.contentType] == "application/json")
      let document = try object(response)
      let components = try #require(document["components"] as? [String: Any])
      let schemas = try #require(components["schemas"] as? [String: Any])
      let texts = Self.texts(of: document, named: "$ref")
      #expect(!texts.isEmpty)
      for text in texts {
        let name = text.replacing("#/components/schemas/", with: "")
        #expect(schemas[name] != nil, "\(text)")
      }
    }
  }

  @Test func `members are in camel case, except in questions and what App Center defines`() throws {
    let json = try JSONSerialization.jsonObject(with: Data(APIDescription.document))
    let document = try #require(json as? [String: Any])
    let paths = try #require(document["paths"] as? [String: Any])
    let schemas = try #require((document["components"] as? [String: Any])?["schemas"] as? [String: Any])
    let others = Set((Question.schemas + APIDescription.appCenterSchemas).list.map(\.0))
    let appCenter = Set(APIDescription.appCenter.map(\.path))
    let members =
      schemas.filter { !others.contains($0.key) }.values.flatMap(Self.members)
      + paths.filter { !appCenter.contains($0.key) }.values.flatMap(Self.members)
    #expect(members.contains("minimumUsers") && members.contains("bytesPerDay"))
    #expect(members.filter { $0.contains("_") || $0.first?.isUppercase == true } == [])
  }

  @Test func `each schema has a name of its own`() throws {
    guard case .object(let schemas) = APIDescription.schemas else { throw CancellationError() }
    #expect(Set(schemas.map(\.name)).count == schemas.count)
  }

  @Test func `each operation has a name of its own, and parameters for the braces of its address`() {
    let operations = APIDescription.operations
    #expect(Set(operations.map(\.name)).count == operations.count)
    for operation in operations {
      let braces = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
      let parameters = operation.parameters.filter { $0.place == .path }.map { $0.name[...] }
      #expect(Set(braces) == Set(parameters), "\(operation.path)")
    }
  }

  @Test func `a method that no address supports is answered with those that it does`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let response = try await client.execute(uri: "/api/v1/apps", method: .trace)
      #expect(response.status == .methodNotAllowed)
      #expect(response.headers[.allow] == "GET, HEAD, POST")
    }
  }

  /// The path of the route that serves a described address.
  private static func route(_ address: String) -> String {
    if let end = address.firstRange(of: "/analytics/")?.upperBound {
      return route(String(address[..<end].dropLast())) + "/**"
    }
    return address.replacing("{", with: ":").replacing("}", with: "")
  }

  /// The names of all properties in a part of the document.
  private static func members(of value: Any) -> [String] {
    switch value {
    case let object as [String: Any]:
      ((object["properties"] as? [String: Any]).map { Array($0.keys) } ?? []) + object.values.flatMap(members)
    case let array as [Any]: array.flatMap(members)
    default: []
    }
  }

  private static func texts(of value: Any, named name: String) -> [String] {
    switch value {
    case let object as [String: Any]:
      (object[name] as? String).map { [$0] } ?? object.values.flatMap { texts(of: $0, named: name) }
    case let array as [Any]: array.flatMap { texts(of: $0, named: name) }
    default: []
    }
  }
}
