import Hummingbird
package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTPTypesHTTP1
import TernBase

/// Hummingbird's HTTP/1 connections, encrypted if the server has an identity, and made safe for connections accepted while
/// the server stops.
///
/// The listener's stream ends before the socket closes. A connection accepted in between is never handled, and NIO
/// traps when the unfinished writer of such a connection is released.
///
/// Connections are handled on their own thread. Requests that may block it are answered on Swift's threads.
package struct AcceptingChannel: ServerChildChannel {
  package let http: HTTP1Channel
  /// The certificate and key; `nil` for connections without TLS.
  package let identity: (any TLSIdentity)?

  /// Returns a builder of servers with this configuration.
  ///
  /// - Parameter briefPaths: The paths whose requests are answered on the thread of their connection. They must not block it.
  package static func builder(
    _ configuration: HTTP1Channel.Configuration, identity: (any TLSIdentity)?, briefPaths: Set<String>
  ) -> HTTPServerBuilder {
    HTTPServerBuilder { responder in
      let http = HTTP1Channel(
        responder: { request, writer, channel in
          guard !briefPaths.contains(request.uri.path) else { return try await responder(request, writer, channel) }
          var writer = Optional(writer)
          try await withTaskExecutorPreference(globalConcurrentExecutor) {
            if let writer = writer.take() { try await responder(request, writer, channel) }
          }
        }, configuration: configuration)
      return AcceptingChannel(http: http, identity: identity)
    }
  }

  package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
    let tls = channel.eventLoop.makeCompletedFuture {
      if let identity { try identity.addTLSHandler(to: channel.pipeline.syncOperations) }
    }
    return tls.flatMap { http.setup(channel: channel, logger: logger) }.flatMapThrowing { connection in
      let pipeline = channel.pipeline.syncOperations
      // Behind the decryption: heads are measured in decrypted bytes.
      try pipeline.addHandler(
        HeadWatch(pipeline.handler(type: ConnectionGuard.self)),
        position: identity?.positionBehindTLS(in: pipeline) ?? .first)
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      try pipeline.addHandlers(HostCheck(), ClosingClients(), position: .before(codec))
      return AcceptedConnection(connection)
    }
  }

  package func handle(value: AcceptedConnection, logger: Logger) async {
    await withTaskExecutorPreference(ConnectionThread(value.channel.eventLoop)) {
      await http.handle(value: value.take(), logger: logger)
    }
  }
}

/// A connection that closes itself unless a handler takes it over.
package final class AcceptedConnection: ServerChildChannelValue {
  private let connection: HTTP1Channel.Value
  private let isTaken = Locked(false)

  package init(_ connection: HTTP1Channel.Value) {
    self.connection = connection
  }

  deinit {
    guard !isTaken.withLock({ $0 }) else { return }
    // An unstructured task, because nothing can await it here. It only finishes the writer and closes the socket.
    Task { [connection] in try? await connection.executeThenClose { _, _ in } }
  }

  package var channel: any Channel { connection.channel }

  /// Returns the connection, which the caller must close.
  func take() -> HTTP1Channel.Value {
    isTaken.withLock { $0 = true }
    return connection
  }
}
