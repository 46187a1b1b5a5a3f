/// Keeps a fault that every request meets, such as a full disk, from filling the log: one line in a while, with a count.
struct RepeatedFault: Sendable {
  /// The shortest time between two lines.
  let pause: Duration
  private var reported: Duration?
  private var silent = 0

  init(pause: Duration = .seconds(10)) {
    self.pause = pause
  }

  /// Notes one occurrence; returns how many there were since the last line when it is time for another, else `nil`.
  mutating func occurred(at now: Duration) -> Int? {
    if let reported, now - reported < pause {
      silent += 1
      return nil
    }
    defer { silent = 0 }
    reported = now
    return silent + 1
  }
}
