/// Measures whether something happens more often than a limit: what happened fills the bucket, and time drains it.
///
/// The bucket takes more than it holds once, because the size of a request is known only after it was read. Then it is full
/// until the excess has drained.
struct LeakyBucket: Sendable, Hashable {
  /// The level, in units that happened.
  private var level = 0.0
  private var updated: Duration

  /// Creates an empty bucket.
  init(now: Duration) { updated = now }

  /// Adds to the bucket.
  ///
  /// - Parameter rate: The units that drain per second.
  mutating func add(_ amount: Int, rate: Double, now: Duration) {
    level = level(rate: rate, now: now) + Double(max(amount, 0))
    updated = max(updated, now)
  }

  /// Returns the time until there is room again; `nil` if there is room.
  ///
  /// - Parameters:
  ///   - rate: The units that drain per second, above 0.
  ///   - capacity: The units that the bucket holds.
  func wait(rate: Double, capacity: Double, now: Duration) -> Duration? {
    let excess = level(rate: rate, now: now) - capacity
    guard excess >= 0 else { return nil }
    return .seconds(min(excess / rate, 86_400))
  }

  /// Returns true if everything has drained.
  func isEmpty(rate: Double, now: Duration) -> Bool { level(rate: rate, now: now) <= 0 }

  private func level(rate: Double, now: Duration) -> Double {
    max(0, level - rate * max(0, (now - updated) / .seconds(1)))
  }
}
