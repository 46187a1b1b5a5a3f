/// What to do with the parts of requests and answers on one connection; decides only, ``ConnectionGuard`` acts.
struct ConnectionDecisions: Sendable, Equatable {
  /// What the connection is doing with incoming bytes.
  private enum Reading: Equatable { case nothing, request(awaitsContinue: Bool), discarding }
  private var reading = Reading.nothing
  private var closesAfterAnswer = false
  /// Whether the first head has not come yet, or a part of another has.
  private var awaitsHead = true
  /// Whether bytes made a part of a request since ``bytesWereRead()`` was called.
  private var madeParts = false
  /// Requests whose answer is not complete.
  private var unanswered = 0
  /// Counts requests, so that a deadline that comes late does not hit the request after its own.
  private(set) var requestNumber = 0

  enum HeadAction: Equatable { case passAndStartDeadline(request: Int), discard }
  enum PartAction: Equatable { case pass, discard }
  enum EndAction: Equatable { case passAndCancelDeadline, discard }
  enum AnswerAction: Equatable { case nothing, finishAndDiscard }
  enum HeadDeadlineAction: Equatable { case nothing, wait, close }

  /// A request's head came in.
  mutating func requestHead(awaitsContinue: Bool) -> HeadAction {
    madeParts = true
    guard reading != .discarding else { return .discard }
    awaitsHead = false
    reading = .request(awaitsContinue: awaitsContinue)
    requestNumber += 1
    unanswered += 1
    return .passAndStartDeadline(request: requestNumber)
  }

  /// A piece of a request's body came in.
  mutating func requestBody() -> PartAction {
    madeParts = true
    if reading == .discarding { return .discard }
    // The client did not wait for the invitation, so it must not get one any more.
    reading = .request(awaitsContinue: false)
    return .pass
  }

  /// A request is complete.
  mutating func requestEnd() -> EndAction {
    madeParts = true
    guard reading != .discarding else { return .discard }
    reading = .nothing
    return .passAndCancelDeadline
  }

  /// The decoder has seen all bytes so far; `true` when they are the beginning of a head, for which a deadline starts.
  ///
  /// A beginning in the same bytes as the end of the request before is not noticed: such a connection counts as idle.
  mutating func bytesWereRead() -> Bool {
    defer { madeParts = false }
    guard !madeParts, !awaitsHead, reading == .nothing else { return false }
    awaitsHead = true
    return true
  }

  /// The handler wants the body; `true` when the client has to be invited to send it.
  mutating func bodyWanted() -> Bool {
    guard reading == .request(awaitsContinue: true) else { return false }
    reading = .request(awaitsContinue: false)
    return true
  }

  /// An answer's head goes out.
  mutating func answerHead(closes: Bool, isInformational: Bool) {
    if closes, !isInformational { closesAfterAnswer = true }
  }

  /// An answer is complete.
  mutating func answerEnd() -> AnswerAction {
    unanswered = max(unanswered - 1, 0)
    guard closesAfterAnswer else { return .nothing }
    reading = .discarding
    return .finishAndDiscard
  }

  /// A body's deadline has passed; `true` when it is still not complete.
  func deadlinePassed(request: Int) -> Bool {
    guard case .request = reading else { return false }
    return request == requestNumber
  }

  /// A head's deadline has passed. While an answer is under way no bytes may be read, which is not the client's doing.
  func headDeadlinePassed() -> HeadDeadlineAction {
    guard awaitsHead, reading == .nothing else { return .nothing }
    return unanswered > 0 ? .wait : .close
  }

  /// What the connection is doing.
  var phase: ConnectionPhase {
    if reading == .discarding { return .withoutRequest }
    if case .request = reading, unanswered <= 1 { return .receiving }
    return unanswered > 0 ? .answering : .withoutRequest
  }

  /// Whether what still comes in is thrown away.
  var isDiscarding: Bool { reading == .discarding }
}
