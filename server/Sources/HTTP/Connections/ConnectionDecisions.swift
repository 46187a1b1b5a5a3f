/// Decides how to treat the parts of requests and responses on one connection; ``ConnectionGuard`` acts accordingly.
///
/// A client may send further requests before it has the responses to earlier ones, so the number of responses that are due
/// is independent of what is being received.
struct ConnectionDecisions: Sendable, Equatable {
  /// The part of a request that is being received.
  private enum Input: Equatable {
    /// Nothing since the last request.
    case betweenRequests
    /// A head, and the number of its bytes that have arrived. Its deadline is running.
    case head(bytes: Int)
    /// The body of a request.
    case body(request: Int, awaitsContinue: Bool)
    /// Something that is discarded, because the connection is about to close.
    case discarded
  }

  private var input = Input.head(bytes: 0)
  private var closesAfterAnswer = false
  /// True if bytes since the last ``bytesWereRead(_:maximumHeadBytes:)`` completed a part of a request.
  private var madeParts = false
  /// The number of requests without a complete response.
  private var unanswered = 0
  /// The number of requests so far. A request's number shows that a late deadline is not that of the next one.
  private var requests = 0

  enum HeadAction: Equatable { case passAndStartDeadline(request: Int), discard }
  enum PartAction: Equatable { case pass, discard }
  enum EndAction: Equatable { case passAndCancelDeadline, discard }
  enum AnswerAction: Equatable { case nothing, finishAndDiscard }
  enum HeadDeadlineAction: Equatable { case nothing, wait, close }
  enum ReadAction: Equatable { case nothing, startHeadDeadline, refuseHead }

  /// Records the head of a request.
  mutating func requestHead(awaitsContinue: Bool) -> HeadAction {
    madeParts = true
    guard !isDiscarding else { return .discard }
    requests += 1
    unanswered += 1
    input = .body(request: requests, awaitsContinue: awaitsContinue)
    return .passAndStartDeadline(request: requests)
  }

  /// Records a piece of a request's body.
  mutating func requestBody() -> PartAction {
    madeParts = true
    if isDiscarding { return .discard }
    // The client did not wait for `100 Continue`, so it must not receive it now.
    input = .body(request: requests, awaitsContinue: false)
    return .pass
  }

  /// Records the end of a request.
  mutating func requestEnd() -> EndAction {
    madeParts = true
    guard !isDiscarding else { return .discard }
    input = .betweenRequests
    return .passAndCancelDeadline
  }

  /// Records that the decoder has seen all bytes so far.
  ///
  /// A head that begins in the same bytes as the end of the previous request is missed: the connection counts as idle,
  /// and these bytes of the head are not counted.
  mutating func bytesWereRead(_ count: Int, maximumHeadBytes: Int) -> ReadAction {
    defer { madeParts = false }
    guard !madeParts else { return .nothing }
    let known: Int
    switch input {
    case .betweenRequests: known = 0
    case .head(let bytes): known = bytes
    case .body, .discarded: return .nothing
    }
    // While a response is in progress, the decoder also holds back complete requests, and soon stops reading.
    let bytes = known + (unanswered == 0 ? count : 0)
    guard bytes <= maximumHeadBytes else {
      input = .discarded
      return .refuseHead
    }
    defer { input = .head(bytes: bytes) }
    return input == .betweenRequests ? .startHeadDeadline : .nothing
  }

  /// Records that the handler will read the body. Returns true if the client is waiting for `100 Continue`.
  mutating func bodyWanted() -> Bool {
    guard case .body(let request, awaitsContinue: true) = input else { return false }
    input = .body(request: request, awaitsContinue: false)
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
    input = .discarded
    return .finishAndDiscard
  }

  /// Returns true if the request is still incomplete, as at the deadline of its body.
  func deadlinePassed(request: Int) -> Bool {
    if case .body(request, _) = input { true } else { false }
  }

  /// Returns the action at the deadline of a head. While a response is in progress nothing is read, so the client is
  /// not to blame.
  func headDeadlinePassed() -> HeadDeadlineAction {
    guard case .head = input else { return .nothing }
    return unanswered > 0 ? .wait : .close
  }

  var phase: ConnectionPhase {
    switch input {
    case .discarded: .withoutRequest
    case .body where unanswered <= 1: .receiving
    case .body, .head, .betweenRequests: unanswered > 0 ? .answering : .withoutRequest
    }
  }

  /// True if further input is discarded.
  var isDiscarding: Bool { input == .discarded }
}
