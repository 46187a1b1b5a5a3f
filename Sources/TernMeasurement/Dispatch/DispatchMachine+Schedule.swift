import TernEvents

extension DispatchMachine {
  /// Below a second, or no number at all, turns periodic dispatch off; anything else turns it on, from now.
  mutating func setInterval(_ seconds: Double, _ now: Duration, _ actions: inout [Action]) {
    interval = seconds
    guard seconds.isFinite, seconds >= 1 else { return disarm(&actions) }
    isArmed = true
    nextTick = now + step
  }

  /// What periodic dispatch had begun ends with the request under way.
  mutating func disarm(_ actions: inout [Action]) {
    isArmed = false
    if drain == .periodic { endDrain(.noData, &actions) }
  }

  /// The interval; a century stands for anything longer, which could not be added to the time.
  private var step: Duration { .seconds(min(interval, 3_155_760_000)) }

  mutating func tick(_ waiting: Int, _ now: Duration) {
    guard let timer, timer <= now else { return }
    self.timer = nil
    guard isArmed else { return }
    skipPassedTicks(now)
    if let hold, hold.until > now { return }
    if waiting > 0, inFlight == nil, drain == nil { drain = .periodic }
  }

  /// Ticks that found nothing to do take place without a timer.
  mutating func skipPassedTicks(_ now: Duration) {
    if isArmed, nextTick <= now { nextTick = tick(after: now) }
  }

  /// The first tick later than a point in time.
  private func tick(after time: Duration) -> Duration {
    guard nextTick <= time else { return nextTick }
    // In whole milliseconds: fractions would make ticks creep.
    let passed = (time - nextTick).wholeMilliseconds / step.wholeMilliseconds
    return nextTick + .milliseconds((passed + 1) * step.wholeMilliseconds)
  }

  mutating func networkAvailable(_ waiting: Int, _ now: Duration) {
    if hold?.isServers != true {
      hold = nil
      failures = 0
    }
    guard isArmed, waiting > 0, inFlight == nil else { return }
    let soon = now + .milliseconds(Int.random(in: 0...1000, using: &generator))
    nextTick = min(nextTick, soon)
  }

  /// Keeps the timer at the next tick that has something to do.
  mutating func schedule(_ waiting: Int, _ now: Duration, _ actions: inout [Action]) {
    let wanted = wantedTimer(waiting)
    guard wanted != timer else { return }
    timer = wanted
    actions.append(wanted.map { .setTimer($0) } ?? .cancelTimer)
  }

  private func wantedTimer(_ waiting: Int) -> Duration? {
    guard isArmed, !isOptedOut, waiting > 0, inFlight == nil, isDryRun || hasDestination || !hasWarned else {
      return nil
    }
    guard let hold, hold.until > nextTick else { return nextTick }
    let before = tick(after: hold.until)
    return before - hold.until == step ? hold.until : before
  }
}
