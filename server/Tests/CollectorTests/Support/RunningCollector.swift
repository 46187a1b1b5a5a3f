import Hummingbird
import Logging
import ServiceLifecycle
import Testing

@testable import Collector

extension Fixture {
  /// Runs the collector on a socket while `body` runs; returns after it has stopped.
  func running<Value: Sendable>(
    tls: TLSFiles? = nil, _ body: @escaping @Sendable (_ port: Int) async throws -> Value
  ) async throws -> Value {
    let (listening, continuation) = AsyncStream.makeStream(of: Int.self)
    let server = CollectorServer(
      .init(port: 0, tls: tls, settings: settings), dependencies: dependencies, onListening: { continuation.yield($0) })
    return try await LiveServer.use(server, logger: dependencies.logger, listening, continuation, body)
  }
}

/// A server on a port of its own, for as long as a test runs.
enum LiveServer {
  /// Serves with a responder.
  static func use<Value: Sendable>(
    _ responder: some HTTPResponder<BasicRequestContext>,
    _ body: @escaping @Sendable (_ port: Int) async throws -> Value
  ) async throws -> Value {
    let (listening, continuation) = AsyncStream.makeStream(of: Int.self)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let server = Application(
      responder: responder, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) }, logger: logger)
    return try await use(server, logger: logger, listening, continuation, body)
  }

  /// Runs a server until `body` ends.
  static func use<Value: Sendable>(
    _ server: some Service, logger: Logger, _ listening: AsyncStream<Int>,
    _ continuation: AsyncStream<Int>.Continuation,
    _ body: @escaping @Sendable (_ port: Int) async throws -> Value
  ) async throws -> Value {
    let services = ServiceGroup(services: [server], logger: logger)
    return try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask {
        defer { continuation.finish() }
        try await services.run()
        return nil
      }
      group.addTask {
        let port = try #require(await listening.first { _ in true }, "the server did not start")
        let result = await Result { try await body(port) }
        await services.triggerGracefulShutdown()
        return try result.get()
      }
      var result: Value?
      while let next = try await group.next() { result = next ?? result }
      return try #require(result)
    }
  }
}

extension Result where Failure == any Error {
  /// The result or error of `body`.
  init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
