import Foundation
import HTTPTypes
import JSON
import Questions
import Testing

@testable import API
@testable import HTTP
@testable import TernServer

@Suite struct DescriptionTests {
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
    let json = try JSONSerialization.jsonObject(with: Data(try Fixture().collector().description.document))
    let document = try #require(json as? [String: Any])
    let paths = try #require(document["paths"] as? [String: Any])
    let schemas = try #require((document["components"] as? [String: Any])?["schemas"] as? [String: Any])
    let others = Set(
      (Question.schemas + Schema.Members(AppCenterReportEndpoints.operations.flatMap(\.components))).list.map(\.0))
    let appCenter = Set(AppCenterReportEndpoints.operations.map(\.path))
    let members =
      schemas.filter { !others.contains($0.key) }.values.flatMap(Self.members)
      + paths.filter { !appCenter.contains($0.key) }.values.flatMap(Self.members)
    #expect(members.contains("minimumUsers") && members.contains("bytesPerDay"))
    #expect(members.filter { $0.contains("_") || $0.first?.isUppercase == true } == [])
  }

  @Test func `each schema has a name of its own`() throws {
    let operations = try Fixture().collector().description.operations
    let all = APIDescription.otherSchemas + Schema.Members(operations.flatMap(\.components))
    for (name, schemas) in Dictionary(grouping: all.list, by: \.0) {
      #expect(Set(schemas.map { String(decoding: $0.1.tree.encoded, as: UTF8.self) }).count == 1, "\(name)")
    }
  }

  @Test func `each operation has a name and an address of its own, and parameters for the braces of that`() throws {
    let operations = try Fixture().collector().description.operations
    #expect(Set(operations.map(\.name)).count == operations.count)
    #expect(Set(operations.map { "\($0.method) \($0.path)" }).count == operations.count)
    for operation in operations {
      let braces = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
      let parameters = operation.parameters.filter { $0.place == .path }.map { $0.name[...] }
      #expect(Set(braces) == Set(parameters), "\(operation.path)")
    }
  }

  @Test func `each operation has the tag of its group and a short title`() throws {
    let operations = try Fixture().collector().description.operations
    #expect(Set(operations.map(\.tag)) == Set(APITag.allCases))
    // The tag of endpoints whose group has none of its own.
    let server = operations.filter { $0.tag == .server }.map(\.path)
    #expect(
      Set(server) == ["/healthz", "/readyz", "/metrics", "/api/v1/storage", "/api/openapi.json"], "\(server)")
    for operation in operations {
      #expect((8...80).contains(operation.title.count), "\(operation.name): \(operation.title)")
      #expect(operation.title.last != "." && operation.summary.hasPrefix(operation.title), "\(operation.name)")
    }
  }

  @Test func `generators of clients find nothing in the description that they can't read`() throws {
    let json = try JSONSerialization.jsonObject(with: Data(try Fixture().collector().description.document))
    let document = try #require(json as? [String: Any])
    let schemas = try #require((document["components"] as? [String: Any])?["schemas"] as? [String: Any])
    // In Go, `NewAlert` makes an `Alert`.
    #expect(schemas.keys.filter { $0.hasPrefix("New") && schemas[String($0.dropFirst(3))] != nil } == [])
    #expect(schemas["AlertInput"] != nil && schemas["CustomMetricInput"] != nil)
    let objects = Self.objects(in: document)
    let integers = objects.filter { $0["type"] as? String == "integer" }
    #expect(integers.count > 100)
    #expect(integers.allSatisfy { $0["format"] as? String == "int64" })
    let tuples = objects.filter { $0["prefixItems"] != nil }
    #expect(tuples.count > 20)
    #expect(tuples.allSatisfy { $0["items"] == nil && $0["minItems"] as? Int == $0["maxItems"] as? Int })
    #expect(objects.contains { $0["anyOf"] != nil && $0["default"] is String })
    #expect(!objects.contains { $0["anyOf"] != nil && $0["default"] is [String: Any] })
    // An array within itself.
    for name in ["RowFilter", "SegmentFilter", "Filter"] {
      let references = Self.texts(of: try #require(schemas[name]), named: "$ref")
      #expect(!references.isEmpty && !references.contains { $0.hasSuffix("/\(name)") }, "\(name)")
    }
  }

  @Test func `every operation that answers with CSV has the parameters of its form`() throws {
    let operations = try Fixture().collector().description.operations.filter { operation in
      operation.answers.list.contains { $0.0 == "text/csv" }
    }
    #expect(Set(operations.map(\.name)).isSuperset(of: ["report", "export", "query", "funnel", "persons"]))
    for operation in operations {
      let names = operation.parameters.filter { $0.place == .query }.map(\.name)
      #expect(Set(names).isSuperset(of: ["format", "decimal", "texts"]), "\(operation.path)")
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

  /// The names of all properties in a part of the document.
  private static func members(of value: Any) -> [String] {
    switch value {
    case let object as [String: Any]:
      ((object["properties"] as? [String: Any]).map { Array($0.keys) } ?? []) + object.values.flatMap(members)
    case let array as [Any]: array.flatMap(members)
    default: []
    }
  }

  /// All objects in a part of the document.
  private static func objects(in value: Any) -> [[String: Any]] {
    switch value {
    case let object as [String: Any]: [object] + object.values.flatMap(objects)
    case let array as [Any]: array.flatMap(objects)
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
