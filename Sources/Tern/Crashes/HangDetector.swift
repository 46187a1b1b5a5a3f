/// Decides from the answers of the main thread whether it hangs.
///
/// A hang begins when a ping has had no answer for the limit, and ends with the answer.
struct HangDetector: Sendable {
  enum Input: Sendable, Hashable {
    /// The time between two checks is over.
    case tick
    /// The main thread has answered the ping.
    case answered
  }

  enum Action: Sendable, Hashable {
    /// Ask the main thread for an answer.
    case ping
    /// A hang began.
    case begin
    /// The hang ended after this time.
    case end(Duration)
  }

  private enum State {
    case idle
    case waiting(since: Duration)
    case hanging(since: Duration)
  }

  /// The time between two checks.
  static let interval = Duration.milliseconds(500)
  /// The time without an answer after which the main thread hangs.
  static let limit = Duration.seconds(2)

  private var state = State.idle
  /// False until the first answer: a process whose main thread runs no loop doesn't hang.
  private var isResponsive = false
  private var lastTick: Duration?

  /// Handles an input at an uptime.
  mutating func handle(_ input: Input, at now: Duration) -> Action? {
    switch (input, state) {
    case (.tick, .idle):
      lastTick = now
      state = .waiting(since: now)
      return .ping
    case (.tick, .waiting(let since)):
      defer { lastTick = now }
      // After the process or device was suspended, start the wait again.
      if let lastTick, now - lastTick > Self.interval * 4 {
        state = .waiting(since: now)
        return nil
      }
      guard isResponsive, now - since >= Self.limit else { return nil }
      state = .hanging(since: since)
      return .begin
    case (.tick, .hanging):
      lastTick = now
      return nil
    case (.answered, .hanging(let since)):
      state = .idle
      return .end(now - since)
    case (.answered, _):
      isResponsive = true
      state = .idle
      return nil
    }
  }
}
