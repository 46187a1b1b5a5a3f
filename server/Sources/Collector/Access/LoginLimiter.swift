/// Limits password guessing by counting failed logins per address.
struct LoginLimiter: Sendable {
  private struct Failures {
    var count: Int
    var since: Duration
  }

  /// The maximum number of failures per address within the window.
  let maximum: Int
  /// The duration for which failures count.
  let window: Duration
  /// The maximum number of addresses in memory.
  let capacity: Int
  private var failures: [String: Failures] = [:]

  init(maximum: Int, window: Duration = .seconds(60), capacity: Int = 1_024) {
    self.maximum = maximum
    self.window = window
    self.capacity = capacity
  }

  /// Returns the time until an address may try again, or `nil` if it may now.
  func wait(_ address: String, now: Duration) -> Duration? {
    guard let entry = failures[address], entry.count >= maximum else { return nil }
    let rest = entry.since + window - now
    return rest > .zero ? rest : nil
  }

  /// Records a failed login.
  mutating func failed(_ address: String, now: Duration) {
    if let entry = failures[address], now - entry.since < window {
      failures[address]?.count = entry.count + 1
      return
    }
    if failures.count >= capacity { makeRoom(now: now) }
    failures[address] = Failures(count: 1, since: now)
  }

  private mutating func makeRoom(now: Duration) {
    failures = failures.filter { now - $0.value.since < window }
    guard failures.count >= capacity, let oldest = failures.min(by: { $0.value.since < $1.value.since }) else { return }
    failures[oldest.key] = nil
  }
}
