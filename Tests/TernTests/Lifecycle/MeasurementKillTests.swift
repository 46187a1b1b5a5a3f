import Foundation
import Tern
import TernChildProcess
import TernEvents
import TernLog
import TernMeasurement
import TernTestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Uses a real process on a real disk.
@Suite(.serialized, .timeLimit(.minutes(30))) struct `A process that is killed with unsent hits` {
  @Test func `has each hit sent once after the restart`() async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("tern-hits-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    for life in 0..<3 {
      let app = try ProbeProcess(["hits", "--directory", directory.path])
      _ = try #require(await app.line("ready"))
      for number in 0..<50 { app.say("send \(life * 50 + number)") }
      _ = try #require(await app.line("sent \(life * 50 + 49)"))
      kill(app.identifier, SIGKILL)
      let exit = await app.ended()
      #expect(exit == .signal(SIGKILL))
    }
    let transport = MeasurementTransport()
    let client = MeasurementClient(
      MeasurementClient.Configuration(
        directory: directory, collector: URL(string: "http://collector.test"), callback: { body in Task { body() } }),
      environment: TernClient.Environment(
        clock: SystemClock(), seed: 1, transport: transport, device: { TestHarness.device },
        boot: TernClient.Environment.live.boot))
    #expect(client.engine.log.counts.waiting == 150)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      client.dispatchAll { _ in continuation.resume() }
    }
    #expect(transport.received.compactMap { $0["el"] }.compactMap(Int.init) == Array(0..<150))
    #expect(transport.requests.map(\.hits.count) == Array(repeating: 20, count: 7) + [10])
    #expect(Set(transport.received.map { $0["cid"] }).count == 1, "the client ID stays the same")
    #expect(transport.received.compactMap { $0["_s"] }.compactMap(Int.init) == Array(1...150))
    // Within one boot the waiting time does not depend on the wall clock.
    #expect(transport.received.allSatisfy { Int64($0["qt"] ?? "") ?? -1 >= 0 })
    await client.shutdown()
  }
}
