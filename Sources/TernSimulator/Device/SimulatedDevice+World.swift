import Tern
import TernDelivery
import TernEvents
import TernLog
import TernTestSupport

/// External events on a device.
extension SimulatedDevice {
  func networkChanges() {
    let network = traits.network
    if !isOffline, use.chance(0.2) {
      // Another network replaces this one.
      note(30, "another network")
      announceNetwork()
      return later(.networkChanges, network.online)
    }
    isOffline.toggle()
    note(31, isOffline ? "no network" : "the network is back")
    if !isOffline, use.chance(0.8) { announceNetwork() }
    later(.networkChanges, isOffline ? network.offline : network.online)
  }

  private func announceNetwork() {
    for process in processes {
      if process.isSuspended { process.wasNetworkMissed = true } else { networkComesBack(process) }
    }
  }

  func networkComesBack(_ process: SimulatedProcess) {
    drain(process)
    process.timing.networkAvailable(waiting: process.engine.log.counts.waiting, now: clock.uptime)
    take(process, [.input(.networkAvailable)])
  }

  func collectorChanges() {
    guard collector.mode == .healthy else {
      collector.mode = .healthy
      note(32, "the collector is well")
      return later(.collectorChanges, traits.network.healthy)
    }
    let wait = Duration.seconds(Double(Int(use.fraction(1, use.chance(0.05) ? 200_000 : 4000))))
    let form = use.pick([SimulatedCollector.WaitForm.seconds, .date, .milliseconds])
    collector.mode = use.pick([
      .failing(status: 500), .failing(status: 502), .failing(status: 503), .failing(status: 401),
      .failing(status: 404), .failing(status: 405), .failing(status: 307), .failing(status: 408),
      .throttling(status: 429, wait: wait, form: form), .throttling(status: 503, wait: wait, form: form),
      .throttling(status: 500, wait: wait, form: form), .portal, .confused,
    ])
    if use.chance(0.03) { collector.mode = .refusing }
    note(33, "the collector: \(collector.mode)")
    later(.collectorChanges, traits.network.unhealthy)
  }

  func diskChanges() {
    isDiskLimited.toggle()
    let room = use.number(0...30_000)
    disk.setCapacity(isDiskLimited ? disk.totalBytes + room : nil)
    note(34, isDiskLimited ? "the disk has \(room) bytes left" : "the disk has room again")
    later(.diskChanges, isDiskLimited ? 20_000 : 200_000)
  }

  func clockJumps() {
    let isBack = use.chance(0.5)
    let size = use.seconds(60, use.chance(0.3) ? 3 * 365 * 86_400 : 2 * 86_400)
    clock.error = use.chance(0.4) ? .zero : clock.error + (isBack ? .zero - size : size)
    note(35, "the wall clock is \(clock.error) off")
    later(.clockJumps, 200_000)
  }

  func reboot() {
    note(36, "the device boots")
    for process in processes { kill(process) }
    clock.boot()
    boot = UniqueID.random(using: &use)
    later(.reboots, 400_000)
  }

  func companionStarts() {
    if !processes.contains(where: { $0.slot == 1 }), let process = launch(slot: 1, foreground: false) {
      queue.add(
        .act(process: process.number, remaining: use.number(1...12)), at: clock.now + use.seconds(0.01, 20))
    }
    later(.companion, 40_000)
  }

  // MARK: The end

  /// Makes everything work from now on: all waiting events must then be sent within bounds.
  func heal() {
    note(40, "everything works")
    isHealing = true
    isOffline = false
    collector.mode = .healthy
    disk.setCapacity(nil)
    isDiskLimited = false
    clock.error = .zero
    for process in processes { end(process) }
    guard let process = launch(slot: 0, foreground: true) else { return }
    if !process.client.isEnabled {
      process.client.isEnabled = true
      expectedEnabled = true
      settle(process)
    }
    let started = clock.now
    let limit = drainLimit(process)
    while report.violation == nil, isBusy(process) {
      guard let item = queue.next() else {
        fail("drain", "\(process.engine.log.counts.waiting) events are waiting, and nothing is scheduled")
        return
      }
      clock.now = max(clock.now, item.time)
      if clock.now - started > limit {
        fail("drain", "after \(limit), \(process.engine.log.counts.waiting) events are still waiting")
      }
      heal(item.event)
    }
    guard report.violation == nil else { return }
    report.statistics.worstDrain = max(report.statistics.worstDrain, clock.now - started)
    // Drop counts are saved within a second.
    if process.isTimerSet, !process.loop.hasUnsavedDrops { fail("rest", "a timer is set although nothing is waiting") }
    checkReceiptsAreAnswered(process)
    checkAccounts(process)
  }

  private func isBusy(_ process: SimulatedProcess) -> Bool {
    let counts = process.engine.log.counts
    return counts.waiting + counts.claimed > 0 || !process.open.isEmpty || process.isDrainPlanned
  }

  /// Handles a remaining event while the app is no longer used and no more faults occur.
  private func heal(_ event: SimulationEvent) {
    switch event {
    case .timer, .drain, .arrival, .answer: handle(event)
    default: break
    }
  }

  /// The time limit for sending everything: an hour, plus the remaining wait and a pause for each event refused on its
  /// own.
  private func drainLimit(_ process: SimulatedProcess) -> Duration {
    var limit = Duration.seconds(3600)
    if let hold { limit += max(hold.until - clock.now, hold.wait) }
    if let held = process.timing.retryAfterDeadline, held > clock.uptime { limit += held - clock.uptime }
    let poison = (0..<expected.stored).count { expected[$0].event.name == DeviceUse.poison && !expected[$0].isRejected }
    if traits.network.refusal != .inAnswer || traits.network.maximumBodyBytes < 100_000 {
      limit += setup.maximumRetryDelay * Double(poison + 10)
    }
    // If a gateway blocks health probes, one event is sent after at most 48 of them.
    if traits.network.gatewayStatus != nil { limit += setup.maximumRetryDelay * 50.0 }
    // Sending one event at a time is slow, but allowed.
    return limit + .seconds(traits.network.roundTrip.upperBound * 2 + 1) * Double(process.engine.log.counts.waiting)
  }
}
