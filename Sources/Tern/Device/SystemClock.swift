public import TernEvents

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The clock of the device.
public struct SystemClock: TernClock {
  /// Creates the clock.
  public init() {}

  /// The time on the device's clock, right or wrong.
  public var wallTime: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// Time since the device booted, its sleep included.
  public var uptime: Duration {
    var time = timespec()
    // Of each system the monotonic clock that goes on while the device sleeps.
    #if canImport(Darwin)
      clock_gettime(CLOCK_MONOTONIC_RAW, &time)
    #else
      clock_gettime(CLOCK_BOOTTIME, &time)
    #endif
    return Duration(
      secondsComponent: Int64(time.tv_sec), attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000)
  }

  /// Waits until `uptime` has reached the deadline, or the task is cancelled.
  public func sleep(until deadline: Duration) async {
    while !Task.isCancelled {
      let now = uptime
      // Compared first: the difference to a deadline long before the boot may be more than a duration holds.
      guard deadline > now else { return }
      try? await Task.sleep(for: min(deadline - now, .longest))
    }
  }
}

extension Duration {
  /// A hundred years: what is meant by any longer time, which the system's timers could not be set to.
  static let longest = Duration.seconds(100 * 365 * 86_400)
}
