import TernBase
import TernCrash
import TernEvents

extension TernClient {
  /// Notes a step that leads to a crash, such as `Opened checkout`, for the report of a crash or a hang.
  ///
  /// The last 32 steps stay in memory: nothing is written or sent unless the process crashes or hangs. Then the error shows
  /// them among the events before it, with their times. A step has up to 100 bytes of UTF-8. The steps of one user are not
  /// in the report of another: a change of the user, ``reset()`` and ``erase()`` forget them, and so does disabling errors.
  ///
  /// It never waits for the disk, and does nothing while this client catches no crashes: see ``Configuration/catchesCrashes``.
  /// On Apple platforms it does nothing, since an app can't add to the system's reports.
  public func step(_ text: String) {
    guard engine.keepsSteps.withLock({ $0 }) else { return }
    CrashCatcher.addStep(text, at: engine.environment.clock.wallTime)
  }
}

extension Engine {
  /// Forgets the steps of an earlier user.
  func forgetSteps() {
    catcher.withLock { $0?.forgetSteps() }
  }
}
