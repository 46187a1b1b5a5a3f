import Hummingbird
import Logging
import ServiceLifecycle
import Testing

/// A server on a port of its own, for as long as a test runs.
enum LiveServer {
  /// Serves with a responder.
  static func use<Value: Sendable>(
    _ responder: some HTTPResponder<BasicRequestContext>,
    _ body: @escaping @Sendable (_ port: Int) async throws -> Value
  ) async throws -> Value {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    return try await use(logger: logger, body) { onListening in
      Application(
        responder: responder, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { onListening($0.localAddress?.port ?? 0) }, logger: logger)
    }
  }

  /// Runs a server until `body` ends.
  ///
  /// - Parameter server: Makes the server, which calls the given closure with its port.
  static func use<Value: Sendable>(
    logger: Logger, _ body: @escaping @Sendable (_ port: Int) async throws -> Value,
    server: (_ onListening: @escaping @Sendable (Int) -> Void) -> some Service
  ) async throws -> Value {
    let (listening, continuation) = AsyncStream.makeStream(of: Int.self)
    let services = ServiceGroup(services: [server { continuation.yield($0) }], logger: logger)
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
