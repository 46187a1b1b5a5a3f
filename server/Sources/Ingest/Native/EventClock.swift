import TernBase
public import TernEvents

/// When the events of one request happened, however wrong the device's clock is and however slow the request was.
///
/// The server's clock when the request's head arrived, compared with what the device's showed when it built the
/// request, tells whether the device's clock is right; uptimes tell how long before that an event happened.
public struct EventClock: Sendable, Hashable {
  /// By how much the server's clock may be ahead of the stamp (or behind, below zero) for the device's clock to count
  /// as right, in milliseconds: a request may be under way for longer than a minute, and clocks differ by seconds.
  public static let tolerance: ClosedRange<Int64> = -5_000...90_000

  private let stamp: SentStamp
  private let arrived: Int64
  private let skew: Int64
  /// When the request was built, as far as the server can tell.
  private let base: Int64

  /// True if the device's clock counts as right.
  public var isRight: Bool { Self.tolerance.contains(skew) }

  /// - Parameters:
  ///   - stamp: What the device's clocks showed when it built the request.
  ///   - arrived: What the server's clock showed when the request's head arrived; the body may take its time.
  public init(_ stamp: SentStamp, arrived: Timestamp) {
    self.stamp = stamp
    self.arrived = arrived.millisecondsSince1970
    skew = self.arrived.subtractingSaturated(stamp.time.millisecondsSince1970)
    base = Self.tolerance.contains(skew) ? stamp.time.millisecondsSince1970 : self.arrived
  }

  /// Returns true if the request was built in an event's boot; ignores case.
  func isSameBoot(_ boot: UnsafeRawBufferPointer) -> Bool {
    guard let own = stamp.boot?.utf8, own.count == boot.count else { return false }
    return zip(own, boot).allSatisfy { Self.lowercased($0) == Self.lowercased($1) }
  }

  /// When an event happened.
  ///
  /// - Parameters:
  ///   - time: What the device's wall clock showed then.
  ///   - uptime: Milliseconds since the device had booted; `nil` or negative when unknown.
  ///   - isSameBoot: Whether the device has not been restarted between the event and the request.
  ///   - window: What is accepted. Times without uptime that lie outside are a clock's fault, since devices do not
  ///     keep events that long and none comes from the future: the event counts as having happened on arrival.
  public func time(
    _ time: Timestamp, uptime: Int64?, isSameBoot: Bool, window: ClosedRange<Timestamp>
  ) -> Timestamp {
    if isSameBoot, let uptime, let sent = stamp.uptime, (0...sent).contains(uptime) {
      return Timestamp(millisecondsSince1970: base.subtractingSaturated(sent - uptime))
    }
    let own = time.millisecondsSince1970
    // The clock was as wrong then as it is now, as far as the server can tell.
    let corrected = Timestamp(millisecondsSince1970: isRight ? own : own.addingSaturated(skew))
    return window.contains(corrected) ? corrected : Timestamp(millisecondsSince1970: arrived)
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
