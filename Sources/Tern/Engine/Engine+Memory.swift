import TernBase
import TernDelivery
import TernEvents

/// The file format of the delivery memory: durations and wall times, since uptimes are meaningless after a reboot.
struct StoredMemory: Codable, Equatable, Sendable {
  /// The time of writing, in milliseconds since 1970 by the device's clock.
  var time: Int64
  /// The time of writing, in milliseconds since the boot identified by `boot`.
  var uptime: Int64
  var boot: String?
  /// The remaining `Retry-After`, in milliseconds.
  var retryAfterRemaining: Int64?
  var bytesLimit: Int?
  /// The age of `bytesLimit` at the time of writing, in milliseconds.
  var limitAge: Int64?
  var isCircuitOpen: Bool
  /// The failed attempts since the collector last answered.
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

  /// Converts the stored values to the current uptime.
  ///
  /// Within one boot, the uptime gives the time elapsed since writing; otherwise the wall clock does. If the wall clock
  /// went back, the elapsed time is unknown and the wait starts over, bounded by `longestWait`.
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
    // The clock was ahead when the file was written. Rewrite it, or the wait would start over at each launch.
    if stored.time > environment.clock.wallTime.millisecondsSince1970 { remember(memory) }
    return memory
  }

  private func memory(of stored: StoredMemory) -> DeliveryMemory {
    let clock = environment.clock
    return stored.memory(
      wallTime: clock.wallTime, uptime: clock.uptime, boot: environment.boot,
      longestWait: RetryRules.maximumRetryAfter)
  }

  /// Saves the memory for the next process. Best effort: losing it costs requests, not events.
  func remember(_ memory: DeliveryMemory) {
    files.withLock { files in
      var memory = memory
      // Processes of one app share this file. The later `Retry-After` wins, because only time may end it. For the rest
      // the last writer wins, which costs at most a health probe or a smaller batch.
      if let other = files.loadMemory().flatMap({ self.memory(of: $0).retryAfterDeadline }) {
        memory.retryAfterDeadline = max(memory.retryAfterDeadline ?? .zero, other)
      }
      let clock = environment.clock
      let stored = StoredMemory(memory, wallTime: clock.wallTime, uptime: clock.uptime, boot: environment.boot)
      files.save(memory == DeliveryMemory() ? nil : stored)
    }
  }
}
