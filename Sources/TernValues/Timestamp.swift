import TernBase

/// A point in wall-clock time, in whole milliseconds since 1970-01-01 00:00:00 UTC.
///
/// Device clocks are often wrong: a timestamp is a reading of a clock, not the true time.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01 00:00:00 UTC; negative before then.
  public var millisecondsSince1970: Int64

  /// Creates a timestamp from milliseconds since 1970-01-01 00:00:00 UTC.
  public init(millisecondsSince1970: Int64) {
    self.millisecondsSince1970 = millisecondsSince1970
  }

  /// Whole seconds since 1970-01-01 00:00:00 UTC, rounded down.
  public var secondsSince1970: Int64 {
    // An arithmetic shift would round down too, but 1000 is not a power of two.
    let quotient = millisecondsSince1970 / 1000
    return millisecondsSince1970 % 1000 < 0 ? quotient - 1 : quotient
  }

  /// Returns true if the left timestamp is earlier.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.millisecondsSince1970 < right.millisecondsSince1970
  }

  /// Returns the timestamp after a duration, clamped to the range.
  public static func + (left: Timestamp, right: Duration) -> Timestamp {
    let (sum, overflow) = left.millisecondsSince1970.addingReportingOverflow(right.wholeMilliseconds)
    return Timestamp(millisecondsSince1970: overflow ? (right < .zero ? .min : .max) : sum)
  }

  /// Returns the timestamp before a duration, clamped to the range.
  public static func - (left: Timestamp, right: Duration) -> Timestamp {
    let (difference, overflow) = left.millisecondsSince1970.subtractingReportingOverflow(right.wholeMilliseconds)
    return Timestamp(millisecondsSince1970: overflow ? (right < .zero ? .max : .min) : difference)
  }

  /// Returns the time since an earlier timestamp; negative if this one is earlier.
  public func since(_ earlier: Timestamp) -> Duration {
    let (difference, overflow) = millisecondsSince1970.subtractingReportingOverflow(earlier.millisecondsSince1970)
    return .milliseconds(overflow ? (earlier < self ? Int64.max : .min) : difference)
  }
}
