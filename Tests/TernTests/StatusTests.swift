import Tern
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `The status` {
  @Test func `is sent immediately, and to each reader separately`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("A")
    for _ in 0..<3 {
      var reader = tern.statusUpdates.makeAsyncIterator()
      #expect(await reader.next()?.queued == 1)
    }
    await tern.shutdown()
  }

  @Test func `reflects an event's path from the queue to the collector`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .hold })
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("A")
    await tern.waitForStatus { $0.queued == 1 && $0.inFlight == 0 && $0.delivered == 0 }
    async let flushed = tern.flush()
    await tern.waitForStatus { $0.queued == 0 && $0.inFlight == 1 && $0.delivered == 0 }
    harness.transport.release()
    await tern.waitForStatus { $0.queued == 0 && $0.inFlight == 0 && $0.delivered == 1 }
    #expect(await flushed == .sent(1))
    await tern.shutdown()
  }

  @Test func `updates a reader with every recorded event`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .manual }
    var reader = tern.statusUpdates.makeAsyncIterator()
    #expect(await reader.next()?.queued == 0)
    for number in 1...5 {
      tern.track("E")
      while let status = await reader.next(), status.queued < number {}
    }
    #expect(tern.status.queued == 5)
    await tern.shutdown()
  }

  @Test func `ends with the client`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    let stream = tern.statusUpdates
    await tern.shutdown()
    for await _ in stream {}
    for await _ in tern.statusUpdates {}
  }
}
