public import TernValues

/// The moment at which an event happened, by both clocks of a device.
///
/// The microseconds decide on the order of events within a millisecond, whichever of them arrives first. They are within the event's
/// identifier: no member of the protocol, nor of the log, has to have them.
public struct EventMoment: Hashable, Sendable {
  /// Microseconds since 1970-01-01 00:00:00 UTC by the wall clock.
  public var wallMicroseconds: Int64
  /// Microseconds since the device booted.
  public var uptimeMicroseconds: Int64

  /// Creates a moment.
  public init(wallMicroseconds: Int64, uptimeMicroseconds: Int64) {
    self.wallMicroseconds = wallMicroseconds
    self.uptimeMicroseconds = uptimeMicroseconds
  }

  /// The wall time, in whole milliseconds.
  public var time: Timestamp { Timestamp(millisecondsSince1970: wallMicroseconds.dividedDown(by: 1_000)) }

  /// The uptime.
  public var uptime: Duration { .microseconds(uptimeMicroseconds) }

  /// The uptime, in whole milliseconds.
  public var uptimeMilliseconds: Int64 { uptimeMicroseconds / 1_000 }
}

/// The moments of one process's events. Uptime always increases; wall time does, too, unless the clock was set back by more than a
/// second.
///
/// If a clock reads no later than at the previous event, the previous reading plus a microsecond is used.
public struct EventMoments: Sendable {
  private var last = EventMoment(wallMicroseconds: .min + 1_000_000, uptimeMicroseconds: .min)

  /// Creates the moments of a process without events.
  public init() {}

  /// Returns the moment of the next event.
  public mutating func next(_ clock: some TernClock) -> EventMoment {
    let (wall, uptime) = (clock.wallMicroseconds, clock.uptimeMicroseconds)
    let wasSetBack = wall < last.wallMicroseconds &- 1_000_000
    last = EventMoment(
      wallMicroseconds: wasSetBack ? wall : max(wall, last.wallMicroseconds &+ 1),
      uptimeMicroseconds: max(uptime, last.uptimeMicroseconds &+ 1))
    return last
  }
}

extension UniqueID {
  /// Creates the identifier of an event (UUID version 8, RFC 9562 §5.8): 48 bits of the wall time in milliseconds, 10 of its
  /// microseconds within the millisecond, 2 random ones, 10 of the uptime's microseconds within the millisecond, 52 random ones.
  ///
  /// It sorts like ``timeOrdered(at:using:)``, and events of one process in their order, unless the wall clock was set back.
  public static func event(at moment: EventMoment, using generator: inout some RandomNumberGenerator) -> UniqueID {
    let milliseconds = UInt64(clamping: moment.time.millisecondsSince1970) & 0xFFFF_FFFF_FFFF
    let (wall, uptime) = (moment.wallMicroseconds.fraction, moment.uptimeMicroseconds.fraction)
    let chance = generator.next()
    return UniqueID(
      high: milliseconds << 16 | 0x8000 | wall << 2 | chance >> 62,
      low: 1 << 63 | uptime << 52 | chance & 0x000F_FFFF_FFFF_FFFF)
  }

  /// The microseconds within the millisecond, 0 to 999, at which an event happened by its wall time and by its uptime; `nil` unless
  /// the identifier has the layout of ``event(at:using:)`` and contains this time.
  public func microseconds(at time: Timestamp) -> (wall: Int, uptime: Int)? {
    let (wall, uptime) = (Int(high >> 2 & 1_023), Int(low >> 52 & 1_023))
    guard high & 0xF000 == 0x8000, low >> 62 == 2, wall < 1_000, uptime < 1_000,
      Int64(high >> 16) == time.millisecondsSince1970
    else { return nil }
    return (wall, uptime)
  }
}

extension Int64 {
  fileprivate func dividedDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// The microseconds within a millisecond.
  fileprivate var fraction: UInt64 {
    let remainder = self % 1_000
    return UInt64(remainder < 0 ? remainder + 1_000 : remainder)
  }
}
