/// Limits a fault that every request meets, such as a full disk, to one log line per interval, with a count.
struct LogThrottle: Sendable {
  /// The shortest time between two lines.
  let interval: Duration
  private var lastLine: Duration?
  private var suppressed = 0

  init(interval: Duration = .seconds(10)) {
    self.interval = interval
  }

  /// Records one occurrence. Returns the number of occurrences since the last line when the next line is due, else `nil`.
  mutating func occurred(at now: Duration) -> Int? {
    if let lastLine, now - lastLine < interval {
      suppressed += 1
      return nil
    }
    defer { suppressed = 0 }
    lastLine = now
    return suppressed + 1
  }
}
