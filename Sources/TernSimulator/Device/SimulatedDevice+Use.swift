import Tern
import TernBase
import TernDelivery
import TernEvents
import TernLog

/// Event names with a meaning to the simulated collector.
enum DeviceUse {
  static let poison = "poison"
}

/// The use of the app.
extension SimulatedDevice {
  func beginUse() {
    isUsePlanned = false
    let foreground = use.chance(0.85)
    guard let process = app ?? start(foreground) else { return }
    if process.isSuspended { resume(process) }
    if foreground, !process.isInForeground { enterForeground(process) }
    guard process.files.isDead == false else { return }
    queue.add(
      .act(process: process.number, remaining: use.number(1...traits.longestUse)),
      at: clock.now + use.seconds(0.01, 5))
  }

  private func start(_ foreground: Bool) -> SimulatedProcess? {
    if use.chance(0.05) { upgrade() }
    let dies = traits.crash > 0 && use.chance(0.03)
    let started = launch(slot: 0, foreground: foreground, dyingAfter: dies ? Int(use.fraction(1, 120)) - 1 : nil)
    if started == nil { planUse(in: use.seconds(1, 20_000)) }
    return started
  }

  /// Installs another version on the same directory.
  private func upgrade() {
    appVersion += 1
    if use.chance(0.3) { setup = AppTraits(using: &use) }
  }

  func act(_ process: SimulatedProcess, _ remaining: Int) {
    guard !process.isSuspended else { return }
    if traits.crash > 0, use.chance(traits.crash) {
      if use.chance(0.5) { return kill(process) }
      return die(process) { doSomething(process) }
    }
    doSomething(process)
    if remaining > 1 {
      queue.add(.act(process: process.number, remaining: remaining - 1), at: clock.now + use.seconds(0.05, 150))
    } else if process.slot == 0 {
      queue.add(.leave(process: process.number), at: clock.now + use.seconds(0.05, 60))
    } else {
      queue.add(.end(process: process.number), at: clock.now + use.seconds(0.5, 20_000))
    }
  }

  private func doSomething(_ process: SimulatedProcess) {
    let client = process.client
    if process.slot == 0 {
      if !client.isEnabled, use.chance(0.3) { return setEnabled(process, true) }
      if process.wantsPaused, use.chance(0.3) { return setPaused(process, false) }
      if traits.switches, use.chance(0.02) {
        if traits.crash > 0, use.chance(0.2) { return die(process) { setEnabled(process, !client.isEnabled) } }
        return setEnabled(process, !client.isEnabled)
      }
      if traits.pauses, use.chance(0.03) { return setPaused(process, true) }
      if traits.identifies, use.chance(0.03) { return identify(process) }
      if traits.identifies, use.chance(0.02) { return reset(process) }
      if traits.erases, use.chance(0.02) { return erase(process) }
      if traits.flushes, use.chance(0.03) { return flush(process) }
    }
    let count = use.chance(traits.burst) ? Int(use.fraction(10, 700)) : 1
    for _ in 0..<count { track(process) }
    settle(process)
  }

  private func track(_ process: SimulatedProcess) {
    let client = process.client
    let isEnabled = client.isEnabled
    let critical = use.chance(traits.critical)
    var properties: Properties = ["n": Int64(expected.stored)]
    if use.chance(0.3) { properties["text"] = .string(String(repeating: "ä", count: use.number(0...60))) }
    if use.chance(0.01) { properties["long"] = .string(String(repeating: "x", count: use.number(1000...8000))) }
    if use.chance(traits.huge) {
      for number in 0..<10 { properties["huge\(number)"] = .string(String(repeating: "h", count: 8000)) }
    }
    let receipt: Receipt
    if use.chance(0.1) {
      receipt = client.screen("screen", properties)
    } else {
      let name = use.chance(traits.poison) ? DeviceUse.poison : critical ? "critical" : "normal"
      receipt = client.track(name, properties, priority: critical ? .critical : .normal)
    }
    handleReceipt(receipt, of: process)
    guard !isEnabled, !process.files.isDead else { return }
    expected.refused[.disabled, default: 0] += 1
    checkNothingRecorded(process)
  }

  private func checkNothingRecorded(_ process: SimulatedProcess) {
    if process.appended.withLock({ !$0.isEmpty }) { fail("disabled", "a disabled client records") }
  }

  private func setEnabled(_ process: SimulatedProcess, _ isEnabled: Bool) {
    note(20, "\(isEnabled ? "enable" : "disable") process \(process.number)")
    let isAlone = processes.count == 1
    process.client.isEnabled = isEnabled
    recordAppends(of: process)
    guard !process.files.isDead else { return }
    expectedEnabled = isDiskLimited || traits.hasCompanion ? nil : isEnabled
    if !isEnabled { erased(process, isAlone: isAlone) }
    settle(process)
  }

