import TernEvents

/// Decides when a running server removes rows that are no longer kept, and has old ones leave for the cluster.
///
/// Neither can be undone, so both wait until the wall clock can be trusted.
struct KeepingSchedule {
  /// The time between two removals; a changed setting is noticed within it.
  static let removalInterval: Duration = .seconds(3_600)
  /// The time until the next attempt after a first one that left rows which can't be read; it grows up to ``removalInterval``.
  static let shortestRetryTime: Duration = .seconds(300)
  /// The time between two looks for rows that may leave.
  static let retirementInterval: Duration = .seconds(86_400)

  /// Work that is due.
  enum Work: Equatable {
    case removal
    /// The time of receipt before which rows may leave.
    case retirement(before: Timestamp)
  }

  /// The time for which rows stay at home at least; `nil` if they stay for ever.
  let keepsAtHome: Duration?
  private var steady = SteadyClock()
  private var failedRemovals = 0
  private var (nextRemoval, nextRetirement) = (Duration.zero, Duration.zero)

  init(keepsAtHome: Duration?) { self.keepsAtHome = keepsAtHome }

  /// Returns the work that is due, in its order.
  ///
  /// - Parameter uptime: The time since the start.
  mutating func due(wall: Timestamp, uptime: Duration) -> [Work] {
    // Asked each time: it compares the clocks.
    guard steady.isSteady(wall: wall, uptime: uptime) else { return [] }
    var work: [Work] = []
    if uptime >= nextRemoval { work.append(.removal) }
    if let keepsAtHome, uptime >= nextRetirement { work.append(.retirement(before: wall - keepsAtHome)) }
    return work
  }

  /// - Parameter isComplete: False if some rows must still go, because they can't be read. Each attempt reads all that may have some.
  mutating func didRemove(isComplete: Bool = true, uptime: Duration) {
    failedRemovals = isComplete ? 0 : failedRemovals + 1
    let retryTime = Self.shortestRetryTime * (1 << min(max(failedRemovals - 1, 0), 10))
    nextRemoval = uptime + (isComplete ? Self.removalInterval : min(retryTime, Self.removalInterval))
  }

  /// - Parameter isComplete: False if some rows that may leave stayed, because the cluster didn't have them yet or was away.
  mutating func didRetire(isComplete: Bool, uptime: Duration) {
    nextRetirement = uptime + (isComplete ? Self.retirementInterval : Self.removalInterval)
  }
}
