import Hummingbird
import NIOCore
import NIOHTTPTypes
import TernEvents

/// Answers small requests of apps from a body received whole, in tasks on the thread of their connection.
///
/// Hummingbird hands each part of a request and of its response from one thread to another, which costs more than parsing
/// and storing a usual batch. The routes are the same either way. Anything unusual (a large or chunked body, `Expect`, no
/// room in the budget, an early end) continues with Hummingbird: the parts received so far are passed on.
final class WholeRequests: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// The shared parts of all connections of a server.
  struct Service: Sendable {
    /// The addresses of requests that are answered here.
    let paths: Set<String>
    /// The maximum size of a body in bytes.
    let maximumBytes: Int
    let gate: AdmissionGate
    let proxies: TrustedProxies
    let wallTime: @Sendable () -> Timestamp
    /// Answers a request, whose body is in the context.
    let respond: @Sendable (Request, ArrivedBody, any Channel) async -> Response
  }

  /// A request whose body is arriving.
  private struct Arriving {
    var head: HTTPRequest
    var body = ByteBuffer()
    let began: Timestamp
    let reservation: AdmissionGate.Reservation
  }

  private enum State {
    case betweenRequests
    /// Hummingbird gets the current request.
    case passing
    case receiving(Arriving)
    case answering
    /// The connection has ended.
    case ended
  }

  /// Something that arrived while a request was being answered.
  private enum Event {
    case part(HTTPRequestPart)
    case user(Any)
    case error(any Error)
  }

  private let service: Service
  private var state = State.betweenRequests
  /// The number of requests passed to Hummingbird and not answered yet. Later requests follow them, to keep the order.
  private var passed = 0
  private var waiting = CircularBuffer<Event>(initialCapacity: 0)
  private var isReadWaiting = false
  private var executor: EventLoopTasks?

  init(_ service: Service) { self.service = service }

  func handlerAdded(context: ChannelHandlerContext) { executor = EventLoopTasks(context.eventLoop) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { receive(.part(unwrapInboundIn(data)), context) }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) { receive(.user(event), context) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { receive(.error(error), context) }

  /// Reads no more while requests wait for the answer to an earlier one.
  func read(context: ChannelHandlerContext) {
    if waiting.isEmpty { context.read() } else { isReadWaiting = true }
  }

  /// The end of the connection: the handler before this one does not pass on `channelInactive`.
  func handlerRemoved(context: ChannelHandlerContext) {
    state = .ended
    waiting.removeAll()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { passed = max(passed - 1, 0) }
    context.write(data, promise: promise)
  }

  private func receive(_ event: Event, _ context: ChannelHandlerContext) {
    switch state {
    case .ended:
      break
    case .answering:
      waiting.append(event)
    case .passing:
      if case .part(.end) = event { state = .betweenRequests }
      fire(event, context)
    case .betweenRequests:
      guard case .part(.head(let head)) = event else { return fire(event, context) }
      if let arriving = admit(head, context) {
        state = .receiving(arriving)
      } else {
        passed += 1
        state = .passing
        fire(event, context)
      }
    case .receiving(var arriving):
      switch event {
      case .part(.body(var part)):
        // Not two references to the same bytes, which would copy them.
        state = .betweenRequests
        let hasRoom = arriving.reservation.grow(by: part.readableBytes)
        if arriving.body.readableBytes == 0 { arriving.body = part } else { arriving.body.writeBuffer(&part) }
        if hasRoom { state = .receiving(arriving) } else { pass(arriving, context) }
      case .part(.end):
        arriving.reservation.complete()
        answer(arriving, context)
      case .part(.head), .user, .error:
        pass(arriving, context)
        receive(event, context)
      }
    }
  }

  /// Returns the request if it is to be answered here.
  private func admit(_ head: HTTPRequest, _ context: ChannelHandlerContext) -> Arriving? {
    guard passed == 0, head.method == .post, let path = head.path?.prefix(while: { $0 != "?" }),
      service.paths.contains(String(path)), let size = head.headerFields[.contentLength].flatMap({ Int($0) }),
      size > 0, size <= service.maximumBytes, head.headerFields[.expect] == nil,
      // Hummingbird closes connections at their client's request.
      head.headerFields[.connection] == nil || head.headerFields[.connection]?.lowercased() == "keep-alive"
    else { return nil }
    let peer = IPAddress(context.channel.remoteAddress)
    let client = peer.map { service.proxies.client(behind: $0, head.headerFields[values: .forwardedFor]) }
    let owner = RequestOwner.client(client?.share ?? "")
    let channel = context.channel
    guard
      let reservation = service.gate.begin(
        declared: size, owners: [owner], abort: { channel.close(promise: nil) })
    else { return nil }
    return Arriving(head: head, began: service.wallTime(), reservation: reservation)
  }

  /// Hands what has arrived of a request over to Hummingbird.
  private func pass(_ arriving: Arriving, _ context: ChannelHandlerContext) {
    passed += 1
    state = .passing
    fire(.part(.head(arriving.head)), context)
    if arriving.body.readableBytes > 0 { fire(.part(.body(arriving.body)), context) }
  }

  private func fire(_ event: Event, _ context: ChannelHandlerContext) {
    switch event {
    case .part(let part): context.fireChannelRead(wrapInboundOut(part))
    case .user(let event): context.fireUserInboundEventTriggered(event)
    case .error(let error): context.fireErrorCaught(error)
    }
  }

  private func answer(_ arriving: Arriving, _ context: ChannelHandlerContext) {
    state = .answering
    let request = Request(head: arriving.head, body: RequestBody(buffer: arriving.body))
    let arrived = ArrivedBody(
      bytes: arriving.body, began: arriving.began, reservation: arriving.reservation)
    let (respond, channel) = (service.respond, context.channel)
    let ending = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    // An unstructured task, because a channel handler can't await it. The connection handler waits for its response when
    // the server stops.
    Task(executorPreference: executor) {
      let response = await respond(request, arrived, channel)
      let body = try? await CollectedBody.bytes(of: response.body)
      ending.value.handler.write(response, body, ending.value.context)
    }
  }

  private func write(_ response: Response, _ body: ByteBuffer?, _ context: ChannelHandlerContext) {
    guard case .answering = state else { return }
    guard let body else { return context.close(promise: nil) }
    context.write(wrapOutboundOut(.head(response.head)), promise: nil)
    if body.readableBytes > 0 { context.write(wrapOutboundOut(.body(body)), promise: nil) }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    // Ended, if the write failed.
    guard case .answering = state else { return }
    state = .betweenRequests
    continueReading(context)
  }

  /// Continues with what arrived meanwhile.
  private func continueReading(_ context: ChannelHandlerContext) {
    while let event = waiting.popFirst() {
      receive(event, context)
      if case .answering = state { return }
    }
    context.fireChannelReadComplete()
    if isReadWaiting {
      isReadWaiting = false
      context.read()
    }
  }
}

/// The body of a request that was received whole, and the room it holds in the budget.
struct ArrivedBody: Sendable {
  let bytes: ByteBuffer
  /// The time at which the head of the request arrived.
  let began: Timestamp
  let reservation: AdmissionGate.Reservation
}
