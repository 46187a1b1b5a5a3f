/// Decides if a client stalls while it sends a large file: if too few bytes arrive in an interval at whose end the server is waiting
/// for more. A client isn't to blame while the server is busy and reads nothing.
struct StallDetector: Sendable, Equatable {
  /// The fewest bytes of an interval.
  let minimum: Int
  private var bytes = 0

  init(minimum: Int) { self.minimum = minimum }

  /// Records bytes of the body.
  mutating func received(_ count: Int) { bytes += count }

  /// Ends an interval and begins the next one; returns true if the client has stalled.
  ///
  /// - Parameter isWaiting: True if the server is waiting for bytes.
  mutating func intervalEnded(isWaiting: Bool) -> Bool {
    defer { bytes = 0 }
    return isWaiting && bytes < minimum
  }
}
