/// Limits password guessing: after some failed logins with the same key, each further one takes longer.
///
/// The key of a password is its name and the client's address, so that guessing from elsewhere does not lock out the
/// person with that name.
struct LoginLimiter: Sendable {
  private struct Failures {
    var count: Int
    var last: Duration
    /// The number of attempts in progress.
    var pending = 0
  }

  /// The number of failures without a delay.
  let maximum: Int
  let longestDelay: Duration
  /// The maximum number of keys in memory.
  let capacity: Int
  private var failures: [String: Failures] = [:]

  init(maximum: Int, longestDelay: Duration = .seconds(60), capacity: Int = 1_024) {
    self.maximum = maximum
    self.longestDelay = longestDelay
    self.capacity = capacity
  }

  /// Returns the time until another attempt, or `nil` if it may be made now.
  func wait(_ key: String, now: Duration) -> Duration? {
    guard let entry = failures[key], entry.count >= maximum else { return nil }
    let rest = entry.last + delay(entry.count) - now
    return rest > .zero ? rest : nil
  }

  /// Begins an attempt, or returns the time until it may be made. Attempts in progress count like failures, so that many at the
  /// same time are no way around the limit.
  mutating func begin(_ key: String, now: Duration) -> Duration? {
    if let wait = wait(key, now: now) { return wait }
    guard let entry = failures[key] else {
      insert(Failures(count: 0, last: now, pending: 1), key, now: now)
      return nil
    }
    let count = isForgotten(entry, now) ? 0 : entry.count
    guard entry.pending == 0 || count + entry.pending < maximum else { return .seconds(1) }
    failures[key]?.pending += 1
    return nil
  }

  /// Ends an attempt, whatever its outcome.
  mutating func end(_ key: String) {
    guard let entry = failures[key], entry.pending > 0 else { return }
    failures[key]?.pending -= 1
    if entry.count == 0, entry.pending == 1 { failures[key] = nil }
  }

  /// Records a failed login. Failures are forgotten after ten times the longest delay.
  mutating func failed(_ key: String, now: Duration) {
    guard var entry = failures[key] else { return insert(Failures(count: 1, last: now), key, now: now) }
    entry.count = isForgotten(entry, now) ? 1 : entry.count + 1
    entry.last = now
    failures[key] = entry
  }

  /// One second, doubled with each failure.
  private func delay(_ count: Int) -> Duration { min(.seconds(1 << min(count - maximum, 16)), longestDelay) }

  private func isForgotten(_ entry: Failures, _ now: Duration) -> Bool { now - entry.last >= longestDelay * 10 }

  private mutating func insert(_ entry: Failures, _ key: String, now: Duration) {
    if failures.count >= capacity {
      failures = failures.filter { !isForgotten($0.value, now) }
      if failures.count >= capacity, let oldest = failures.min(by: { $0.value.last < $1.value.last }) {
        failures[oldest.key] = nil
      }
    }
    failures[key] = entry
  }
}
