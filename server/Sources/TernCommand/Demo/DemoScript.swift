import Foundation
import TernChildProcess

/// The course of the demo: the history of all installs, then live traffic with a killed process and a network failure.
struct DemoScript {
  let stage: DemoStage
  let installs: Int
  let processes: Int
  let gate: NetworkGate
  /// Returns the number of stored events for the progress line.
  let storedEvents: @Sendable () async -> Int
  let say: @Sendable (String) -> Void

  /// Plays the history in several concurrent processes.
  func playHistory() async throws {
    say("\(installs) installs play \(stage.days) days in \(processes) processes …")
    let share = (installs + processes - 1) / processes
    let running = try stride(from: 0, to: installs, by: share).map {
      try stage.startHistory(first: $0, count: min(share, installs - $0))
    }
    let progress = Task { [say, storedEvents] in
      while true {
        try await Task.sleep(for: .seconds(2))
        say("  \(await storedEvents()) events have arrived")
      }
    }
    defer { progress.cancel() }
    try await withTaskCancellationHandler {
      for process in running { try await process.succeeded() }
    } onCancel: {
      for process in running { process.send(SIGTERM) }
    }
    say("the history has arrived: \(await storedEvents()) events")
  }

  /// Plays live traffic until cancelled or for a limited time. One process is killed and restarted, one loses its
  /// network.
  func playLive(killAfter: Duration, networkGoneFor: Duration, endAfter: Duration?) async throws {
    try await gate.open()
    let address = "http://127.0.0.1:\(await gate.port)"
    // Uses installs with a history; in a small demo, each group still has at least one.
    let group = max(1, min(10, installs / 6))
    let crowd = try stage.startLive(
      first: 0, count: min(4 * group, max(1, installs - 2 * group)), pace: .milliseconds(60))
    let travellers = try stage.startLive(first: 4 * group, count: group, through: address, pace: .milliseconds(250))
    var killable = try stage.startLive(first: 5 * group, count: group, pace: .milliseconds(250))
    defer { for process in [crowd, travellers, killable] { process.send(SIGTERM) } }
    say("three processes use the app (\(crowd.identifier), \(travellers.identifier), \(killable.identifier))")
    let end = endAfter.map { ContinuousClock.now + $0 }
    func wait(_ duration: Duration) async throws -> Bool {
      let until = min(ContinuousClock.now + duration, end ?? .now + duration)
      try await Task.sleep(until: until)
      return end.map { ContinuousClock.now < $0 } ?? true
    }
    while try await wait(killAfter) {
      killable.kill()
      say("process \(killable.identifier) was killed with SIGKILL; its unsent events are on disk")
      guard try await wait(.seconds(3)) else { return }
      killable = try stage.startLive(first: 5 * group, count: group, pace: .milliseconds(250))
      say("restarted as \(killable.identifier), it sends the events of the killed process")
      await gate.close()
      say("process \(travellers.identifier) lost its network for \(networkGoneFor.components.seconds) s")
      guard try await wait(networkGoneFor) else { return }
      try await gate.open()
      say("the network of \(travellers.identifier) is back; its events arrive with their original times")
    }
  }
}

extension ChildProcess {
  /// Waits for an example app to end; throws if it failed.
  fileprivate func succeeded() async throws {
    let exit = await ended()
    try Task.checkCancellation()
    guard exit == .code(0) else { throw CommandFailure("The example app ended with \(exit).") }
  }
}
