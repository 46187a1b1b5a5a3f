package import HTTP
import Hummingbird
import Ingestion
import Logging
import NIOCore
import NIOPosix
import Portal
import ServiceLifecycle
import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The collector on a socket, serving apps and readers of reports.
///
/// ## Topics
/// - ``Configuration``
/// - ``run()``
package struct CollectorServer: Service {
  /// The address and the settings of a collector.
  package struct Configuration: Sendable {
    /// The address to listen on: a host name or an IP address.
    package var host: String
    /// The port; 0 for any free one.
    package var port: Int
    /// The certificate and key; `nil` to serve without TLS.
    package var tls: TLSFiles?
    /// Limits and policies.
    package var settings: CollectorSettings

    /// Creates a configuration.
    package init(host: String = "127.0.0.1", port: Int, tls: TLSFiles? = nil, settings: CollectorSettings = .standard) {
      self.host = host
      self.port = port
      self.tls = tls
      self.settings = settings
    }
  }

  private let configuration: Configuration
  private let dependencies: CollectorDependencies
  private let onListening: @Sendable (Int) async -> Void

  /// Creates a collector; ``run()`` starts it.
  ///
  /// - Parameters:
  ///   - configuration: The address and settings.
  ///   - dependencies: The collector's dependencies, which it does not close.
  ///   - onListening: Called once with the actual port when the collector accepts connections.
  package init(
    _ configuration: Configuration, dependencies: CollectorDependencies,
    onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
  ) {
    self.configuration = configuration
    self.dependencies = dependencies
    self.onListening = onListening
  }

  /// Serves until a graceful shutdown, then accepts no more connections and finishes the requests in progress within
  /// ``CollectorLimits/shutdownDeadline``. Cancelling the task ends them at once.
  ///
  /// Throws ``CollectorError`` if it cannot listen.
  package func run() async throws {
    let application = try makeApplication()
    let group = ServiceGroup(configuration: groupConfiguration([application]))
    do {
      try await group.run()
    } catch {
      throw Self.failure(error, configuration)
    }
  }

  /// Checks that ``run()`` can listen and has a certificate, before anything else is started; throws ``CollectorError``
  /// otherwise.
  package static func check(_ configuration: Configuration) async throws {
    _ = try configuration.tls?.identity()
    do {
      let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .bind(host: configuration.host, port: configuration.port).get()
      try await listener.close()
    } catch {
      throw failure(error, configuration)
    }
  }

  private func groupConfiguration(_ services: [any Service]) -> ServiceGroupConfiguration {
    var configuration = ServiceGroupConfiguration(services: services, logger: quietLogger)
    configuration.maximumGracefulShutdownDuration = self.configuration.settings.limits.shutdownDeadline
    return configuration
  }

  /// A logger without the lifecycle messages of Hummingbird and the service group: one line per start is enough.
  private var quietLogger: Logger {
    var logger = dependencies.logger
    logger.logLevel = max(logger.logLevel, .error)
    return logger
  }

  private func makeApplication() throws -> Application<RouterResponder<CollectorContext>> {
    let limits = configuration.settings.limits
    let identity = try configuration.tls?.identity()
    let address = "\(identity == nil ? "http" : "https")://\(configuration.host):\(configuration.port)"
    let collector: CollectorApplication
    do {
      collector = try CollectorApplication(
        dependencies: dependencies, address: address, settings: configuration.settings, identity: identity)
    } catch {
      throw CollectorError(.cannotStart, "The portal's pages are damaged: \(error)", cause: error)
    }
    let connections = max(min(limits.maximumConnections, DescriptorLimit.raised() - DescriptorLimit.reserve), 1)
    let registry = ConnectionRegistry(
      maximum: connections, maximumPerClient: min(limits.maximumConnectionsPerClient, connections),
      proxies: TrustedProxies(configuration.settings.trustedProxies))
    let onListening = onListening
    let reloading = identity.map {
      [IdentityReloading(identity: $0, sleep: dependencies.clocks.sleep, logger: dependencies.logger)]
    }
    return Application(
      responder: collector.responder,
      server: AcceptingChannel.builder(
        .init(
          additionalChannelHandlers: [ConnectionGuard(limits, registry: registry)],
          idleTimeout: TimeAmount(limits.idleTimeout)),
        identity: identity, briefPaths: Ingestion.paths),
      configuration: ApplicationConfiguration(
        address: .hostname(configuration.host, port: configuration.port), backlog: 1_024,
        // The registry closes connections before this limit. If all have requests in progress, new ones wait.
        availableConnectionsDelegate: .maximum(connections + DescriptorLimit.surplus, logger: quietLogger)),
      services: [collector.live, collector.gate, collector.usage] + (reloading ?? []),
      onServerRunning: { channel in await onListening(channel.localAddress?.port ?? 0) },
      logger: quietLogger)
  }

  private static func failure(_ error: any Error, _ configuration: Configuration) -> any Error {
    let place = "\(configuration.host):\(configuration.port)"
    switch error {
    case let error as IOError where error.errnoCode == EADDRINUSE:
      return CollectorError(
        .addressInUse,
        "Port \(configuration.port) is in use by another process. Choose another with --port.", cause: error)
    case let error as IOError:
      return CollectorError(
        .cannotListen, "Cannot listen on \(place): \(String(cString: strerror(error.errnoCode))).",
        cause: error)
    case is SocketAddressError, is SocketAddressError.UnknownHost:
      return CollectorError(
        .cannotListen, "Cannot listen on \(place): this machine has no such address. Choose another with --host.",
        cause: error)
    case is ServiceGroupError:
      return CollectorError(.stopped, "The server stopped unexpectedly: \(error).", cause: error)
    default:
      return error
    }
  }
}
