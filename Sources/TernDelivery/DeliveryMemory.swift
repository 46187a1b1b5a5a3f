/// The state of a machine that outlives its process.
package struct DeliveryMemory: Sendable, Equatable {
  /// The uptime at which the server's `Retry-After` ends.
  package var retryAfterDeadline: Duration?
  /// The maximum bytes of a batch, if the server found one too large.
  package var bytesLimit: Int?
  /// The uptime at which the limit was set; negative if before the boot.
  package var limitedSince: Duration?
  /// True if the next process starts with an open circuit: attempts failed or are in flight, and none has succeeded.
  package var isCircuitOpen: Bool
  /// The failed attempts since the server last responded.
  package var failedAttempts: FailedAttempts

  /// The time after which a lowered limit expires.
  package static let limitLifetime = Duration.seconds(7 * 86_400)

  /// Creates a memory; the defaults are those of a new machine.
  package init(
    retryAfterDeadline: Duration? = nil, bytesLimit: Int? = nil, limitedSince: Duration? = nil,
    isCircuitOpen: Bool = false, failedAttempts: FailedAttempts = FailedAttempts()
  ) {
    self.retryAfterDeadline = retryAfterDeadline
    self.bytesLimit = bytesLimit
    self.limitedSince = limitedSince
    self.isCircuitOpen = isCircuitOpen
    self.failedAttempts = failedAttempts
  }
}

extension DeliveryMachine {
  /// The current memory.
  func memory(now: Duration) -> DeliveryMemory {
    DeliveryMemory(
      retryAfterDeadline: retryAfterDeadline.flatMap { $0 > now ? $0 : nil },
      bytesLimit: loweredLimit?.bytes, limitedSince: loweredLimit?.since,
      isCircuitOpen: opensCircuitAtNextLaunch, failedAttempts: failedAttempts)
  }
}
