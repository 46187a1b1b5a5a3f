import TernEvents

/// Decides when sessions begin and end.
///
/// A new session begins when the app enters the foreground after at least `timeout` in the background without an event.
/// Half an hour in the foreground is one session, and a quick switch to another app does not end it.
struct SessionTracker: Sendable {
  /// The minimum time in the background; if `nil`, only the app begins sessions.
  var timeout: Duration?
  private(set) var current: UniqueID?
  private var isInForeground = false
  private var backgroundSince: Duration?
  private var lastEventAt: Duration?

  init(timeout: Duration?) {
    self.timeout = timeout
  }

  /// Sets the state at launch; returns true if a session begins. A launch in the background begins none.
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

  /// Ends the session because recording was disabled.
  mutating func end() {
    current = nil
    lastEventAt = nil
  }

  /// Returns true if a session begins now that recording has been enabled again.
  mutating func enabled() -> Bool {
    isInForeground && timeout != nil
  }
}
