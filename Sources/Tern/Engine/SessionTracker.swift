import TernEvents

/// Decides when a session ends and another begins.
///
/// A session is renewed when the app comes to the foreground after at least `timeout` in the background and no event
/// was recorded for as long: half an hour in the foreground is one session, and so is a quick look at a message.
struct SessionTracker: Sendable {
  /// `nil`: sessions begin only when the app says so.
  var timeout: Duration?
  private(set) var current: UniqueID?
  private var isInForeground = false
  private var backgroundSince: Duration?
  private var lastEventAt: Duration?

  init(timeout: Duration?) {
    self.timeout = timeout
  }

  /// Sets the state at launch; returns true if a session begins. A launch in the background opens none.
  mutating func launched(inForeground: Bool) -> Bool {
    isInForeground = inForeground
    return inForeground && timeout != nil
  }

  mutating func enteredBackground(at now: Duration) {
    guard isInForeground || backgroundSince == nil else { return }
    isInForeground = false
    backgroundSince = now
  }

  /// Returns true if a session begins.
  mutating func entersForeground(at now: Duration) -> Bool {
    let wasInForeground = isInForeground
    isInForeground = true
    defer { backgroundSince = nil }
    guard let timeout else { return false }
    if current == nil { return true }
    guard !wasInForeground, let backgroundSince, now - backgroundSince >= timeout else { return false }
    return lastEventAt.map { now - $0 >= timeout } ?? true
  }

  mutating func recordedEvent(at now: Duration) {
    lastEventAt = now
  }

  mutating func begin(_ session: UniqueID) {
    current = session
  }

  /// Ends the session for good: recording was switched off.
  mutating func end() {
    current = nil
    lastEventAt = nil
  }

  /// Handles that recording was enabled again; returns true if a session begins.
  mutating func enabled() -> Bool {
    isInForeground && timeout != nil
  }
}
