import Dispatch
import TernBase
import TernCrash
import TernEvents

extension Engine {
  /// Starts watching the main thread if the configuration has it and the client catches crashes.
  func watchMainThread() {
    guard configuration.reportsHangs, let catcher = catcher.withLock({ $0 }) else { return }
    // `began` must take no lock that a hung main thread may hold, such as the recorder's; hence its own generator.
    let generator = Locked(recorder.withLock { FastGenerator(seed: $0.generator.next()) })
    let mainThread = Locked<MainThread?>(nil)
    let report = Locked<HangReport?>(nil)
    let watchdog = HangWatchdog(
      clock: environment.clock,
      ping: { answer in
        DispatchQueue.main.async {
          // After `dispatchMain()`, other threads run this queue.
          guard let current = MainThread.current else { return }
          mainThread.withLock { $0 = current }
          answer()
        }
      },
      began: { [environment] in
        guard let thread = mainThread.withLock({ $0 }) else { return }
        let id = generator.withLock { UniqueID.timeOrdered(at: environment.clock.wallTime, using: &$0) }
        let written = catcher.reportHang(of: thread, id: id)
        report.withLock { $0 = written }
      },
      ended: { [weak self] duration in
        guard let written = report.withLock({ $0.take() }) else { return }
        if let self, let hang = written.content, !self.recordHang(hang, lasting: duration) { written.keep() }
      })
    hangs.withLock { $0 = watchdog }
    watchdog.start()
  }

  func stopWatching() {
    hangs.withLock { $0.take() }?.stop()
  }

  /// Records the hangs that lasted until the end of earlier processes.
  func recordEarlierHangs() {
    for report in crashDirectory.reports(.hang, besides: nil) where recordHang(report.crash, lasting: nil) {
      crashDirectory.remove([report.crash.id])
    }
  }

  /// Records a hang; returns true if its report is not needed any more.
  private func recordHang(_ hang: CaughtCrash, lasting duration: Duration?) -> Bool {
    guard recorder.withLock({ $0.isEnabled && !$0.off.contains(.errors) }) else { return true }
    let receipt = recordEarlier(
      .handledError, hang.hangException(lasting: duration), TernClient.PreviousProcess(hang), [])
    return receipt.isOnDisk || receipt.refusal != nil
  }
}
