public import TernValues

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

  /// The time on the device's clock, which may be wrong.
  public var wallTime: Timestamp { Timestamp(millisecondsSince1970: wallMicroseconds / 1_000) }

  /// The same in microseconds.
  public var wallMicroseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }

  /// The time since boot, including sleep.
  public var uptime: Duration {
    let time = sinceBoot
    return Duration(
      secondsComponent: Int64(time.tv_sec), attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000)
  }

  /// The same in whole microseconds.
  public var uptimeMicroseconds: Int64 {
    let time = sinceBoot
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }

  private var sinceBoot: timespec {
    var time = timespec()
    // The system's monotonic clock that keeps running during sleep.
    #if canImport(Darwin)
      clock_gettime(CLOCK_MONOTONIC_RAW, &time)
    #else
      clock_gettime(CLOCK_BOOTTIME, &time)
    #endif
    return time
  }

  /// Waits until `uptime` reaches the deadline or the task is cancelled.
  public func sleep(until deadline: Duration) async {
    while !Task.isCancelled {
      let now = uptime
      // Compare before subtracting: the difference to a deadline in the distant past may overflow.
      guard deadline > now else { return }
      try? await Task.sleep(for: min(deadline - now, .longest))
    }
  }
}

extension Duration {
  /// A hundred years: longer durations are clamped to it because system timers could not handle them.
  static let longest = Duration.seconds(100 * 365 * 86_400)
}
