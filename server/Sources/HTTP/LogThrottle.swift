/// Limits a message that every request would log, such as a full disk, to one line per interval, with a count.
package struct LogThrottle: Sendable {
  /// The minimum time between two lines.
  package let interval: Duration
  private var lastLine: Duration?
  private var suppressed = 0

  package init(interval: Duration = .seconds(10)) {
    self.interval = interval
  }

  /// Records an occurrence. Returns the number of occurrences since the last line if the next line is due, else `nil`.
  package mutating func occurred(at now: Duration) -> Int? {
    if let lastLine, now - lastLine < interval {
      suppressed += 1
      return nil
    }
    defer { suppressed = 0 }
    lastLine = now
    return suppressed + 1
  }
}
