/// Counts of durations by bucket, for Prometheus.
struct Histogram: Sendable {
  /// The upper bounds of the buckets in seconds, ascending; a last bucket without a bound follows.
  static let bounds: [Double] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]

  /// The number of observations in each bucket.
  private(set) var counts = [Int](repeating: 0, count: Histogram.bounds.count + 1)
  /// The sum of all observations, in seconds.
  private(set) var sum = 0.0

  /// Counts one duration.
  mutating func observe(_ duration: Duration) {
    let seconds = duration / .seconds(1)
    let bucket = Histogram.bounds.firstIndex { seconds <= $0 } ?? Histogram.bounds.count
    counts[bucket] += 1
    sum += seconds
  }
}
