import Tern
import TernBase
import TernDelivery
import TernEvents
import TernLog

/// The connection between the real delivery loop and the simulated world.
extension SimulatedDevice {
  /// Passes the messages of an app call to the delivery loop, at once or slightly later.
  func settle(_ process: SimulatedProcess) {
    recordAppends(of: process)
    guard !process.isSuspended else { return }
    if traits.isBusy, !process.files.isDead {
      guard !process.isDrainPlanned else { return }
      process.isDrainPlanned = true
      queue.add(.drain(process: process.number), at: clock.now + use.seconds(0.0001, 0.05))
    } else {
      drain(process)
    }
  }

  func drain(_ process: SimulatedProcess) {
    if !process.isSuspended { take(process, []) }
  }

  /// Passes the waiting messages and the given ones to the delivery loop, and applies its effects.
  func take(_ process: SimulatedProcess, _ messages: [Message]) {
    let now = clock.uptime
    if let late = process.timing.check(now: now) { fail("timing", "process \(process.number): \(late)") }
    let counts = process.engine.log.counts
    process.timing.notice(waiting: counts.waiting, critical: counts.waitingCritical, now: now)
    let adoptions = process.loop.adoptions
    var next = process.engine.mailbox.takeAll() + messages
    // Effects such as recording a drop report post messages too.
    while !next.isEmpty {
      process.loop.take(next)
      next = process.engine.mailbox.takeAll()
    }
    recordAppends(of: process)
    if process.files.isDead { return }
    // Adopted events are a backlog, as at a launch.
    if process.loop.adoptions > adoptions { process.timing.deliver(now: now) }
    finishStep(process)
  }

  /// Applies the delivery loop's effects and checks the result.
  func finishStep(_ process: SimulatedProcess) {
    if process.isPaused, process.wantsPaused, !process.loop.effects.sent.isEmpty {
      fail("pause", "process \(process.number) sends while it is paused")
    }
    process.isPaused = process.wantsPaused
    checkReceipts(process)
    applyEffects(of: process)
    look(process)
  }

  private func applyEffects(of process: SimulatedProcess) {
    let effects = process.loop.effects
    process.loop.effects = SimulatedEffects()
    for batch in effects.sent { send(process, batch.id, batch.records) }
    for batch in effects.cancelled { cancel(process, batch) }
    if effects.isNetworkNew { abandon(process, but: effects.sent.count) }
    guard let wish = effects.timer else { return }
    process.timer += 1
    process.isTimerSet = wish != nil
    process.wasTimerMissed = false
    guard let deadline = wish else { return }
    if deadline < clock.uptime { fail("timer", "a timer is set to \(clock.uptime - deadline) ago") }
    let late = traits.isBusy ? use.seconds(0.0001, 0.2) : .zero
    queue.add(
      .timer(process: process.number, number: process.timer), at: clock.moment(ofUptime: deadline) + late)
  }

  func look(_ process: SimulatedProcess) {
    let counts = process.engine.log.counts
    process.timing.look(
      TimingOracle.View(
        now: clock.uptime, waiting: counts.waiting, waitingCritical: counts.waitingCritical,
        inFlight: process.open.count, isFailing: isFailing || process.hasProbed,
        isClaimLimitReached: counts.isClaimLimitReached,
        mayRun: process.client.isEnabled && !process.isPaused && !process.isSuspended))
    let status = process.client.status
    if status.delivered != process.delivered {
      fail(
        "status", "the client counts \(status.delivered) delivered events instead of \(process.delivered)")
    }
    if !process.client.ledger.balances { fail("status", "the ledger does not balance: \(process.client.ledger)") }
    if let fault = process.timing.rapidFailures { fail("pauses", fault) }
    balance(process, counts)
  }

  func timerFires(_ process: SimulatedProcess, _ number: Int) {
    guard process.timer == number else { return }
    if process.isSuspended {
      process.wasTimerMissed = true
      return
    }
    process.isTimerSet = false
    take(process, [.input(.timerFired)])
  }