  private func erased(_ process: SimulatedProcess, isAlone: Bool) {
    report.statistics.erasures += 1
    for number in process.open { requests[number]?.isVoid = true }
    // Requests that outlived their process were in flight as well.
    for open in requests.values where open.isOnItsWay {
      for place in open.places { expected[place].isExempt = true }
    }
    // Events in the other process's log are kept.
    expected.erase { isAlone || $0.process == process.number }
    process.timing.disabled()
    let counts = process.engine.log.counts
    if counts.waiting + counts.claimed > 0 { fail("erase", "\(counts.waiting) events wait after an erasure") }
    outage = Outage()
  }

  private func setPaused(_ process: SimulatedProcess, _ isPaused: Bool) {
    note(21, "\(isPaused ? "pause" : "resume") process \(process.number)")
    process.wantsPaused = isPaused
    if isPaused { process.client.pause() } else { process.client.resume() }
    settle(process)
  }

  private func identify(_ process: SimulatedProcess) {
    lastUser += 1
    let user: String? = use.chance(0.3) ? nil : "user-\(lastUser)"
    note(22, "identify \(user ?? "no user")")
    // Setting the same user again keeps the identity.
    if expectedUser == nil || expectedUser != .some(user) { beginIdentity() }
    expectedUser = nil
    process.client.identify(user)
    guard !process.files.isDead else { return }
    if !isDiskLimited { expectedUser = .some(user) }
    settle(process)
  }

  private func reset(_ process: SimulatedProcess) {
    note(28, "reset")
    beginIdentity()
    expectedUser = nil
    process.client.reset()
    guard !process.files.isDead else { return }
    if !isDiskLimited { expectedUser = .some(nil) }
    settle(process)
  }

  private func beginIdentity() {
    lastIdentity += 1
    // If the client's user is unknown, this may or may not start another identity.
    identity = expectedUser == nil ? nil : lastIdentity
    isIdentityKept = !isDiskLimited
  }

  /// Erases the waiting events of the current identity, and no others.
  private func erase(_ process: SimulatedProcess) {
    guard let identity else { return }
    note(29, "erase")
    let before = process.engine.log.counts
    let body = { process.client.erase() }
    if traits.crash > 0, use.chance(0.2) { return die(process, in: body) }
    body()
    recordAppends(of: process)
    guard !process.files.isDead else { return }
    report.statistics.erasures += 1
    for open in requests.values where open.isOnItsWay || open.isOrphan {
      for place in open.places where expected[place].identity == identity { expected[place].isExempt = true }
    }
    let pending = expected.pending { $0.identity == identity }
    expected.erase { $0.identity == identity }
    let after = process.engine.log.counts
    let gone = before.waiting + before.claimed - after.waiting - after.claimed
    if gone > pending { fail("erase", "\(gone) events were erased; \(pending) were the user's") }
    settle(process)
  }

  private func flush(_ process: SimulatedProcess) {
    note(23, "flush of process \(process.number)")
    lastUser += 1
    drain(process)
    let now = clock.uptime
    // Any other flush fails at once and changes nothing.
    if process.engine.log.counts.waiting > 0, process.timing.retryAfterDeadline ?? .zero <= now, !process.isPaused,
      process.client.isEnabled
    {
      process.timing.endPause()
      process.timing.deliver(now: now)
    }
    take(process, [.input(.flushRequested(DeliveryMachine.FlushID(number: 1_000_000 + lastUser)))])
  }

  func leave(_ process: SimulatedProcess) {
    guard !process.isSuspended else { return }
    if process.isInForeground {
      note(24, "process \(process.number) goes to the background")
      process.isInForeground = false
      process.client.didEnterBackground()
      process.timing.background(waiting: process.engine.log.counts.waiting, now: clock.uptime)
      settle(process)
    }
    planUse(in: use.seconds(2, 86_400 * 2 / traits.usesPerDay))
    // Some systems let an app keep running, some only briefly.
    queue.add(.suspend(process: process.number), at: clock.now + use.seconds(0.2, use.chance(0.1) ? 5000 : 30))
    if use.chance(0.1) { queue.add(.end(process: process.number), at: clock.now + use.seconds(0.1, 20)) }
  }

  func suspend(_ process: SimulatedProcess) {
    guard !process.isSuspended, !process.isInForeground else { return }
    note(25, "process \(process.number) is suspended")
    process.isSuspended = true
    look(process)
    if use.chance(0.6) { queue.add(.end(process: process.number), at: clock.now + use.seconds(10, 200_000)) }
  }

  private func resume(_ process: SimulatedProcess) {
    note(26, "process \(process.number) runs again")
    process.isSuspended = false
    look(process)
    if process.wasNetworkMissed, !isOffline { networkComesBack(process) }
    process.wasNetworkMissed = false
    deliverHeldAnswers(process)
    if process.files.isDead { return }
    if process.wasTimerMissed {
      process.wasTimerMissed = false
      process.isTimerSet = false
      take(process, [.input(.timerFired)])
    }
    drain(process)
  }

  private func enterForeground(_ process: SimulatedProcess) {
    guard !process.files.isDead else { return }
    note(27, "process \(process.number) comes to the foreground")
    process.isInForeground = true
    process.client.willEnterForeground()
    process.timing.endPause()
    settle(process)
  }

  func end(_ process: SimulatedProcess) {
    if process.isSuspended || use.chance(0.6) { kill(process) } else { quit(process) }
  }
}
