import TernBase
import TernDelivery
import TernEvents

extension DispatchMachine {
  /// Turns periodic dispatch off; a drain that it started ends with the request in flight.
  mutating func disarm(_ actions: inout [MachineAction]) {
    ticks = nil
    if drain == .periodic { endDrain(.nothingToSend, &actions) }
  }

  mutating func tick(_ waiting: Int, _ now: Duration) {
    let isDue = timer.map { $0 <= now } ?? false
    // Clear it in any case: the owner's timer has fired and must be set again.
    timer = nil
    guard isDue, isArmed else { return }
    skipPassedTicks(now)
    if let hold, hold.until > now { return }
    if waiting > 0, inFlight == nil, drain == nil { drain = .periodic }
  }

  /// Skips past ticks for which no timer was set.
  mutating func skipPassedTicks(_ now: Duration) {
    if let ticks { self.ticks?.next = ticks.next(after: now) }
  }

  mutating func networkAvailable(_ waiting: Int, _ now: Duration) {
    if hold?.isServers == false { hold = nil }
    guard waiting > 0, inFlight == nil, let next = ticks?.next else { return }
    ticks?.next = min(next, now + .milliseconds(Int.random(in: 0...1000, using: &generator)))
  }

  /// Sets the timer to the next tick that has something to do.
  mutating func schedule(_ waiting: Int, _ now: Duration, _ actions: inout [MachineAction]) {
    let wanted = wantedTimer(waiting)
    guard wanted != timer else { return }
    timer = wanted
    actions.append(wanted.map { .setTimer($0) } ?? .cancelTimer)
  }

  private func wantedTimer(_ waiting: Int) -> Duration? {
    guard isEnabled, !isPaused, waiting > 0, inFlight == nil, let ticks, let next = ticks.next else { return nil }
    guard let hold, hold.until > next, let after = ticks.next(after: hold.until) else { return next }
    return after - hold.until == ticks.interval ? hold.until : after
  }
}

extension DispatchMachine.Ticks {
  /// The first tick after the given time.
  fileprivate func next(after time: Duration) -> Duration? {
    guard let next, next <= time else { return self.next }
    // Use whole milliseconds: fractions would make ticks drift.
    let passed = (time - next).wholeMilliseconds / interval.wholeMilliseconds
    return next + .milliseconds((passed + 1) * interval.wholeMilliseconds)
  }
}
