import NIOCore
import NIOPosix

/// A TCP relay in front of the collector that can be closed to disconnect one process of the demo.
///
/// While it is closed, the kernel refuses connections and open ones are cut, as if the network were gone.
actor NetworkGate {
  private let target: SocketAddress
  private let group: MultiThreadedEventLoopGroup
  private var listener: (any Channel)?
  private let connections = ConnectionList()
  /// The port of the gate; stays the same when it is reopened.
  private(set) var port = 0

  /// Creates a closed gate in front of a collector.
  init(host: String, port: Int, group: MultiThreadedEventLoopGroup) throws {
    target = try SocketAddress.makeAddressResolvingHost(host, port: port)
    self.group = group
  }

  func open() async throws {
    guard listener == nil else { return }
    let target = target
    let connections = connections
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { inbound in
        connections.add(inbound)
        return ClientBootstrap(group: inbound.eventLoop)
          .connect(to: target)
          .flatMap { outbound in
            connections.add(outbound)
            return outbound.pipeline.addHandler(RelayHandler(peer: inbound))
              .flatMap { inbound.pipeline.addHandler(RelayHandler(peer: outbound)) }
              .flatMap { inbound.setOption(.autoRead, value: true) }
          }
          .flatMapError { _ in inbound.close() }
      }
    let channel = try await bootstrap.bind(host: "127.0.0.1", port: port).get()
    listener = channel
    port = channel.localAddress?.port ?? port
  }

  /// Closes the gate: cuts all connections and refuses new ones.
  func close() async {
    try? await listener?.close()
    listener = nil
    connections.closeAll()
  }
}

/// Forwards incoming bytes to the other side of the relay.
private final class RelayHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  private let peer: any Channel

  init(peer: any Channel) { self.peer = peer }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    peer.writeAndFlush(unwrapInboundIn(data), promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    peer.close(promise: nil)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
