public import ServerBase
public import TernBase

/// The time of an event or of its receipt, in milliseconds since 1970-01-01 00:00:00 UTC, within ``TimeBounds``.
///
/// Any number can be made one, so rows that are damaged on disk can't bring a time that arithmetic traps on: differences
/// of two such times, and sums of one and a few years, are far from the limits of `Int64`.
@usableFromInline
package struct EventTime: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Milliseconds since 1970-01-01 00:00:00 UTC, within ``TimeBounds``.
  @usableFromInline package let milliseconds: Int64

  /// Creates the nearest supported time.
  @inlinable package init(_ milliseconds: Int64) { self.milliseconds = TimeBounds.clamp(milliseconds) }

  /// Returns true if the left time is earlier.
  @inlinable package static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

  /// Returns the milliseconds from the right time to the left one.
  @inlinable
  package static func - (left: Self, right: Self) -> SaturatingInt64 {
    SaturatingInt64(left.milliseconds) - SaturatingInt64(right.milliseconds)
  }
}
