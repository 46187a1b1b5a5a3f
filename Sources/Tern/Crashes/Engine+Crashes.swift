import Dispatch
import Foundation
import TernBase
package import TernCrash
import TernEvents

extension Engine {
  var crashDirectory: CrashDirectory { CrashDirectory(inQueue: configuration.queueDirectory.path) }

  /// Starts catching crashes for this client, unless the process catches them for another one already.
  package func catchCrashes() {
    catcher.withLock { catcher in
      guard catcher == nil else { return }
      let (id, context) = recorder.withLock { recorder in
        (UniqueID.timeOrdered(at: environment.clock.wallTime, using: &recorder.generator), recorder.crashContext)
      }
      catcher = CrashCatcher(in: crashDirectory, id: id, context: context)
      let isCatching = catcher != nil
      keepsSteps.withLock { $0 = isCatching }
    }
  }

  /// Keeps the context of this launch on disk, for a system that reports its crash at a later launch.
  func keepLaunches(process: Int) {
    crashDirectory.create()
    let file = URL(fileURLWithPath: crashDirectory.path).appendingPathComponent("launches")
    let journal = LaunchJournal(file, process: process, launched: environment.clock.wallTime)
    self.journal.withLock { $0 = journal }
    refreshCrashContext()
  }

  /// Passes a new session, user or device to the report of a crash.
  ///
  /// The caller must not hold the recorder's lock, which is taken here so that the last change wins.
  func refreshCrashContext() {
    catcher.withLock { catcher in
      let journal = journal.withLock { $0 }
      guard catcher != nil || journal != nil,
        let context = recorder.withLock({ $0.isClosed ? nil : $0.crashContext })
      else { return }
      catcher?.setContext(context)
      journal?.update(context)
    }
    refreshLaunch()
  }

  func stopCatching() {
    keepsSteps.withLock { $0 = false }
    catcher.withLock { catcher in
      catcher?.stop()
      catcher = nil
    }
  }

  /// Records the crashes of earlier processes, and returns the receipts of those that crashed while starting.
  ///
  /// A report is removed once its event is on disk. If the process ends in between, the next one records the event again,
  /// under the same identifier, so it counts once.
  func recordEarlierCrashes() -> [Receipt] {
    let directory = crashDirectory
    let reports = directory.reports(besides: CrashCatcher.currentReport)
    guard !reports.isEmpty else { return [] }
    guard recorder.withLock({ $0.isEnabled && !$0.off.contains(.errors) }) else {
      directory.remove(reports.map(\.crash.id))
      return []
    }
    return reports.compactMap { report in
      let receipt = recordEarlier(
        .crash, report.crash.exception, TernClient.PreviousProcess(report.crash), [])
      if receipt.isOnDisk || receipt.refusal != nil { directory.remove([report.crash.id]) }
      return report.crash.uptime < Self.startTime ? receipt : nil
    }
  }

  /// A crash within this time after the start may prevent every delivery.
  private static let startTime = Duration.seconds(10)

  /// Waits until the collector has stored the events, within the environment's limit.
  func waitForDelivery(of receipts: [Receipt]) {
    guard !receipts.isEmpty, !clientState.withLock({ $0.isPaused }) else { return }
    let delivered = DispatchSemaphore(value: 0)
    for receipt in receipts { receipt.onOutcome { _ in delivered.signal() } }
    let limit = environment.startDelayLimit
    let deadline = DispatchTime.now() + .milliseconds(Int(clamping: limit.wholeMilliseconds))
    for _ in receipts where delivered.wait(timeout: deadline) == .timedOut { return }
  }
}

extension Recorder {
  /// The context of a crash that happens now; empty if it must not be reported.
  var crashContext: [UInt8] {
    guard isEnabled, !off.contains(.errors) else { return [] }
    return CrashContext.encoded(session: sessions.current, user: user, device: device)
  }
}

extension TernClient.PreviousProcess {
  /// The facts about the process of a crash report.
  package init(_ crash: CaughtCrash) {
    let context = CrashContext(crash.context)
    self.init(
      id: crash.id, time: crash.time, launched: crash.time - crash.uptime, session: context.session, user: context.user,
      device: context.device, steps: crash.steps)
  }
}

extension TernClient {
  /// Starts catching crashes, if the environment has it, for an owner that records the reports itself.
  package func catchCrashes() {
    if engine.environment.catchesCrashes { engine.catchCrashes() }
  }
}
