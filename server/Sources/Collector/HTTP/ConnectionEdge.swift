import NIOCore
import NIOHTTP1

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

/// Says in one way that a client wants the connection closed after the answer: in HTTP/1.0 by not asking to keep it, in
/// any version in upper or lower case. Behind it nobody knows the version any more.
final class ClosingClients: ChannelInboundHandler, RemovableChannelHandler, Sendable {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), !head.isKeepAlive else { return context.fireChannelRead(data) }
    head.headers.replaceOrAdd(name: "connection", value: "close")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}
