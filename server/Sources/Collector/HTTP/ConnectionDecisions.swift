/// Decides how to treat the parts of requests and responses on one connection; ``ConnectionGuard`` acts accordingly.
struct ConnectionDecisions: Sendable, Equatable {
  /// The treatment of incoming bytes.
  private enum Reading: Equatable { case nothing, request(awaitsContinue: Bool), discarding }
  private var reading = Reading.nothing
  private var closesAfterAnswer = false
  /// True until the first head is complete, and while another head is incomplete.
  private var awaitsHead = true
  /// True if bytes since the last ``bytesWereRead()`` completed a part of a request.
  private var madeParts = false
  /// The number of requests without a complete response.
  private var unanswered = 0
  /// The number of the current request, so that a late deadline doesn't end the next one.
  private(set) var requestNumber = 0
  /// The number of bytes of an incomplete head.
  private var headBytes = 0

  enum HeadAction: Equatable { case passAndStartDeadline(request: Int), discard }
  enum PartAction: Equatable { case pass, discard }
  enum EndAction: Equatable { case passAndCancelDeadline, discard }
  enum AnswerAction: Equatable { case nothing, finishAndDiscard }
  enum HeadDeadlineAction: Equatable { case nothing, wait, close }
  enum ReadAction: Equatable { case nothing, startHeadDeadline, refuseHead }

  /// Records the head of a request.
  mutating func requestHead(awaitsContinue: Bool) -> HeadAction {
    madeParts = true
    guard reading != .discarding else { return .discard }
    awaitsHead = false
    reading = .request(awaitsContinue: awaitsContinue)
    requestNumber += 1
    unanswered += 1
    return .passAndStartDeadline(request: requestNumber)
  }

  /// Records a piece of a request's body.
  mutating func requestBody() -> PartAction {
    madeParts = true
    if reading == .discarding { return .discard }
    // The client did not wait for `100 Continue`, so it must not receive it now.
    reading = .request(awaitsContinue: false)
    return .pass
  }

  /// Records the end of a request.
  mutating func requestEnd() -> EndAction {
    madeParts = true
    guard reading != .discarding else { return .discard }
    reading = .nothing
    return .passAndCancelDeadline
  }

  /// Records that the decoder has seen all bytes so far.
  ///
  /// A head that begins in the same bytes as the end of the previous request is missed: the connection counts as idle,
  /// and these bytes of the head are not counted.
  mutating func bytesWereRead(_ count: Int, maximumHeadBytes: Int) -> ReadAction {
    defer { madeParts = false }
    guard !madeParts, reading == .nothing else {
      headBytes = 0
      return .nothing
    }
    // While a response is in progress, the decoder also holds back complete requests, and soon stops reading.
    if unanswered == 0 { headBytes += count }
    if headBytes > maximumHeadBytes {
      reading = .discarding
      return .refuseHead
    }
    guard !awaitsHead else { return .nothing }
    awaitsHead = true
    return .startHeadDeadline
  }

  /// Records that the handler will read the body. Returns true if the client is waiting for `100 Continue`.
  mutating func bodyWanted() -> Bool {
    guard reading == .request(awaitsContinue: true) else { return false }
    reading = .request(awaitsContinue: false)
    return true
  }

  /// Records the head of a response.
  mutating func answerHead(closes: Bool, isInformational: Bool) {
    if closes, !isInformational { closesAfterAnswer = true }
  }

  /// Records the end of a response.
  mutating func answerEnd() -> AnswerAction {
    unanswered = max(unanswered - 1, 0)
    guard closesAfterAnswer else { return .nothing }
    reading = .discarding
    return .finishAndDiscard
  }

  /// Returns true if the request is still incomplete at the deadline of its body.
  func deadlinePassed(request: Int) -> Bool {
    guard case .request = reading else { return false }
    return request == requestNumber
  }

  /// Returns the action at the deadline of a head. While a response is in progress nothing is read, so the client is
  /// not to blame.
  func headDeadlinePassed() -> HeadDeadlineAction {
    guard awaitsHead, reading == .nothing else { return .nothing }
    return unanswered > 0 ? .wait : .close
  }

  /// The phase of the connection.
  var phase: ConnectionPhase {
    if reading == .discarding { return .withoutRequest }
    if case .request = reading, unanswered <= 1 { return .receiving }
    return unanswered > 0 ? .answering : .withoutRequest
  }

  /// True if further input is discarded.
  var isDiscarding: Bool { reading == .discarding }
}
