import TernEvents

/// Tells whether the wall clock can be trusted with what cannot be taken back.
///
/// A machine's clock may be wrong when it starts, until it has asked the network, and jump when a paused one goes on.
/// Sealing a day by such a clock would shut out hits that come in time. The clock is believed when it has gone as the
/// uptime does for a while.
struct SteadyClock {
  /// How long the wall clock must have gone without a jump.
  static let probation: Duration = .seconds(600)
  /// What it may be corrected by meanwhile.
  static let tolerance: Duration = .seconds(5)

  private var start: (wall: Timestamp, uptime: Duration)?

  /// Takes in what both clocks show; says whether the wall clock is to be believed.
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
