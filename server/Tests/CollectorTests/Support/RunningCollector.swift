import Testing

@testable import HTTP
@testable import TernServer

extension Fixture {
  /// Runs the collector on a socket while `body` runs; returns after it has stopped.
  func running<Value: Sendable>(
    tls: TLSFiles? = nil, _ body: @escaping @Sendable (_ port: Int) async throws -> Value
  ) async throws -> Value {
    try await LiveServer.use(logger: dependencies.logger, body) { onListening in
      CollectorServer(
        .init(port: 0, tls: tls, settings: self.settings), dependencies: self.dependencies, onListening: onListening)
    }
  }
}

extension Result where Failure == any Error {
  /// The result or error of `body`.
  init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
