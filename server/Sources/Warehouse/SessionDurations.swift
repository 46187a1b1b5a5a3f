package import TernBase

/// The distribution of session durations, without pauses of half an hour or more.
package struct SessionDurations: Sendable, Hashable {
  /// The upper bounds of all buckets except the last, in milliseconds. A duration belongs to the first bucket whose
  /// bound exceeds it.
  package static let bounds: [SaturatingInt64] = [30_000, 60_000, 1_800_000, 3_600_000]
  /// The number of sessions in each bucket.
  package var buckets: [Int]
  /// The number of sessions of unknown duration: those without an event in their first five minutes.
  package var unknown: Int
  /// The total duration of the sessions in the buckets, in milliseconds.
  package var milliseconds: SaturatingInt64

  /// Creates a distribution, by default of no sessions.
  package init(
    buckets: [Int] = Array(repeating: 0, count: SessionDurations.bounds.count + 1), unknown: Int = 0,
    milliseconds: SaturatingInt64 = 0
  ) {
    self.buckets = buckets
    self.unknown = unknown
    self.milliseconds = milliseconds
  }

  /// The average duration in milliseconds; `nil` if no duration is known.
  package var average: Int64? {
    let known = buckets.saturatingSum
    return known > 0 ? milliseconds.divided(by: SaturatingInt64(known))?.rawValue : nil
  }

  package mutating func add(milliseconds duration: SaturatingInt64) {
    buckets[Self.bounds.firstIndex { duration < $0 } ?? Self.bounds.count] += 1
    milliseconds += duration
  }
}