  /// Adds the events recorded since the last call to `ExpectedState`.
  func recordAppends(of process: SimulatedProcess) {
    let newItems = process.appended.withLock { newItems in
      defer { newItems = [] }
      return newItems
    }
    for item in newItems {
      guard case .stored = item.outcome else {
        // Events that a dying process could not store were never acknowledged.
        if case .dropped(let reason) = item.outcome, !process.files.isDead { refuse(item.event, reason) }
        continue
      }
      remember(item, process)
    }
  }

  private func refuse(_ event: Event, _ reason: DropReason) {
    expected.refused[reason, default: 0] += 1
    note(5, "\(event.kind) \(event.name) is refused: \(reason)")
  }

  private func remember(_ item: SimulatedProcess.Appended, _ process: SimulatedProcess) {
    let event = item.event
    report.statistics.events += 1
    report.digest.mix(event.id.low)
    // Every line contains the device facts; no check depends on the exact length.
    let bytes = 400 + event.properties.elements.reduce(0) { $0 + $1.name.utf8.count + $1.value.roughBytes }
    let isNew = expected.add(
      ExpectedState.Entry(
        event: event, isCritical: item.lane == .critical, process: process.number, identity: identity(of: event),
        storedAt: clock.now, bytes: bytes))
    if !isNew { fail("identifiers", "\(event.id) was assigned twice") }
    if event.install != process.client.installID { fail("install", "an event carries another install") }
    if process.slot == 0, event.kind != .drops, let expectedUser, !traits.hasCompanion, !process.files.isDead,
      !wasHeld(event), event.user != expectedUser
    {
      fail("user", "an event carries the user \(event.user ?? "none") instead of \(expectedUser ?? "none")")
    }
  }

  /// Returns true if an event was buffered in memory before it reached the log.
  private func wasHeld(_ event: Event) -> Bool {
    event.uptimeMilliseconds.map { $0 < clock.uptime.wholeMilliseconds } ?? false
  }

  /// Returns the identity at the time at which an event was recorded.
  private func identity(of event: Event) -> Int? {
    guard wasHeld(event), let uptime = event.uptimeMilliseconds else { return identity }
    let recorded = clock.now - (clock.uptime - .milliseconds(uptime))
    return identities.last { $0.since <= recorded }?.identity ?? nil
  }

  /// Checks that every stored event is waiting, in flight, acknowledged, or dropped and counted.
  private func balance(_ process: SimulatedProcess, _ counts: LogCounts) {
    // Two processes share the events, and neither counts those of a dead one until it adopts them.
    guard !traits.hasCompanion, process.engine.log.isOpen else { return }
    let losses = losses(counted: totals)
    let here = counts.waiting + counts.claimed
    let rest = expected.stored - expected.acknowledged
    // A torn tombstone invalidates earlier ones in the same write: the events they settled come back and are sent
    // again.
    let most = drops.tears > 0 ? Int.max : rest - losses.lowerBound
    guard here < rest - losses.upperBound || here > most else { return }
    fail(
      "balance",
      "\(expected.stored) stored - \(expected.acknowledged) delivered - \(losses) dropped, yet the log holds \(here); "
        + "counted \(totals.text), refused \(expected.refused.text)")
  }

  /// The number of stored events that were dropped later.
  func losses(counted: [DropReason: Int]) -> ClosedRange<Int> {
    let all = drops.drops(counted: counted)
    let refused = expected.refusedTotal
    // An event whose acknowledgement was lost in a crash comes back and may then be dropped; a torn record is not an
    // event.
    return (all.lowerBound - refused - drops.tears - drops.acknowledgedInCrash)...(all.upperBound - refused)
  }
}

extension PropertyValue {
  fileprivate var roughBytes: Int {
    if case .string(let text) = self { text.utf8.count + 6 } else { 14 }
  }
}
