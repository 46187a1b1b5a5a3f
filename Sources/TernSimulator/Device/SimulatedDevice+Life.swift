import Foundation
import Tern
import TernBase
import TernEvents
import TernLog
import TernTestSupport

/// Launches and deaths of processes.
extension SimulatedDevice {
  /// Starts a process; returns `nil` if it has no client or died during the start.
  @discardableResult
  func launch(slot: Int, foreground: Bool, dyingAfter operations: Int? = nil) -> SimulatedProcess? {
    lastProcess += 1
    report.statistics.launches += 1
    note(1, "launch \(lastProcess), slot \(slot), \(foreground ? "foreground" : "background"), version \(appVersion)")
    let before = totals
    if slot == 0, !isIdentityKept { identity = nil }
    let files = ProcessFiles(disk)
    if let operations { files.die(afterOperations: operations, tearing: tear()) }
    let appended = Locked<[SimulatedProcess.Appended]>([])
    let engine: Engine
    do throws(TernError) {
      engine = try Engine(configuration(), environment(files, foreground, appended))
    } catch {
      files.kill()
      fail("launch", "the client cannot be created: \(error)")
      return nil
    }
    if operations == nil, !isDiskLimited, !engine.status.hasStorage { fail("launch", "the storage cannot be opened") }
    if !engine.log.isOpen { note(2, "no storage yet") }
    let hadBacklog = engine.log.counts.waiting > 0
    let process = SimulatedProcess(
      number: lastProcess, slot: slot, setup: setup, files: files, engine: engine, appended: appended,
      isInForeground: foreground,
      timing: timingOracle())
    processes.append(process)
    if operations == nil { checkLaunch(process) }
    let counts = engine.log.counts
    process.timing.notice(waiting: counts.waiting, critical: counts.waitingCritical, now: clock.uptime)
    process.loop.begin()
    if hadBacklog { process.timing.deliver(now: clock.uptime) }
    recordAppends(of: process)
    if !process.files.isDead { finishStep(process) }
    settle(process)
    guard operations != nil else { return process }
    kill(process, before: before)
    return nil
  }

  private func timingOracle() -> TimingOracle {
    var timing = TimingOracle(
      TimingOracle.Rules(
        flushInterval: setup.flushInterval, flushAt: setup.flushAt,
        maximumInFlight: setup.maximumBatchesInFlight, maximumRetryDelay: setup.maximumRetryDelay))
    guard let hold else { return timing }
    let isSameBoot = hold.boot == boot
    let until = clock.uptime + (isSameBoot ? hold.until - clock.now : hold.wait)
    if until > clock.uptime { timing.hold(until: until, isKept: hold.isKept && isSameBoot) }
    return timing
  }

  private func configuration() -> TernClient.Configuration {
    var configuration = TernClient.Configuration(
      key: SimulatedCollector.key, collector: URL(string: "http://collector.test") ?? URL(fileURLWithPath: "/"))
    configuration.queueDirectory = URL(fileURLWithPath: Self.directory)
    let app = setup
    configuration.maximumQueueBytes = app.maximumQueueBytes
    configuration.maximumEventAge = app.maximumEventAge
    configuration.flushInterval = app.flushInterval
    configuration.flushAt = app.flushAt
    configuration.maximumBatchEvents = app.maximumBatchEvents
    configuration.maximumBatchBytes = app.maximumBatchBytes
    configuration.maximumBatchesInFlight = app.maximumBatchesInFlight
    configuration.maximumRetryDelay = app.maximumRetryDelay
    configuration.requestTimeout = Self.timeout
    configuration.compressesRequests = app.compresses
    configuration.durability = [.never, .onBackgroundAndCritical, .everyBatch][app.durability]
    return configuration
  }

  private func environment(
    _ files: ProcessFiles, _ foreground: Bool, _ appended: Locked<[SimulatedProcess.Appended]>
  ) -> TernClient.Environment {
    let device = Device(
      osName: "SimulatedOS", osVersion: "1", locale: "en_GB", appVersion: "\(appVersion)", appBuild: "1")
    var environment = TernClient.Environment(
      clock: clock, seed: use.next(), transport: NoTransport(), device: { device }, boot: boot.description,
      isInForeground: foreground)
    environment.fileSystem = files
    environment.observesAppends = { event, lane, outcome in
      appended.withLock { $0.append(SimulatedProcess.Appended(event: event, lane: lane, outcome: outcome)) }
    }
    return environment
  }

