import Foundation
import TernChildProcess
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A `tern serve` process.
struct RunningServer {
  let process: ChildProcess
  let port: Int

  /// Starts a server on the workspace's data directory and waits until it is ready.
  static func start(
    _ workspace: Workspace, port: Int = 0, environment: [String: String] = [:]
  ) async throws -> RunningServer {
    let log = "server-\(UUID().uuidString).log"
    let process = try workspace.start(
      workspace.tern, ["serve", "--data", workspace.path("data"), "--port", String(port)], environment: environment,
      output: log)
    let started = try await eventually {
      // A server that a test lets crash may have ended since.
      if workspace.text(log).contains(/http:\/\/127\.0\.0\.1:[1-9]/) { return true }
      try #require(process.isRunning, "the server ended: \(workspace.text(log))")
      return false
    }
    try #require(started, "the server said no address: \(workspace.text(log))")
    let match = try #require(workspace.text(log).firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)/))
    return RunningServer(process: process, port: try #require(Int(match.1)))
  }

  var address: String { "http://127.0.0.1:\(port)" }

  /// Sends a body and returns the response's JSON object.
  func post(_ body: String, to path: String, _ headers: [String: String]) async throws -> [String: Any] {
    var request = URLRequest(url: try #require(URL(string: address + path)))
    request.httpMethod = "POST"
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    request.httpBody = Data(body.utf8)
    let (data, _) = try await URLSession.shared.data(for: request)
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// Requests an address and returns the status of the response.
  func status(_ path: String, token: String? = nil) async throws -> Int? {
    var request = URLRequest(url: try #require(URL(string: address + path)))
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    let (_, response) = try await URLSession.shared.data(for: request)
    return (response as? HTTPURLResponse)?.statusCode
  }

  /// Kills the server without warning.
  @discardableResult
  func kill() -> ChildProcess.Exit { process.kill() }

  /// Asks the server to finish, and waits for its end.
  func stop() -> ChildProcess.Exit {
    process.send(SIGTERM)
    return process.wait()
  }
}

/// An app as `tern apps create --json` prints it.
struct CreatedApp {
  let id: String
  let key: String
  let appSecret: String
  let trackingID: String

  static func create(_ workspace: Workspace, _ name: String) throws -> CreatedApp {
    let (status, output, error) = try workspace.run([
      "apps", "create", name, "--data", workspace.path("data"), "--json",
    ])
    try #require(status == 0, "tern apps create: \(error)")
    let object = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    return CreatedApp(
      id: "\(try #require(object["id"]))", key: try #require(object["key"] as? String),
      appSecret: try #require(object["appSecret"] as? String), trackingID: try #require(object["trackingId"] as? String)
    )
  }
}
