import TernBase
import TernDelivery
import TernEvents

/// What the delivery machine asked to remember, as the file says it: durations and wall times, since an uptime means
/// nothing after the next boot.
struct StoredMemory: Codable, Equatable, Sendable {
  /// The time of writing, in milliseconds since 1970 by the device's clock.
  var time: Int64
  /// The time of writing, in milliseconds since the boot `boot`.
  var uptime: Int64
  var boot: String?
  /// The remaining wait that the server asked for, in milliseconds.
  var retryAfterRemaining: Int64?
  var bytesLimit: Int?
  /// The age of the limit at the time of writing, in milliseconds.
  var limitAge: Int64?
  var isCircuitOpen: Bool
  /// Sent since the collector last answered.
  var failedHealthProbes: Int?
  var failedTrials: Int?
  var failedEvents: Int?
}

extension StoredMemory {
  init(_ memory: DeliveryMemory, wallTime: Timestamp, uptime: Duration, boot: String?) {
    time = wallTime.millisecondsSince1970
    self.uptime = uptime.wholeMilliseconds
    self.boot = boot
    retryAfterRemaining = memory.retryAfterDeadline.map { ($0 - uptime).wholeMilliseconds }
    bytesLimit = memory.bytesLimit
    limitAge = memory.limitedSince.map { (uptime - $0).wholeMilliseconds }
    isCircuitOpen = memory.isCircuitOpen
    failedHealthProbes = memory.failedAttempts.healthProbes
    failedTrials = memory.failedAttempts.trials
    failedEvents = memory.failedAttempts.events
  }

  /// The memory as of now.
  ///
  /// Within one boot the uptime says how long ago it was. Otherwise the wall clock does; one that went back means that
  /// the elapsed time is unknown, and the wait begins anew, bounded by `longestWait`.
  func memory(wallTime: Timestamp, uptime now: Duration, boot currentBoot: String?, longestWait: Duration)
    -> DeliveryMemory
  {
    let uptimeThen = Duration.milliseconds(uptime)
    let elapsed: Duration =
      if boot != nil, boot == currentBoot, now >= uptimeThen {
        now - uptimeThen
      } else {
        .milliseconds(max(wallTime.millisecondsSince1970.subtractingReportingOverflow(time).partialValue, 0))
      }
    let wait = retryAfterRemaining.map { min(.milliseconds($0) - elapsed, longestWait) }
    let age = min(max(.milliseconds(limitAge ?? 0), .zero), DeliveryMemory.limitLifetime) + elapsed
    let isLimited = bytesLimit != nil && age < DeliveryMemory.limitLifetime
    return DeliveryMemory(
      retryAfterDeadline: wait.flatMap { $0 > .zero ? now + $0 : nil },
      bytesLimit: isLimited ? bytesLimit : nil, limitedSince: isLimited ? now - age : nil, isCircuitOpen: isCircuitOpen,
      failedAttempts: FailedAttempts(
        healthProbes: failedHealthProbes ?? 0, trials: failedTrials ?? 0, events: failedEvents ?? 0))
  }
}

extension Engine {
  /// The memory of the previous process.
  func deliveryMemory() -> DeliveryMemory {
    guard let stored = files.withLock({ $0.loadMemory() }) else { return DeliveryMemory() }
    let memory = memory(of: stored)
    // Written with a clock that was ahead: from now on the present one counts, or the wait would begin anew each time.
    if stored.time > environment.clock.wallTime.millisecondsSince1970 { remember(memory) }
    return memory
  }

  private func memory(of stored: StoredMemory) -> DeliveryMemory {
    let clock = environment.clock
    return stored.memory(
      wallTime: clock.wallTime, uptime: clock.uptime, boot: environment.boot,
      longestWait: RetryRules.maximumRetryAfter)
  }

  /// Writes down what the next process shall know; best effort, since it saves requests and no events.
  func remember(_ memory: DeliveryMemory) {
    files.withLock { files in
      var memory = memory
      // Another process of the app writes the same file. A wait that the server asked it for ends by time alone, as
      // ours does, so the later one counts; who is last about the rest costs a question or a smaller batch at most.
      if let other = files.loadMemory().flatMap({ self.memory(of: $0).retryAfterDeadline }) {
        memory.retryAfterDeadline = max(memory.retryAfterDeadline ?? .zero, other)
      }
      let clock = environment.clock
      let stored = StoredMemory(memory, wallTime: clock.wallTime, uptime: clock.uptime, boot: environment.boot)
      files.save(memory == DeliveryMemory() ? nil : stored)
    }
  }
}
