import TernEvents

/// Decides when sessions begin and end.
///
/// A session ends when the app has been in the background for a while, whatever it records there, or after a long time without an
/// event. The next one begins when the app is back in the foreground, or with the next event there. A quick switch to another app ends
/// none. Without the second rule, events in the background keep a session going, as App Center's do.
struct SessionTracker: Sendable {
  /// The minimum time in the background; if `nil`, only the app begins sessions.
  var timeout: Duration?
  /// The time without an event in the foreground after which a session ends; if `nil`, events in the background count as well.
  var idleTimeout: Duration?
  private(set) var current: UniqueID?
  private(set) var isInForeground = false
  private var backgroundSince: Duration?
  /// The time of the session's last event that counts.
  private var lastEventAt: Duration?

  init(_ sessions: TernClient.Configuration.Sessions) { follow(sessions) }

  mutating func follow(_ sessions: TernClient.Configuration.Sessions) {
    switch sessions {
    case .automatic(let background, let idle):
      (timeout, idleTimeout) = (max(background, .zero), idle.map { max($0, .zero) })
    case .manual: (timeout, idleTimeout) = (nil, nil)
    }
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
    return idleTimeout != nil || lastEventAt.map { now - $0 >= timeout } ?? true
  }

  /// Notes an event that is about to be recorded; returns true if a session begins before it.
  mutating func willRecord(at now: Duration) -> Bool {
    guard let timeout, let idleTimeout else {
      lastEventAt = now
      return false
    }
    guard isInForeground else {
      // Later events in the background belong to no session.
      if let backgroundSince, now - backgroundSince >= timeout { current = nil }
      return false
    }
    defer { lastEventAt = now }
    return current != nil && lastEventAt.map { now - $0 >= idleTimeout } ?? false
  }

  mutating func begin(_ session: UniqueID, at now: Duration) {
    current = session
    lastEventAt = now
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
