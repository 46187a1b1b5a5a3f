import NIOCore
import NIOHTTP1

/// Reports incomplete heads to the guard from its position before the HTTP decoder, and refuses those that are too large:
/// the decoder's own limit is 80 KiB, which thousands of connections could fill.
final class HeadWatch: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private static let refusal =
    "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

  private let connection: ConnectionGuard
  private var isRefused = false

  init(_ connection: ConnectionGuard) { self.connection = connection }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefused else { return }
    context.fireChannelRead(data)
    guard !connection.bytesWereRead(unwrapInboundIn(data).readableBytes) else { return }
    isRefused = true
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: Self.refusal)), promise: nil)
    connection.finish()
  }
}

/// Refuses requests of HTTP/1.1 that don't name exactly one host, as RFC 9112, section 3.2, requires.
final class HostCheck: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private var isRefused = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefused else { return }
    guard case .head(let head) = unwrapInboundIn(data), head.version == .http1_1, head.headers["host"].count != 1 else {
      return context.fireChannelRead(data)
    }
    isRefused = true
    let refusal = HTTPResponseHead(
      version: .http1_1, status: .badRequest, headers: ["connection": "close", "content-length": "0"])
    context.write(wrapOutboundOut(.head(refusal)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolatedUnsafeUnchecked()
      .whenComplete { _ in context.close(promise: nil) }
  }
}

/// Normalizes requests to close the connection after the response: in HTTP/1.0, the absence of a request to keep it
/// open; in any version, upper or lower case. Later handlers do not know the version.
final class ClosingClients: ChannelInboundHandler, RemovableChannelHandler, Sendable {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), !head.isKeepAlive else { return context.fireChannelRead(data) }
    head.headers.replaceOrAdd(name: "connection", value: "close")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}
