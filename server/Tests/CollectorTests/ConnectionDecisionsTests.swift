import Testing

@testable import Collector

/// What happens to the parts of requests and answers on one connection.
@Suite struct ConnectionDecisionsTests {
  @Test func `a request runs against its deadline until it is complete`() {
    var decisions = ConnectionDecisions()
    #expect(decisions.requestHead(awaitsContinue: false) == .passAndStartDeadline(request: 1))
    #expect(decisions.deadlinePassed(request: 1))
    #expect(decisions.requestBody() == .pass)
    #expect(decisions.deadlinePassed(request: 1))
    #expect(decisions.requestEnd() == .passAndCancelDeadline)
    #expect(!decisions.deadlinePassed(request: 1))
    #expect(decisions.requestHead(awaitsContinue: false) == .passAndStartDeadline(request: 2))
    #expect(!decisions.deadlinePassed(request: 1), "a late deadline does not hit the next request")
  }

  @Test func `only a client that waits is invited, and once`() {
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

  @Test func `after an answer that closes, everything is thrown away`() {
    var decisions = ConnectionDecisions()
    _ = decisions.requestHead(awaitsContinue: false)
    decisions.answerHead(closes: true, isInformational: true)
    #expect(decisions.answerEnd() == .nothing, "an invitation is not an answer")
    decisions.answerHead(closes: true, isInformational: false)
    #expect(decisions.answerEnd() == .finishAndDiscard)
    #expect(decisions.requestBody() == .discard)
    #expect(decisions.requestEnd() == .discard)
    #expect(decisions.requestHead(awaitsContinue: false) == .discard)
    #expect(!decisions.deadlinePassed(request: 1))
  }

  @Test func `an answer that does not close leaves the connection open`() {
    var decisions = ConnectionDecisions()
    _ = decisions.requestHead(awaitsContinue: false)
    decisions.answerHead(closes: false, isInformational: false)
    #expect(decisions.answerEnd() == .nothing)
    #expect(decisions.requestBody() == .pass)
  }

  @Test func `the beginning of a head is told from a body, a whole request and nothing`() {
    var decisions = ConnectionDecisions()
    #expect(decisions.phase == .withoutRequest)
    #expect(decisions.headDeadlinePassed() == .close, "nothing has come")
    #expect(decisions.bytesWereRead() == false, "the first head's deadline runs already")
    _ = decisions.requestHead(awaitsContinue: false)
    #expect(decisions.bytesWereRead() == false)
    #expect(decisions.phase == .receiving)
    #expect(decisions.headDeadlinePassed() == .nothing)
    #expect(decisions.bytesWereRead() == false, "a piece of a chunk is no head")
    _ = decisions.requestEnd()
    #expect(decisions.bytesWereRead() == false)
    #expect(decisions.phase == .answering)
    _ = decisions.answerEnd()
    #expect(decisions.phase == .withoutRequest)
    #expect(decisions.headDeadlinePassed() == .nothing)
    #expect(decisions.bytesWereRead() == true)
    #expect(decisions.phase == .withoutRequest)
    #expect(decisions.bytesWereRead() == false, "once")
    #expect(decisions.headDeadlinePassed() == .close)
  }

  @Test func `a head that begins during an answer is not held against the client`() {
    var decisions = ConnectionDecisions()
    _ = decisions.requestHead(awaitsContinue: false)
    _ = decisions.requestEnd()
    _ = decisions.bytesWereRead()
    #expect(decisions.bytesWereRead() == true)
    #expect(decisions.phase == .answering)
    #expect(decisions.headDeadlinePassed() == .wait)
    _ = decisions.requestHead(awaitsContinue: false)
    #expect(decisions.phase == .answering, "a body behind a request that is being answered")
    _ = decisions.answerEnd()
    #expect(decisions.phase == .receiving)
    _ = decisions.requestEnd()
    _ = decisions.answerEnd()
    #expect(decisions.phase == .withoutRequest)
  }
}
