package import TernEvents

/// The clocks of a running server, and its way to wait.
package struct Clocks: Sendable {
  package var wallTime: @Sendable () -> Timestamp
  /// Returns the time since a fixed moment; it never goes back.
  package var uptime: @Sendable () -> Duration
  package var sleep: @Sendable (Duration) async throws -> Void

  /// Creates clocks, by default those of the system.
  package init(
    wallTime: @escaping @Sendable () -> Timestamp = WallClock.system,
    uptime: @escaping @Sendable () -> Duration = Clocks.systemUptime,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    (self.wallTime, self.uptime, self.sleep) = (wallTime, uptime, sleep)
  }

  private static let started = ContinuousClock.now

  /// The approximate time since the process started.
  package static let systemUptime: @Sendable () -> Duration = { ContinuousClock.now - started }
}
