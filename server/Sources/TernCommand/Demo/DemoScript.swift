import Foundation

/// The course of the demo: first the past of all installs, then live traffic with a kill and a lost network.
struct DemoScript {
  let stage: DemoStage
  let installs: Int
  let processes: Int
  let gate: NetworkGate
  /// Events stored so far, for the progress line.
  let storedEvents: @Sendable () async -> Int
  let say: @Sendable (String) -> Void

  /// Lives through the past, in several processes at a time.
  func playHistory() async throws {
    say("\(installs) installs live through \(stage.days) days in \(processes) processes …")
    let share = (installs + processes - 1) / processes
    let running = stride(from: 0, to: installs, by: share).map {
      stage.history(first: $0, count: min(share, installs - $0))
    }
    for process in running { try process.start() }
    let identifiers = running.map(\.identifier)
    let progress = Task { [say, storedEvents] in
      while true {
        try await Task.sleep(for: .seconds(2))
        say("  \(await storedEvents()) events have arrived")
      }
    }
    defer { progress.cancel() }
    try await withTaskCancellationHandler {
      for process in running { try await process.finished() }
    } onCancel: {
      for identifier in identifiers { kill(identifier, SIGTERM) }
    }
    say("the past has arrived: \(await storedEvents()) events")
  }

  /// Uses the app now until cancelled, or for a time. One process is killed and restarted, one loses its network.
  func playLive(killAfter: Duration, networkGoneFor: Duration, endAfter: Duration?) async throws {
    try await gate.open()
    let address = "http://127.0.0.1:\(await gate.port)"
    // Of the installs that have a past; a small demo has small groups, but each has one install at least.
    let group = max(1, min(10, installs / 6))
    let crowd = stage.live(first: 0, count: min(4 * group, max(1, installs - 2 * group)), pace: .milliseconds(60))
    let travellers = stage.live(first: 4 * group, count: group, through: address, pace: .milliseconds(250))
    var victim = stage.live(first: 5 * group, count: group, pace: .milliseconds(250))
    defer { for process in [crowd, travellers, victim] { process.terminate() } }
    for process in [crowd, travellers, victim] { try process.start() }
    say("three processes use the app now (\(crowd.identifier), \(travellers.identifier), \(victim.identifier))")
    let end = endAfter.map { ContinuousClock.now + $0 }
    func wait(_ duration: Duration) async throws -> Bool {
      let until = min(ContinuousClock.now + duration, end ?? .now + duration)
      try await Task.sleep(until: until)
      return end.map { ContinuousClock.now < $0 } ?? true
    }
    while try await wait(killAfter) {
      victim.kill()
      say("process \(victim.identifier) was killed with SIGKILL; what it had recorded waits on its disk")
      guard try await wait(.seconds(3)) else { return }
      victim = stage.live(first: 5 * group, count: group, pace: .milliseconds(250))
      try victim.start()
      say("it was restarted as \(victim.identifier) and sends what it had recorded before")
      await gate.shut()
      say("process \(travellers.identifier) lost its network for \(networkGoneFor.components.seconds) s")
      guard try await wait(networkGoneFor) else { return }
      try await gate.open()
      say("the network of \(travellers.identifier) is back; its events arrive with the times they had")
    }
  }
}
