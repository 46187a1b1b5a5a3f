/// What to do with the parts of requests and answers on one connection; decides only, ``ConnectionGuard`` acts.
struct ConnectionDecisions: Sendable, Equatable {
  /// What the connection is doing with incoming bytes.
  private enum Reading: Equatable { case nothing, request(awaitsContinue: Bool), discarding }
  private var reading = Reading.nothing
  private var closesAfterAnswer = false
  /// Counts requests, so that a deadline that comes late does not hit the request after its own.
  private(set) var requestNumber = 0

  enum HeadAction: Equatable { case passAndStartDeadline(request: Int), discard }
  enum PartAction: Equatable { case pass, discard }
  enum EndAction: Equatable { case passAndCancelDeadline, discard }
  enum AnswerAction: Equatable { case nothing, finishAndDiscard }

  /// A request's head came in.
  mutating func requestHead(awaitsContinue: Bool) -> HeadAction {
    guard reading != .discarding else { return .discard }
    reading = .request(awaitsContinue: awaitsContinue)
    requestNumber += 1
    return .passAndStartDeadline(request: requestNumber)
  }

  /// A piece of a request's body came in.
  mutating func requestBody() -> PartAction {
    if reading == .discarding { return .discard }
    // The client did not wait for the invitation, so it must not get one any more.
    reading = .request(awaitsContinue: false)
    return .pass
  }

  /// A request is complete.
  mutating func requestEnd() -> EndAction {
    guard reading != .discarding else { return .discard }
    reading = .nothing
    return .passAndCancelDeadline
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
    guard closesAfterAnswer else { return .nothing }
    reading = .discarding
    return .finishAndDiscard
  }

  /// A body's deadline has passed; `true` when it is still not complete.
  func deadlinePassed(request: Int) -> Bool {
    guard case .request = reading else { return false }
    return request == requestNumber
  }

  /// Whether what still comes in is thrown away.
  var isDiscarding: Bool { reading == .discarding }
}
