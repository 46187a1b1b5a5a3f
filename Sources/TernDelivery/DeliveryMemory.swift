/// The state of a machine that outlasts its process.
package struct DeliveryMemory: Sendable, Equatable {
  /// The uptime until which the server asked to wait.
  package var retryAfterDeadline: Duration?
  /// The largest batch that the server takes, in bytes, where it found one too large.
  package var bytesLimit: Int?
  /// The uptime at which the limit was found; negative if that was before the boot.
  package var limitedSince: Duration?
  /// The next process begins with an open circuit: attempts failed or are in flight, and none has succeeded since.
  package var isCircuitOpen: Bool
  /// The attempts that failed since then.
  package var failedAttempts: FailedAttempts

  /// A lowered limit expires after this long.
  package static let limitLifetime = Duration.seconds(7 * 86_400)

  /// Creates a memory; without arguments that of a new machine.
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
  /// The memory worth keeping now.
  func memory(now: Duration) -> DeliveryMemory {
    let isLimited = bytesLimit < policy.batchBytes
    return DeliveryMemory(
      retryAfterDeadline: retryAfterDeadline.flatMap { $0 > now ? $0 : nil },
      bytesLimit: isLimited ? bytesLimit : nil, limitedSince: isLimited ? limitedSince : nil,
      isCircuitOpen: opensCircuitAtNextLaunch, failedAttempts: failedAttempts)
  }
}
