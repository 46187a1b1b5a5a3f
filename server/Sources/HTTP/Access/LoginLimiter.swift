/// Limits password guessing: after some failed logins with the same key, each further one takes longer.
///
/// The key of a password is its name and the client's address, so that guessing from elsewhere does not lock out the
/// person with that name.
struct LoginLimiter: Sendable {
  private struct Failures {
    var count: Int
    var last: Duration
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

  /// Records a failed login. Failures are forgotten after ten times the longest delay.
  mutating func failed(_ key: String, now: Duration) {
    if let entry = failures[key], !isForgotten(entry, now) {
      failures[key] = Failures(count: entry.count + 1, last: now)
      return
    }
    if failures.count >= capacity { makeRoom(now: now) }
    failures[key] = Failures(count: 1, last: now)
  }

  /// One second, doubled with each failure.
  private func delay(_ count: Int) -> Duration { min(.seconds(1 << min(count - maximum, 16)), longestDelay) }

  private func isForgotten(_ entry: Failures, _ now: Duration) -> Bool { now - entry.last >= longestDelay * 10 }

  private mutating func makeRoom(now: Duration) {
    failures = failures.filter { !isForgotten($0.value, now) }
    guard failures.count >= capacity, let oldest = failures.min(by: { $0.value.last < $1.value.last }) else { return }
    failures[oldest.key] = nil
  }
}
