import TernEvents

/// Turns changes of the network into hints, promptly but at a limited rate.
///
/// A network comes back in steps (carrier, address, route), so changes are debounced. A flapping link must not turn
/// every failure into another request, so successive hints come at growing intervals until the network has been quiet
/// for a while.
struct NetworkHintThrottle: Sendable {
  /// The debounce time of a change.
  static let settlingTime: Duration = .milliseconds(100)
  /// The minimum time between the first two hints; doubled for each further one.
  static let firstInterval: Duration = .seconds(1)
  /// The maximum interval between hints while the network keeps changing. After this time without a hint, the intervals
  /// start over.
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

  /// Records that the hint was sent.
  mutating func hinted(at now: Duration) {
    isPending = false
    lastHint = now
  }
}
