import HTTPTypes
package import NIOCore
package import NIOHTTPTypes

/// Keeps slow and hostile connections cheap: deadlines for the head and body of each request and for reading the
/// response, `100 Continue` only for bodies that will be read, and an orderly end after a response with `Connection:
/// close`. Reports the phase of the connection to the registry, which closes the least useful one if there are too
/// many.
///
/// Hummingbird closes a connection only if the *request* asks for it, and otherwise reads the rest of a rejected body,
/// however long.
package final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPRequestPart
  package typealias InboundOut = HTTPRequestPart
  package typealias OutboundIn = HTTPResponsePart
  package typealias OutboundOut = HTTPResponsePart

  /// The event that a handler sends down the pipeline before it reads the body.
  package struct BodyWanted: Sendable {
    /// The time limit for the body, instead of the usual one; for those whom a right allows large files. Such a body must
    /// progress, too.
    package var deadline: Duration?

    package init(deadline: Duration? = nil) { self.deadline = deadline }
  }

  /// The event that a handler sends down the pipeline to learn that the client disconnects before the response.
  package struct Departure: Sendable {
    package let handle: @Sendable () -> Void

    package init(_ handle: @escaping @Sendable () -> Void) { self.handle = handle }
  }

  /// The time that a client has to read its last response before the connection is closed.
  private static let lingering = Duration.seconds(2)

  private var decisions = ConnectionDecisions()
  /// The number of the last request.
  private var request: Int?
  /// True if the last request has no deadline yet.
  private var needsDeadline = false
  private var deadline: Scheduled<Void>?
  private var headDeadline: Scheduled<Void>?
  private var writeDeadline: Scheduled<Void>?
  private var stallCheck: Scheduled<Void>?
  /// The progress of a body with a time limit of its own.
  private var progress: StallDetector?
  /// True if the server is waiting for bytes.
  private var isReading = false
  private var departure: Departure?
  private var isInputClosed = false
  private var context: ChannelHandlerContext?
  private var phase = ConnectionPhase.withoutRequest
  private let limits: CollectorLimits
  private let registry: ConnectionRegistry

  package init(_ limits: CollectorLimits, registry: ConnectionRegistry) {
    self.limits = limits
    self.registry = registry
  }

  package func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    registry.open(context.channel)
    startHeadDeadline(context)
  }

  /// Records that the decoder has seen all bytes so far.
  ///
  /// - Returns: False if they are part of a head that is too large.
  func bytesWereRead(_ count: Int) -> Bool {
    guard let context else { return true }
    switch decisions.bytesWereRead(count, maximumHeadBytes: limits.maximumHeadBytes) {
    case .nothing: return true
    case .startHeadDeadline:
      startHeadDeadline(context)
      notePhase(context)
      return true
    case .refuseHead: return false
    }
  }

  package func read(context: ChannelHandlerContext) {
    isReading = true
    context.read()
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isReading = false
    switch unwrapInboundIn(data) {
    case .head(let head):
      let action = decisions.requestHead(awaitsContinue: head.headerFields.awaitsContinue)
      guard case .passAndStartDeadline(let request) = action else { return }
      headDeadline.take()?.cancel()
      self.request = request
      needsDeadline = true
      context.fireChannelRead(data)
    case .body(let bytes):
      progress?.received(bytes.readableBytes)
      if decisions.requestBody() == .pass { context.fireChannelRead(data) }
    case .end:
      guard decisions.requestEnd() == .passAndCancelDeadline else { return }
      deadline.take()?.cancel()
      stallCheck.take()?.cancel()
      context.fireChannelRead(data)
    }
  }

  package func channelReadComplete(context: ChannelHandlerContext) {
    // Most requests arrive as a whole, and need no deadline.
    if needsDeadline, let request, decisions.deadlinePassed(request: request) {
      startDeadline(context, request: request, in: limits.bodyDeadline)
    }
    needsDeadline = false
    notePhase(context)
    context.fireChannelReadComplete()
  }

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head):
      decisions.answerHead(closes: head.headerFields.closes, isInformational: head.status.kind == .informational)
      context.write(data, promise: promise)
    case .body:
      context.write(data, promise: promise)
    case .end:
      departure = nil
      context.write(data, promise: promise)
      if decisions.answerEnd() == .finishAndDiscard { finish() }
      notePhase(context)
    }
  }

  package func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    if let event = event as? Departure {
      departure = event
      // The client may have gone before.
      if isInputClosed { depart() }
      promise?.succeed()
      return
    }
    guard let event = event as? BodyWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
    if decisions.bodyWanted() {
      context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }
    if let limit = event.deadline, let request {
      startDeadline(context, request: request, in: limit)
      progress = StallDetector(minimum: limits.minimumBodyProgress)
      startStallCheck(context, request: request)
    }
    promise?.succeed()
  }

  package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    context.fireUserInboundEventTriggered(event)
    guard case ChannelEvent.inputClosed = event else { return }
    // The client has closed its side, so there is nothing to wait for.
    if decisions.isDiscarding { context.close(promise: nil) }
    isInputClosed = true
    depart()
  }

  private func depart() {
    departure?.handle()
    departure = nil
  }

  /// Closes the connection if the client does not read its response in time.
  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    writeDeadline?.cancel()
    if !context.channel.isWritable {
      writeDeadline = schedule(context, in: limits.idleTimeout) { context.close(promise: nil) }
    }
    context.fireChannelWritabilityChanged()
  }

  package func handlerRemoved(context: ChannelHandlerContext) {
    cancelDeadlines()
    self.context = nil
  }

  package func channelInactive(context: ChannelHandlerContext) {
    cancelDeadlines()
    isInputClosed = true
    depart()
    context.fireChannelInactive()
  }

  private func cancelDeadlines() {
    for deadline in [deadline, headDeadline, writeDeadline, stallCheck] { deadline?.cancel() }
  }

  private func notePhase(_ context: ChannelHandlerContext) {
    guard decisions.phase != phase else { return }
    phase = decisions.phase
    registry.change(context.channel, to: phase)
  }

  private func startDeadline(_ context: ChannelHandlerContext, request: Int, in limit: Duration) {
    needsDeadline = false
    deadline?.cancel()
    deadline = schedule(context, in: limit) {
      if self.decisions.deadlinePassed(request: request) { context.close(promise: nil) }
    }
  }

  private func startStallCheck(_ context: ChannelHandlerContext, request: Int) {
    stallCheck?.cancel()
    stallCheck = schedule(context, in: limits.idleTimeout) {
      guard self.decisions.deadlinePassed(request: request) else { return }
      if self.progress?.intervalEnded(isWaiting: self.isReading) == true { return context.close(promise: nil) }
      self.startStallCheck(context, request: request)
    }
  }

  private func startHeadDeadline(_ context: ChannelHandlerContext) {
    headDeadline?.cancel()
    headDeadline = schedule(context, in: limits.headDeadline) {
      switch self.decisions.headDeadlinePassed() {
      case .nothing: break
      case .wait: self.startHeadDeadline(context)
      case .close: context.close(promise: nil)
      }
    }
  }

  private func schedule(
    _ context: ChannelHandlerContext, in duration: Duration, _ action: @escaping () -> Void
  ) -> Scheduled<Void> {
    context.eventLoop.assumeIsolatedUnsafeUnchecked().scheduleTask(in: TimeAmount(duration), action)
  }

  /// Closes the output, then waits briefly: closing at once while the client is still sending would reset the
  /// connection and destroy the response in transit.
  package func finish() {
    guard let context else { return }
    deadline?.cancel()
    stallCheck?.cancel()
    context.flush()
    context.close(mode: .output, promise: nil)
    deadline = schedule(context, in: Self.lingering) { context.close(promise: nil) }
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
