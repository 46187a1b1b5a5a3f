/// How long sessions lasted.
public struct SessionDurations: Sendable, Hashable {
  /// The upper ends of all buckets but the last, in milliseconds; a duration belongs to the first that is above it.
  public static let bounds: [Int64] = [30_000, 60_000, 1_800_000, 3_600_000]
  /// How many sessions lasted so long, by bucket.
  public var buckets: [Int]
  /// How many began without saying how long they lasted: no event within their first five minutes.
  public var unknown: Int
  /// How long those of the buckets lasted together, in milliseconds.
  public var milliseconds: Int64

  /// Creates figures; of no session by default.
  public init(
    buckets: [Int] = Array(repeating: 0, count: SessionDurations.bounds.count + 1), unknown: Int = 0,
    milliseconds: Int64 = 0
  ) {
    self.buckets = buckets
    self.unknown = unknown
    self.milliseconds = milliseconds
  }

  /// How long one lasted on average, in milliseconds; `nil` when it is known of none.
  public var average: Int64? {
    let known = buckets.reduce(0, +)
    return known > 0 ? milliseconds / Int64(known) : nil
  }

  package mutating func add(milliseconds duration: Int64) {
    buckets[Self.bounds.firstIndex { duration < $0 } ?? Self.bounds.count] += 1
    milliseconds += duration
  }
}
