import AppCatalog
import HTTPTypes
import NIOCore
import Testing
import Warehouse

/// Requests of one program to `/api/v1`.
struct APIClient: Sendable {
  let client: TestClient
  let headers: HTTPFields

  /// Sends a request; the path is that below `/api/v1`.
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ json: String = "", ifMatch: String? = nil
  ) async throws -> TestResponse {
    var headers = headers
    if let ifMatch { headers[.ifMatch] = ifMatch }
    return try await client.execute(
      uri: "/api/v1\(path)", method: method, headers: headers, body: ByteBuffer(string: json))
  }

  /// Sends a request and returns the object that answers it; the status must be as given.
  func object(
    _ method: HTTPRequest.Method, _ path: String, _ json: String = "", status: HTTPResponse.Status = .ok
  ) async throws -> [String: Any] {
    let response = try await send(method, path, json)
    #expect(response.status == status, "\(method) \(path): \(String(buffer: response.body))")
    return try CollectorTests.object(response)
  }

  /// Returns the objects of a list.
  func list(_ path: String, _ member: String) async throws -> [[String: Any]] {
    try #require(try await object(.get, path)[member] as? [[String: Any]])
  }

  /// Returns the tag of what a path answers.
  func tag(_ path: String) async throws -> String {
    try #require(try await send(.get, path).headers[.eTag])
  }
}

extension Fixture {
  /// Runs `body` with a client that may do everything.
  func administered<Value>(_ body: @Sendable (APIClient) async throws -> Value) async throws -> Value {
    let token = try catalog.createToken(name: "admin", scopes: [.administer]).secret
    return try await routed { try await body(APIClient(client: $0, headers: [.authorization: "Bearer \(token)"])) }
  }
}
