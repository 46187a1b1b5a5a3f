import TernBase
package import TernEvents

/// Determines the times of a request's events, even if the device's clock is wrong or the request is slow.
///
/// Comparing the device's clock when it built the request with the server's clock when the request's head arrived shows
/// if the device's clock is right. Uptimes show how long before the request an event happened.
package struct EventClock: Sendable, Hashable {
  /// The difference, in milliseconds, by which the server's clock may be ahead of the stamp (or behind, if negative)
  /// for the device's clock to be considered right. A request may take longer than a minute, and clocks differ by
  /// seconds.
  package static let tolerance: ClosedRange<Int64> = -5_000...90_000

  private let stamp: SentStamp
  private let arrived: Int64
  /// The milliseconds to add to the device's wall time if its clock is wrong.
  private let correction: Int64
  /// The time at which the request was built, as far as the server can determine.
  private let base: Int64
  /// True if ``base`` comes from the server's clock and not from the stamp.
  private let usesServerBase: Bool

  /// True if the device's clock is considered right.
  package let isRight: Bool

  /// - Parameters:
  ///   - stamp: The readings of the device's clocks when it built the request.
  ///   - arrived: The server's time when the request's head arrived; the body may follow slowly.
  ///   - built: The server's time when the request was built, if that is known in another way than by the device's clock.
  package init(_ stamp: SentStamp, arrived: Timestamp, built: Timestamp? = nil) {
    let (shown, arrived) = (stamp.time.millisecondsSince1970, arrived.millisecondsSince1970)
    (self.stamp, self.arrived) = (stamp, arrived)
    isRight = Self.tolerance.contains(arrived.subtractingSaturated(shown))
    usesServerBase = built != nil
    base = built?.millisecondsSince1970 ?? (isRight ? shown : arrived)
    correction = base.subtractingSaturated(shown)
  }

  /// The clock of a request of an app. Devices whose clocks have always been right since they were booted need no other source of
  /// the time.
  package init(_ stamp: SentStamp, arrived: Timestamp, app: Int64, _ boots: inout BootTimes) {
    self.init(stamp, arrived: arrived)
    let built = boots.built(stamp, arrived: arrived, app: app, isRight: isRight)
    if let built { self.init(stamp, arrived: arrived, built: built) }
  }

  /// Returns true if the request was built in the given boot; ignores case.
  func isSameBoot(_ boot: UnsafeRawBufferPointer) -> Bool {
    guard let own = stamp.boot?.utf8, own.count == boot.count else { return false }
    return zip(own, boot).allSatisfy { Self.lowercased($0) == Self.lowercased($1) }
  }

  /// The difference, in milliseconds, up to which an event's own time and what its uptime says count as the same.
  static let agreement: ClosedRange<Int64> = -1_000...1_000

  /// The reading of the device from which the time of an event follows.
  package enum Reading: Sendable {
    case wall, uptime
    /// None: the event counts at its arrival.
    case arrival
  }

  /// Returns the time of an event.
  ///
  /// The uptime shows if the device's clock was set since the event. If it wasn't, the event's own time counts: which request an
  /// event is in then has no influence on its time, and so none on the order of events that happened in the same milliseconds.
  ///
  /// - Parameters:
  ///   - time: The event's time by the device's wall clock.
  ///   - uptime: Milliseconds since the device had booted; `nil` or negative if unknown.
  ///   - isSameBoot: True if the device has not been restarted between the event and the request.
  ///   - window: The accepted times. A time without uptime outside this window is due to a wrong clock, because devices
  ///     do not keep events that long and no event comes from the future: the time of arrival is used instead.
  package func time(
    _ time: Timestamp, uptime: Int64?, isSameBoot: Bool, window: ClosedRange<Timestamp>
  ) -> (time: Timestamp, reading: Reading) {
    let own = time.millisecondsSince1970
    if isSameBoot, let uptime, let sent = stamp.uptime, (0...sent).contains(uptime) {
      let ran = base.subtractingSaturated(sent - uptime)
      if isRight, !usesServerBase, Self.agreement.contains(ran.subtractingSaturated(own)) { return (time, .wall) }
      return (Timestamp(millisecondsSince1970: ran), .uptime)
    }
    // The clock was off by the same amount then as now, as far as the server can determine.
    let corrected = Timestamp(millisecondsSince1970: isRight ? own : own.addingSaturated(correction))
    return window.contains(corrected) ? (corrected, .wall) : (Timestamp(millisecondsSince1970: arrived), .arrival)
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