  /// The number of bytes of a torn write that reach the disk; `nil` if the write is missing altogether.
  private func tear() -> Int? {
    traits.tears && use.chance(0.6) ? use.number(0...400) : nil
  }

  /// Kills the process within a call.
  func die(_ process: SimulatedProcess, in body: () -> Void) {
    let before = totals
    process.files.die(afterOperations: Int(use.fraction(1, 40)) - 1, tearing: tear())
    body()
    kill(process, before: before)
  }

  /// Kills a process without warning.
  ///
  /// - Parameter before: The drops counted before the call, if the process died within one.
  func kill(_ process: SimulatedProcess, before: [DropReason: Int]? = nil) {
    recordAppends(of: process)
    let dying = totals
    let isInCall = process.files.isDead
    report.statistics.kills += 1
    if isInCall { report.statistics.killsInCalls += 1 }
    note(3, "process \(process.number) is killed\(isInCall ? " in a call" : "")")
    if isInCall {
      // It is unknown which of its last settings were saved.
      expectedUser = nil
      isIdentityKept = false
      expectedEnabled = nil
      hold?.isKept = false
      // A full disk also stores partial records, and the dead process could not truncate them.
      if isDiskLimited { drops.tears += 1 }
      // Also, the process may not have saved that the collector works.
      isFailing = true
    }
    process.files.kill()
    if process.files.hasTorn { drops.tears += 1 }
    remove(process)
    accountForDeath(before: isInCall ? before ?? dying : dying, dying: dying)
  }

  /// Ends a process that has time to clean up.
  func quit(_ process: SimulatedProcess) {
    note(4, "process \(process.number) ends")
    process.client.willTerminate()
    drain(process)
    let before = totals
    process.loop.end()
    recordAppends(of: process)
    checkReceipts(process, hasEnded: true)
    process.files.kill()
    remove(process)
    // Ending may drop events, too; their counts are on the disk now. Those that were only buffered were never stored.
    var counted = before.merging(totals, uniquingKeysWith: max)
    counted[.storageFailed] = before[.storageFailed]
    accountForDeath(before: counted, dying: counted)
  }

  private func remove(_ process: SimulatedProcess) {
    // Unanswered first requests of a launch are saved, so the next process starts with a health probe.
    if !process.isAnswered, process.open.contains(where: { requests[$0]?.places.isEmpty == false }) { isFailing = true }
    processes.removeAll { $0.number == process.number }
    for number in process.open {
      guard var request = requests[number] else { continue }
      request.isOrphan = true
      for place in request.places { expected[place].openRequests -= 1 }
      // A request that has left the device may still arrive.
      if request.isOnItsWay, net.chance(0.5) { requests[number] = request } else { requests[number] = nil }
    }
    if process.slot == 0 { planUse(in: use.seconds(2, 86_400 * 2 / traits.usesPerDay)) }
  }

  private func accountForDeath(before: [DropReason: Int], dying: [DropReason: Int]) {
    drops.died(before: before, dying: dying, after: totals)
    trace("counted \(totals.text), forgotten \(drops.forgotten.text), refused \(expected.refused.text)")
  }

  var totals: [DropReason: Int] { DropAccount.totals(processes, disk) }

  /// Checks that the settings of an earlier process are in effect.
  private func checkLaunch(_ process: SimulatedProcess) {
    guard process.engine.log.isOpen else { return }
    if let install, process.client.installID != install { fail("install", "the install's identifier has changed") }
    install = process.client.installID
    if let expectedEnabled, process.client.isEnabled != expectedEnabled {
      fail("settings", "the client is \(process.client.isEnabled ? "enabled" : "disabled") after a launch")
    }
    guard !process.client.isEnabled else { return }
    // An opt-out interrupted by a kill must be complete now.
    if processes.count == 1 {
      let counts = process.engine.log.counts
      if counts.waiting + counts.claimed > 0 { fail("erase", "\(counts.waiting) events wait in a disabled client") }
      expected.erase { _ in true }
    }
  }
}
