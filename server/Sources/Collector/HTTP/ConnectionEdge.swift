import NIOCore

/// Stands before the HTTP decoder and tells the guard behind it of bytes that made no whole head yet.
final class HeadWatch: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  private let connection: ConnectionGuard

  init(_ connection: ConnectionGuard) { self.connection = connection }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.fireChannelRead(data)
    connection.bytesWereRead()
  }
}
