import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import HTTP

/// Tests how the parts of requests and responses on one connection are handled.
@Suite struct ConnectionDecisionsTests {
  @Test func `a request's deadline applies until it is complete`() {
    var decisions = ConnectionDecisions()
    #expect(decisions.requestHead(awaitsContinue: false) == .passAndStartDeadline(request: 1))
    #expect(decisions.deadlinePassed(request: 1))
    #expect(decisions.requestBody() == .pass)
    #expect(decisions.deadlinePassed(request: 1))
    #expect(decisions.requestEnd() == .passAndCancelDeadline)
    #expect(!decisions.deadlinePassed(request: 1))
    #expect(decisions.requestHead(awaitsContinue: false) == .passAndStartDeadline(request: 2))
    #expect(!decisions.deadlinePassed(request: 1), "a late deadline does not affect the next request")
  }

  @Test func `a client stalls if it sends too little while the server waits for it`() {
    var progress = StallDetector(minimum: 100)
    progress.received(60)
    progress.received(40)
    #expect(progress.intervalEnded(isWaiting: true) == false, "enough")
    progress.received(99)
    #expect(progress.intervalEnded(isWaiting: false) == false, "the server was busy")
    progress.received(99)
    #expect(progress.intervalEnded(isWaiting: true) == true, "each interval has bytes of its own")
  }

  @Test(arguments: [(1, true, false), (1_024, true, true), (1, false, true)])
  func `a large file must progress while it is received`(bytes: Int, isAwaited: Bool, isOpen: Bool) throws {
    let channel = EmbeddedChannel()
    let limits = CollectorLimits()
    let registry = ConnectionRegistry(maximum: 10, maximumPerClient: 10)
    try channel.pipeline.syncOperations.addHandler(ConnectionGuard(limits, registry: registry))
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    let head = HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/")
    try channel.writeInbound(HTTPRequestPart.head(head))
    try channel.triggerUserOutboundEvent(ConnectionGuard.BodyWanted(deadline: .seconds(3_600))).wait()
    for _ in 0..<3 where channel.isActive {
      try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: bytes)))
      if isAwaited { channel.read() }
      channel.embeddedEventLoop.advanceTime(by: .seconds(61))
    }
    #expect(channel.isActive == isOpen)
    _ = try? channel.finish(acceptAlreadyClosed: true)
  }

  @Test func `only a client that waits for 100 Continue gets it, once`() {
    var decisions = ConnectionDecisions()
    _ = decisions.requestHead(awaitsContinue: true)
    #expect(decisions.bodyWanted() == true)
    #expect(decisions.bodyWanted() == false)
    _ = decisions.requestEnd()
    _ = decisions.requestHead(awaitsContinue: false)
    #expect(decisions.bodyWanted() == false)
    _ = decisions.requestEnd()
    _ = decisions.requestHead(awaitsContinue: true)
    _ = decisions.requestBody()
    #expect(decisions.bodyWanted() == false, "it did not wait")
  }

  @Test func `everything after a closing response is discarded`() {
    var decisions = ConnectionDecisions()
    _ = decisions.requestHead(awaitsContinue: false)
    decisions.answerHead(closes: true, isInformational: true)
    #expect(decisions.answerEnd() == .nothing, "100 Continue is not a response")
    decisions.answerHead(closes: true, isInformational: false)
    #expect(decisions.answerEnd() == .finishAndDiscard)
    #expect(decisions.requestBody() == .discard)
    #expect(decisions.requestEnd() == .discard)
    #expect(decisions.requestHead(awaitsContinue: false) == .discard)
    #expect(!decisions.deadlinePassed(request: 1))
  }

  @Test func `a response that does not close leaves the connection open`() {
    var decisions = ConnectionDecisions()
    _ = decisions.requestHead(awaitsContinue: false)
    decisions.answerHead(closes: false, isInformational: false)
    #expect(decisions.answerEnd() == .nothing)
    #expect(decisions.requestBody() == .pass)
  }

  @Test func `the start of a head is distinguished from a body, a whole request and silence`() {
    var decisions = ConnectionDecisions()
    #expect(decisions.phase == .withoutRequest)
    #expect(decisions.headDeadlinePassed() == .close, "nothing has arrived")
    #expect(
      decisions.bytesWereRead(10, maximumHeadBytes: 100) == .nothing, "the first head's deadline is already running")
    _ = decisions.requestHead(awaitsContinue: false)
    #expect(decisions.bytesWereRead(10, maximumHeadBytes: 100) == .nothing)
    #expect(decisions.phase == .receiving)
    #expect(decisions.headDeadlinePassed() == .nothing)
    #expect(decisions.bytesWereRead(10, maximumHeadBytes: 100) == .nothing, "part of a chunk is not a head")
    _ = decisions.requestEnd()
    #expect(decisions.bytesWereRead(10, maximumHeadBytes: 100) == .nothing)
    #expect(decisions.phase == .answering)
    _ = decisions.answerEnd()
    #expect(decisions.phase == .withoutRequest)
    #expect(decisions.headDeadlinePassed() == .nothing)
    #expect(decisions.bytesWereRead(10, maximumHeadBytes: 100) == .startHeadDeadline)
    #expect(decisions.phase == .withoutRequest)
    #expect(decisions.bytesWereRead(10, maximumHeadBytes: 100) == .nothing, "once")
    #expect(decisions.headDeadlinePassed() == .close)
  }

  @Test func `a head that starts during a response does not count against the client`() {
    var decisions = ConnectionDecisions()
    _ = decisions.requestHead(awaitsContinue: false)
    _ = decisions.requestEnd()
    _ = decisions.bytesWereRead(10, maximumHeadBytes: 100)
    #expect(decisions.bytesWereRead(10, maximumHeadBytes: 100) == .startHeadDeadline)
    #expect(decisions.phase == .answering)
    #expect(decisions.headDeadlinePassed() == .wait)
    _ = decisions.requestHead(awaitsContinue: false)
    #expect(decisions.phase == .answering, "a body after a request that is being answered")
    _ = decisions.answerEnd()
    #expect(decisions.phase == .receiving)
    _ = decisions.requestEnd()
    _ = decisions.answerEnd()
    #expect(decisions.phase == .withoutRequest)
  }

  @Test func `a head that is too large is refused, also the second one, but not a body or bytes during a response`() {
    var decisions = ConnectionDecisions()
    func read(_ count: Int) -> ConnectionDecisions.ReadAction {
      decisions.bytesWereRead(count, maximumHeadBytes: 100)
    }
    #expect(read(100) == .nothing, "the first head's deadline is already running")
    _ = decisions.requestHead(awaitsContinue: false)
    #expect(read(1_000) == .nothing, "the end of the head and a part of the body")
    #expect(read(1_000) == .nothing, "a body")
    _ = decisions.requestEnd()
    #expect(read(1_000) == .nothing, "the end of a body")
    #expect(read(1_000) == .startHeadDeadline, "bytes during a response")
    #expect(read(1_000) == .nothing, "bytes during a response")
    _ = decisions.requestHead(awaitsContinue: false)
    _ = decisions.requestEnd()
    _ = decisions.answerEnd()
    _ = decisions.answerEnd()
    #expect(read(0) == .nothing)
    #expect(read(60) == .startHeadDeadline)
    #expect(read(41) == .refuseHead)
    #expect(decisions.isDiscarding)
  }
}
