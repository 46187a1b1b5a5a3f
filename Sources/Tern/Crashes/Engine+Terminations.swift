import Foundation
import TernBase
import TernCrash
import TernEvents

extension Engine {
  /// Records the earlier launches that were terminated. It must look at the reports of their crashes before these are removed.
  ///
  /// As with crashes, a file is removed once its event is on disk, and a repeated event has the same identifier.
  func recordTerminations() {
    let directory = crashDirectory
    guard configuration.reportsTerminations else {
      // Launches that an earlier configuration kept must not be reported long after.
      for launch in directory.endedLaunches(besides: CrashCatcher.currentReport) { directory.removeLaunch(launch.id) }
      return
    }
    let crashed = Set(directory.reports(besides: CrashCatcher.currentReport).map(\.crash.id))
    for launch in directory.endedLaunches(besides: CrashCatcher.currentReport) {
      let state = try? JSONDecoder().decode(LaunchState.self, from: Data(launch.content))
      guard let state,
        let cause = state.termination(hasReport: crashed.contains(launch.id), boot: environment.boot)
      else {
        directory.removeLaunch(launch.id)
        continue
      }
      let context = CrashContext(Array(state.context.utf8))
      let receipt = recordTermination(
        cause.rawValue,
        TernClient.PreviousProcess(
          id: launch.id, time: min(launch.time, environment.clock.wallTime), session: context.session,
          user: context.user, device: context.device))
      if receipt.isOnDisk || receipt.refusal != nil { directory.removeLaunch(launch.id) }
    }
  }

  /// Keeps the state of this launch on disk, if the configuration has it and the client catches crashes.
  func keepLaunch() {
    guard configuration.reportsTerminations, keepsSteps.withLock({ $0 }), let id = CrashCatcher.currentReport else {
      return
    }
    launch.withLock { file in
      file = LaunchFile(in: crashDirectory, id: id, at: environment.clock.wallTime, launchState)
    }
  }

  /// Writes a new state of this launch.
  func refreshLaunch() {
    launch.withLock { file in
      if let file { file.write(launchState, at: environment.clock.wallTime) }
    }
  }

  /// Notes that this launch still runs.
  func touchLaunch() {
    launch.withLock { $0?.touch(at: environment.clock.wallTime) }
  }

  /// Notes that this launch ends on its own accord.
  func endLaunch() {
    launch.withLock { file in
      file?.remove()
      file = nil
    }
  }

  private var launchState: [UInt8] {
    let isDebugged = debuggerIsAttached()
    let state = recorder.withLock { recorder in
      LaunchState(
        isInForeground: recorder.sessions.isInForeground, isDebugged: isDebugged, boot: environment.boot,
        context: recorder.off.contains(.usage) ? "" : String(decoding: recorder.crashContext, as: UTF8.self))
    }
    return (try? JSONEncoder().encode(state)).map(Array.init) ?? []
  }
}
