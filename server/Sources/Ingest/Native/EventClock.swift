import TernBase
public import TernEvents

/// Determines the times of a request's events, even if the device's clock is wrong or the request is slow.
///
/// Comparing the device's clock when it built the request with the server's clock when the request's head arrived shows
/// if the device's clock is right. Uptimes show how long before the request an event happened.
public struct EventClock: Sendable, Hashable {
  /// The difference, in milliseconds, by which the server's clock may be ahead of the stamp (or behind, if negative)
  /// for the device's clock to be considered right. A request may take longer than a minute, and clocks differ by
  /// seconds.
  public static let tolerance: ClosedRange<Int64> = -5_000...90_000

  private let stamp: SentStamp
  private let arrived: Int64
  private let skew: Int64
  /// The time at which the request was built, as far as the server can determine.
  private let base: Int64

  /// True if the device's clock is considered right.
  public var isRight: Bool { Self.tolerance.contains(skew) }

  /// - Parameters:
  ///   - stamp: The readings of the device's clocks when it built the request.
  ///   - arrived: The server's time when the request's head arrived; the body may follow slowly.
  public init(_ stamp: SentStamp, arrived: Timestamp) {
    self.stamp = stamp
    self.arrived = arrived.millisecondsSince1970
    skew = self.arrived.subtractingSaturated(stamp.time.millisecondsSince1970)
    base = Self.tolerance.contains(skew) ? stamp.time.millisecondsSince1970 : self.arrived
  }

  /// Returns true if the request was built in the given boot; ignores case.
  func isSameBoot(_ boot: UnsafeRawBufferPointer) -> Bool {
    guard let own = stamp.boot?.utf8, own.count == boot.count else { return false }
    return zip(own, boot).allSatisfy { Self.lowercased($0) == Self.lowercased($1) }
  }

  /// Returns the time of an event.
  ///
  /// - Parameters:
  ///   - time: The event's time by the device's wall clock.
  ///   - uptime: Milliseconds since the device had booted; `nil` or negative if unknown.
  ///   - isSameBoot: True if the device has not been restarted between the event and the request.
  ///   - window: The accepted times. A time without uptime outside this window is due to a wrong clock, because devices
  ///     do not keep events that long and no event comes from the future: the time of arrival is used instead.
  public func time(
    _ time: Timestamp, uptime: Int64?, isSameBoot: Bool, window: ClosedRange<Timestamp>
  ) -> Timestamp {
    if isSameBoot, let uptime, let sent = stamp.uptime, (0...sent).contains(uptime) {
      return Timestamp(millisecondsSince1970: base.subtractingSaturated(sent - uptime))
    }
    let own = time.millisecondsSince1970
    // The clock was off by the same amount then as now, as far as the server can determine.
    let corrected = Timestamp(millisecondsSince1970: isRight ? own : own.addingSaturated(skew))
    return window.contains(corrected) ? corrected : Timestamp(millisecondsSince1970: arrived)
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
