/// A time with the microseconds within its millisecond, if they are known.
///
/// Rows of one time are in the order of their microseconds; those without come first. Nothing tells which of several rows of one
/// moment was first.
struct Moment: BitwiseCopyable, Comparable {
  private var value: Int64

  /// - Parameters:
  ///   - time: In milliseconds since 1970, within `TimeBounds`.
  ///   - inMillisecond: One more than the microseconds; 0 if they aren't known.
  @inline(__always)
  init(time: Int64, inMillisecond: UInt16) { value = time << 10 | Int64(inMillisecond & 1_023) }

  /// In milliseconds since 1970.
  @inline(__always)
  var time: Int64 { value >> 10 }

  /// One more than the microseconds; 0 if they aren't known.
  @inline(__always)
  var inMillisecond: UInt16 { UInt16(truncatingIfNeeded: value & 1_023) }

  @inline(__always)
  static func < (left: Moment, right: Moment) -> Bool { left.value < right.value }
}
