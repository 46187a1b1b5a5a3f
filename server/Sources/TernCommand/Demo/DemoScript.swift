import Foundation
import TernChildProcess
import TernServer

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

  /// Plays live traffic at the pace of the story until cancelled or for a limited time. Once a day a process is killed
  /// and restarted, and one loses its network.
  func playLive(_ pace: DemoPace, killAfter: Duration, networkGoneFor: Duration, endAfter: Duration?) async throws {
    try await gate.open()
    let end = endAfter.map { ContinuousClock.now + $0 }
    // Uses installs with a history; in a small demo, each group still has at least one.
    let group = max(1, min(10, installs / 6))
    let crowd = try stage.startLive(first: 2 * group, count: installs - 2 * group, pace: pace.crowd)
    defer { crowd.send(SIGTERM) }
    say("people use the app as on a usual day: about \(Int(pace.daily)) events (process \(crowd.identifier))")
    repeat {
      try await show(pace, group: group, killAfter: killAfter, networkGoneFor: networkGoneFor, end: end)
    } while try await wait(DemoPace.showInterval, end: end)
  }

  /// Kills a process and restarts it, and takes the network from another one for a while.
  private func show(
    _ pace: DemoPace, group: Int, killAfter: Duration, networkGoneFor: Duration, end: ContinuousClock.Instant?
  ) async throws {
    // The travellers play all the time, the other process until it is killed, and again until its events are sent.
    let travelling: Duration = killAfter + Self.closed + networkGoneFor + Self.delivery
    let killing: Duration = killAfter + Self.delivery
    let quick = [pace.show(travelling + killing)]
    let travellers = try stage.startLive(
      first: 0, count: group, through: "http://127.0.0.1:\(await gate.port)", pace: quick)
    var killable = try stage.startLive(first: group, count: group, pace: quick)
    defer { for process in [travellers, killable] { process.send(SIGTERM) } }
    say("two more processes use it for a short time (\(travellers.identifier), \(killable.identifier))")
    guard try await wait(killAfter, end: end) else { return }
    killable.kill()
    say("process \(killable.identifier) was killed with SIGKILL; its unsent events are on disk")
    guard try await wait(Self.closed, end: end) else { return }
    killable = try stage.startLive(first: group, count: group, pace: quick)
    say("restarted as \(killable.identifier), it sends the events of the killed process")
    await gate.close()
    say("process \(travellers.identifier) lost its network for \(networkGoneFor.components.seconds) s")
    guard try await wait(Self.delivery, end: end) else { return }
    killable.send(SIGTERM)
    guard try await wait(networkGoneFor - Self.delivery, end: end) else { return }
    try await gate.open()
    say("the network of \(travellers.identifier) is back; its events arrive with their original times")
    _ = try await wait(Self.delivery, end: end)
  }

  /// The time for which a killed app stays closed.
  private static let closed = Duration.seconds(3)
  /// The time after which a process has sent what had waited.
  private static let delivery = Duration.seconds(20)

  /// Waits; false if the demo has ended by then.
  private func wait(_ duration: Duration, end: ContinuousClock.Instant?) async throws -> Bool {
    let until = min(ContinuousClock.now + duration, end ?? .now + duration)
    try await Task.sleep(until: until)
    return end.map { ContinuousClock.now < $0 } ?? true
  }
}

extension ChildProcess {
  /// Waits for an example app to end; throws if it failed.
  fileprivate func succeeded() async throws {
    let exit = await ended()
    try Task.checkCancellation()
    guard exit == .code(0) else { throw ServerFailure("The example app ended with \(exit).") }
  }
}
