import TernEvents

/// Decides when a change of the network becomes a hint: soon, but not for each of many.
///
/// A network that comes back does so in steps (carrier, address, route), so a change waits for the others of its kind.
/// A flapping link must not turn every failure into another request: hints that follow each other come at growing
/// intervals, until the network has been quiet for a while.
struct NetworkHintThrottle: Sendable {
  /// The time that a change waits for those that follow it.
  static let settlingTime: Duration = .milliseconds(100)
  /// The least time between the first two of several hints; doubled for each further one.
  static let firstInterval: Duration = .seconds(1)
  /// The longest time between two hints while the network changes all the time; after as long without one, the
  /// intervals begin anew.
  static let longestInterval: Duration = .seconds(60)

  private var interval = firstInterval
  private var lastHint: Duration?
  private var isPending = false

  /// Records a change; returns the uptime of its hint, or `nil` if a pending hint covers it.
  mutating func changed(at now: Duration) -> Duration? {
    guard !isPending else { return nil }
    isPending = true
    let settled = now + Self.settlingTime
    guard let lastHint, now - lastHint < Self.longestInterval else {
      interval = Self.firstInterval
      return settled
    }
    defer { interval = min(interval * 2, Self.longestInterval) }
    return max(settled, lastHint + interval)
  }

  /// Records that the hint was given.
  mutating func hinted(at now: Duration) {
    isPending = false
    lastHint = now
  }
}
