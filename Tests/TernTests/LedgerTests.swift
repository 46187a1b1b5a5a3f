import Foundation
import TernEvents
import TernTestSupport
import Testing

@testable import Tern

// The time limit allows for a real disk, whose flushes wait for other writes on the machine.
@Suite(.timeLimit(.minutes(30))) struct `The ledger` {
  @Test(arguments: 0..<20 as Range<UInt64>) func `balances at every moment, across launches too`(seed: UInt64)
    async throws
  {
    var generator = FastGenerator(seed: seed)
    let harness = try TestHarness(seed: seed)
    let configure: (inout TernClient.Configuration) -> Void = { $0.maximumQueueBytes = 24 << 10 }
    var tern = try harness.client(configure)
    var last = TernClient.Ledger()
    for step in 0..<120 {
      switch Int.random(in: 0..<12, using: &generator) {
      case 0..<5:
        for number in 0..<Int.random(in: 1...30, using: &generator) {
          tern.track("E\(number)", ["Step": step], priority: number % 7 == 0 ? .critical : .normal)
        }
      case 5: harness.transport.answer { _ in .status(503) }
      case 6: harness.transport.answer { _ in .accept }
      case 7: harness.transport.answer { _ in .status(400) }
      case 8: await tern.flush()
      case 9: tern.isEnabled.toggle()
      case 10: harness.clock.advance(by: .seconds(Int.random(in: 0...100_000, using: &generator)))
      default:
        await tern.shutdown()
        tern = try harness.client(configure)
      }
      let ledger = tern.ledger
      #expect(ledger.balances, "seed \(seed), step \(step): \(ledger)")
      #expect(ledger.tracked >= last.tracked && ledger.delivered >= last.delivered && ledger.dropped >= last.dropped)
      last = ledger
    }
    #expect(last.tracked > 100)
    await tern.shutdown()
  }

  @Test func `still counts drops after the process is killed`() async throws {
    let files = InMemoryFileSystem()
    let harness = try TestHarness(transport: ScriptedTransport { _ in .failure(.offline) })
    func launch() throws -> TernClient {
      var environment = harness.environment()
      environment.fileSystem = files
      var configuration = TernClient.Configuration(
        key: "k", collector: try #require(URL(string: "http://collector.test")))
      configuration.queueDirectory = URL(fileURLWithPath: "/queue")
      configuration.sessions = .manual
      return try TernClient(configuration, environment: environment)
    }
    let tern = try launch()
    tern.track("A")
    files.setCapacity(files.totalBytes)
    // More events than the memory buffer holds.
    for _ in 0..<1_200 { tern.track("B") }
    // The result does not matter: the flush is handled after the work that the drops caused.
    await tern.flush()
    let before = tern.ledger
    #expect(before.dropped >= 100)
    files.killProcess()
    files.setCapacity(nil)
    let next = try launch()
    #expect(next.ledger.droppedByReason == before.droppedByReason && next.ledger.balances)
    #expect(next.ledger.queued == 1, "events held only in memory are gone, and so are their counts")
    await next.shutdown()
  }

  @Test func `is sent with every request, along with the clocks`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("A")
    tern.track("B")
    await tern.flush()
    harness.clock.advance(by: .milliseconds(2500))
    tern.track("C")
    await tern.flush()
    let headers = harness.transport.requests.map(\.raw.headers)
    #expect(
      headers.map { $0["Tern-Ledger"] } == [
        "tracked=2; delivered=0; waiting=0; in-flight=2; dropped=0",
        "tracked=3; delivered=2; waiting=0; in-flight=1; dropped=0",
      ])
    #expect(
      headers.map { $0["Tern-Sent"] } == [
        "time=1767225600000; uptime=1000000; boot=11111111-2222-4333-8444-555555555555",
        "time=1767225602500; uptime=1002500; boot=11111111-2222-4333-8444-555555555555",
      ])
    await tern.shutdown()
  }
}

@Suite(.timeLimit(.minutes(30))) struct `A flush with a deadline` {
  @Test func `returns once everything is delivered`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("A")
    #expect(await tern.flush(deadline: .seconds(5)) == .sent(1))
    #expect(await tern.flush(deadline: .seconds(5)) == .nothingToSend)
    await tern.shutdown()
  }

  @Test func `returns the number of events left when time runs out, and drops none`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .hold })
    let tern = try harness.client { $0.sessions = .manual }
    for _ in 0..<3 { tern.track("A") }
    async let outcome = tern.flush(deadline: .seconds(5))
    await harness.transport.request(number: 1)
    tern.track("B")
    await harness.clock.sleeping(until: .seconds(1005))
    harness.clock.advance(by: .seconds(5))
    #expect(await outcome == .outOfTime(left: 4))
    harness.transport.release()
    await tern.flush()
    #expect(harness.transport.received.names == ["A", "A", "A", "B"])
    await tern.shutdown()
  }

  @Test func `of zero runs out of time immediately`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .hold })
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("A")
    #expect(await tern.flush(deadline: .zero) == .outOfTime(left: 1))
    harness.transport.release()
    await tern.shutdown()
  }
}

@Suite(.timeLimit(.minutes(30))) struct `A reset` {
  @Test func `clears the user and starts a session, and both survive a launch`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    tern.identify("user-7")
    tern.track("A")
    tern.reset()
    tern.track("B")
    await tern.flush()
    await tern.shutdown()
    let next = try harness.client { $0.sessions = .manual }
    next.track("C")
    await next.flush()
    let events = harness.transport.received.all("event")
    #expect(events.map(\.user) == ["user-7", nil, nil])
    #expect(events[0].session != events[1].session && events[1].session != nil)
    await next.shutdown()
  }

  @Test func `separates the events that an erasure removes from those that it keeps`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .failure(.offline) })
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("Before")
    tern.identify("user-7")
    for _ in 0..<20 { tern.track("Secret", ["Who": "user-7"], priority: .critical) }
    tern.reset()
    tern.identify("user-7")
    tern.track("Again")
    tern.reset()
    tern.identify("user-8")
    for _ in 0..<20 { tern.track("Other") }
    tern.erase()
    tern.track("After")
    #expect(tern.ledger.droppedByReason == [.erased: 20] && tern.ledger.balances)
    harness.transport.answer { _ in .accept }
    await tern.flush()
    let names = Dictionary(grouping: harness.transport.received.all("event"), by: \.name).mapValues(\.count)
    #expect(names == ["Before": 1, "Secret": 20, "Again": 1, "After": 1])
    await tern.shutdown()
  }

  @Test func `starts no session unless one is open`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .manual }
    tern.reset()
    #expect(await tern.flush() == .nothingToSend)
    await tern.shutdown()
  }
}
