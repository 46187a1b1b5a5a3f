package import TernEvents

/// Decides when a message that could not be delivered is sent again.
package enum DeliverySchedule {
  /// The time after which a message is given up.
  package static let patience: Duration = .seconds(86_400)
  private static let first: Duration = .seconds(60)
  private static let longest: Duration = .seconds(3_600)

  /// Returns the time of the next attempt; `nil` if the message is given up.
  ///
  /// - Parameters:
  ///   - failures: The attempts that have failed, at least one.
  ///   - created: The time of the message.
  package static func next(
    after failures: Int, created: Timestamp, now: Timestamp, using generator: inout some RandomNumberGenerator
  ) -> Timestamp? {
    // 2^6 minutes are more than the longest pause.
    let pause = min(first * (1 << min(max(failures - 1, 0), 6)), longest)
    // Spreads out messages that failed together.
    let next = now + pause * Double.random(in: 0.75...1, using: &generator)
    // A message may be from the future if the clock was set back: its age counts from now on, and is never negative.
    let age = next.since(min(created, now))
    return age <= patience ? next : nil
  }
}
