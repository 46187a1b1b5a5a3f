/// The times at which rows are counted and the counts stored.
///
/// A flush costs about as much for many rows as for few, since most of them change the same counts. It therefore waits
/// until ten times as long has passed as the last one took: flushes take at most a tenth of the time, and a server
/// with little to do still flushes soon.
struct FlushPacing {
  /// The delay before retrying after a failure.
  static let retryTime = Duration.seconds(1)
  /// The maximum pause after a flush, however long it took.
  static let maximumPause = Duration.seconds(4)

  /// The delay of a flush after the first row that it counts.
  let interval: Duration
  /// The time of the next flush; `nil` if there is nothing to store.
  private(set) var due: ContinuousClock.Instant?
  private var earliest: ContinuousClock.Instant?

  init(interval: Duration) { self.interval = interval }

  /// Must be called when there are rows to count.
  mutating func needsFlush(at now: ContinuousClock.Instant) {
    guard due == nil else { return }
    due = max(now + interval, earliest ?? now)
  }

  /// Must be called after a flush.
  mutating func flushed(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) {
    due = nil
    earliest = end + min(start.duration(to: end) * 10, Self.maximumPause)
  }

  /// Must be called after a flush that failed.
  mutating func failed(at now: ContinuousClock.Instant) { due = now + Self.retryTime }
}

extension Duration {
  /// The nanoseconds, for dispatch.
  var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
