import TernDelivery
import TernEvents

extension DispatchMachine {
  /// Turns periodic dispatch off; a drain that it started ends with the request in flight.
  mutating func disarm(_ actions: inout [MachineAction]) {
    isArmed = false
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
    if isArmed, let next = nextTick, next <= now { nextTick = tick(from: next, after: now) }
  }

  /// The first tick after the given time.
  private func tick(from tick: Duration, after time: Duration) -> Duration {
    guard tick <= time else { return tick }
    // Use whole milliseconds: fractions would make ticks drift.
    let passed = (time - tick).wholeMilliseconds / interval.wholeMilliseconds
    return tick + .milliseconds((passed + 1) * interval.wholeMilliseconds)
  }

  mutating func networkAvailable(_ waiting: Int, _ now: Duration) {
    if hold?.isServers != true {
      hold = nil
      failures = 0
    }
    guard isArmed, waiting > 0, inFlight == nil, let next = nextTick else { return }
    nextTick = min(next, now + .milliseconds(Int.random(in: 0...1000, using: &generator)))
  }

  /// Sets the timer to the next tick that has something to do.
  mutating func schedule(_ waiting: Int, _ now: Duration, _ actions: inout [MachineAction]) {
    let wanted = wantedTimer(waiting)
    guard wanted != timer else { return }
    timer = wanted
    actions.append(wanted.map { .setTimer($0) } ?? .cancelTimer)
  }

  private func wantedTimer(_ waiting: Int) -> Duration? {
    guard isArmed, isEnabled, !isPaused, waiting > 0, inFlight == nil, let next = nextTick else { return nil }
    guard let hold, hold.until > next else { return next }
    let before = tick(from: next, after: hold.until)
    return before - hold.until == interval ? hold.until : before
  }
}
