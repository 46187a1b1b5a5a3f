import Foundation
import Tern
import TernEvents
import TernLog
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Drop reports` {
  /// The drops that the collector has received, by reason.
  private func reported(_ harness: TestHarness) -> [DropReason: Int] {
    var sums: [DropReason: Int] = [:]
    for report in harness.transport.received.all("drops") {
      for case (let name, .integer(let count)) in report.properties { sums[DropReason(name), default: 0] += Int(count) }
    }
    return sums
  }

  @Test(arguments: [1, 7, 500]) func `add up to the dropped events however long the collector fails`(
    batch: Int
  ) async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .status(500) })
    let tern = try harness.client {
      $0.sessions = .manual
      $0.maximumQueueBytes = 24 << 10
      $0.maximumBatchEvents = batch
    }
    for round in 0..<20 {
      for number in 0..<150 { tern.track("E\(number)", ["Round": round]) }
      await tern.flush()
    }
    harness.transport.answer { _ in .accept }
    await tern.flush()
    await tern.emptied()
    let dropped = tern.status.droppedByReason
    #expect(dropped[.queueFull, default: 0] > 2000)
    #expect(reported(harness) == dropped)
    await tern.shutdown()
  }

  @Test func `include events dropped while nothing could be sent, even after a crash`() async throws {
    let files = InMemoryFileSystem()
    let harness = try TestHarness()
    var environment = harness.environment()
    environment.fileSystem = files
    var configuration = TernClient.Configuration(
      key: "test-key", collector: try #require(URL(string: "http://collector.test")))
    configuration.queueDirectory = URL(fileURLWithPath: "/queue")
    configuration.sessions = .manual
    configuration.maximumQueueBytes = 24 << 10
    configuration.startsPaused = true
    let tern = try TernClient(configuration, environment: environment)
    for number in 0..<500 { tern.track("E\(number)") }
    let dropped = tern.status.droppedByReason
    #expect(dropped[.queueFull, default: 0] > 100)
    // The counts that the next process would read.
    func written() -> [DropReason: Int] {
      let bytes = files.contents(of: "/queue/log-0/drops") ?? []
      return bytes.withUnsafeBytes { DropLedger(file: $0).counts }
    }
    // Counts are saved at most once a second.
    while written() != dropped {
      harness.clock.advance(by: .seconds(1))
      await Task.yield()
    }
    await tern.shutdown()
  }

  @Test func `survive launches and eviction by critical events`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .status(500) })
    let configure: (inout TernClient.Configuration) -> Void = {
      $0.sessions = .manual
      $0.maximumQueueBytes = 24 << 10
    }
    let tern = try harness.client(configure)
    for _ in 0..<5 {
      for number in 0..<150 { tern.track("N\(number)") }
      await tern.flush()
      // Evicts everything else, reports included.
      for number in 0..<150 { tern.track("C\(number)", priority: .critical) }
      await tern.flush()
    }
    harness.transport.answer { _ in .accept }
    await tern.flush()
    await tern.emptied()
    tern.track("Last")
    await tern.flush()
    await tern.emptied()
    #expect(reported(harness) == tern.status.droppedByReason)
    await tern.shutdown()
    let next = try harness.client(configure)
    next.track("Next")
    await next.flush()
    #expect(reported(harness) == next.status.droppedByReason)
    await next.shutdown()
  }

  @Test func `do not crowd out events when each batch holds one event and every event evicts another`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client {
      $0.sessions = .manual
      $0.maximumBatchEvents = 1
    }
    let big = Properties(
      (0..<20).map { .init(name: "p\($0)", value: .string(String(repeating: "x", count: 8000))) })
    for number in 0..<5 {
      tern.track("Big", big)
      tern.track("E\(number)")
      await tern.flush()
    }
    await tern.emptied()
    #expect(harness.transport.received.names == (0..<5).map { "E\($0)" })
    #expect(reported(harness) == [.tooLarge: 5])
    await tern.shutdown()
  }
}
