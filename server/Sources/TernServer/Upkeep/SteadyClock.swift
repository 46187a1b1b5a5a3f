import TernEvents

/// Decides when the wall clock is reliable enough for steps that cannot be undone.
///
/// A machine's clock may be wrong until it is synchronized after a start, and may jump when a suspended machine
/// resumes. Sealing a day by such a clock would lose hits that arrive in time. The clock is trusted once it has
/// advanced in step with the uptime for a while.
struct SteadyClock {
  /// The time for which the wall clock must advance without a jump.
  static let probation: Duration = .seconds(600)
  /// The maximum correction during that time.
  static let tolerance: Duration = .seconds(5)

  private var start: (wall: Timestamp, uptime: Duration)?

  /// Records both clocks; returns true if the wall clock can be trusted.
  mutating func isSteady(wall: Timestamp, uptime: Duration) -> Bool {
    guard let start, (wall.since(start.wall) - (uptime - start.uptime)).magnitude <= Self.tolerance else {
      start = (wall, uptime)
      return false
    }
    return uptime - start.uptime >= Self.probation
  }
}

extension Duration {
  fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
