import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Keeps slow and hostile connections cheap: a deadline for each request's body, invitations (`Expect: 100-continue`)
/// only for bodies that will be read, and an orderly end after an answer that says `Connection: close`.
///
/// Hummingbird closes only when the *request* asks for it, and otherwise reads the rest of a refused body to its end,
/// however long that is.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// Sent down the pipeline by a handler that is about to read the body.
  struct BodyWanted: Sendable {}

  /// How long a client that was told to close may keep the connection, so that it gets to read the answer.
  private static let lingering = TimeAmount.seconds(2)

  private var decisions = ConnectionDecisions()
  private var deadline: Scheduled<Void>?
  private let bodyDeadline: TimeAmount

  init(bodyDeadline: Duration) {
    self.bodyDeadline = TimeAmount(bodyDeadline)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      let action = decisions.requestHead(awaitsContinue: head.headerFields.awaitsContinue)
      guard case .passAndStartDeadline(let request) = action else { return }
      startDeadline(context, request: request)
      context.fireChannelRead(data)
    case .body:
      if decisions.requestBody() == .pass { context.fireChannelRead(data) }
    case .end:
      guard decisions.requestEnd() == .passAndCancelDeadline else { return }
      deadline?.cancel()
      context.fireChannelRead(data)
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head):
      decisions.answerHead(closes: head.headerFields.closes, isInformational: head.status.kind == .informational)
      context.write(data, promise: promise)
    case .body:
      context.write(data, promise: promise)
    case .end:
      context.write(data, promise: promise)
      if decisions.answerEnd() == .finishAndDiscard { finish(context) }
    }
  }

  func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    guard event is BodyWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
    if decisions.bodyWanted() {
      context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }
    promise?.succeed()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    context.fireUserInboundEventTriggered(event)
    // The client has closed its side: nothing is left to wait for.
    if decisions.isDiscarding, case ChannelEvent.inputClosed = event { context.close(promise: nil) }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    deadline?.cancel()
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    context.fireChannelInactive()
  }

  private func startDeadline(_ context: ChannelHandlerContext, request: Int) {
    deadline?.cancel()
    deadline = context.eventLoop.assumeIsolatedUnsafeUnchecked().scheduleTask(in: bodyDeadline) {
      if self.decisions.deadlinePassed(request: request) { context.close(promise: nil) }
    }
  }

  /// Says that nothing more will come, then waits a little: closing at once while the client still sends would reset
  /// the connection and destroy the answer on its way.
  private func finish(_ context: ChannelHandlerContext) {
    deadline?.cancel()
    context.flush()
    context.close(mode: .output, promise: nil)
    deadline = context.eventLoop.assumeIsolatedUnsafeUnchecked().scheduleTask(in: Self.lingering) {
      context.close(promise: nil)
    }
  }
}

extension HTTPFields {
  fileprivate var awaitsContinue: Bool {
    self[.expect]?.lowercased() == "100-continue"
  }

  fileprivate var closes: Bool {
    self[.connection]?.lowercased() == "close"
  }
}
