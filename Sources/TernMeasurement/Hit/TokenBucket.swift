import TernBase
import TernEvents

/// The rate limit of hits: a burst of sixty, then one every two seconds.
package struct TokenBucket: Sendable {
  /// The maximum burst of hits.
  package static let capacity = 60
  /// The time that earns one token.
  package static let refill: Duration = .seconds(2)

  private var tokens = TokenBucket.capacity
  private var since: Duration
  /// True if the last hit was refused, so that each overflow is logged once.
  package private(set) var isOverflowing = false

  /// Creates a full bucket.
  package init(now: Duration) { since = now }

  /// Takes a token; returns false if there is none.
  package mutating func take(at now: Duration) -> Bool {
    let earned = max(now - since, .zero).wholeMilliseconds / Self.refill.wholeMilliseconds
    since += .milliseconds(earned * Self.refill.wholeMilliseconds)
    tokens = Int(min(Int64(tokens) + earned, Int64(Self.capacity)))
    // A full bucket earns nothing.
    if tokens == Self.capacity { since = now }
    isOverflowing = tokens == 0
    if tokens > 0 { tokens -= 1 }
    return !isOverflowing
  }
}
