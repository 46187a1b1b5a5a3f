import Foundation
import TernSimulator
import Testing

/// Devices that run the real client for days; docs/simulator.md lists the checks.
///
/// `TERN_SIMULATION_DAYS` and `TERN_SIMULATION_SEED` select the number of days and the seed.
@Suite struct `Simulated devices` {
  private static let environment = ProcessInfo.processInfo.environment
  private static let days = environment["TERN_SIMULATION_DAYS"].flatMap { Double($0) } ?? 200
  private static let seed = environment["TERN_SIMULATION_SEED"].flatMap { UInt64($0) } ?? 1

  @Test func `neither lose nor duplicate events, and keep their intervals`() {
    let simulation = Simulation(seed: Self.seed)
    let outcome = simulation.run(days: Self.days)
    for failure in outcome.failures {
      Issue.record("\(failure.violation?.description ?? "") — \(simulation.command(seed: failure.seed))")
    }
    // A simulation without failures proves nothing.
    let statistics = outcome.statistics
    if Self.days < 200 { return }
    #expect(
      statistics.killsInCalls > 0 && statistics.retries > 0 && statistics.duplicates > 0 && statistics.erasures > 0)
    #expect(statistics.receipts > 100)
  }

  @Test(arguments: [UInt64(11), 12, 13]) func `repeat a run exactly from the same seed`(seed: UInt64) {
    let first = SimulatedDevice(seed: seed).run()
    let second = SimulatedDevice(seed: seed).run()
    #expect(first.digest == second.digest)
    #expect(first.statistics == second.statistics)
    #expect(first.digest != SimulatedDevice(seed: seed + 100).run().digest)
  }

  @Test func `behave the same when they are traced`() {
    var lines = 0
    let told = SimulatedDevice(seed: 14, story: { _ in lines += 1 }).run()
    #expect(told.digest == SimulatedDevice(seed: 14).run().digest)
    #expect(lines > 10)
  }
}
