import Foundation
import TernBase
import TernDelivery
import TernEvents
import TernLog
import TernTestSupport
import Testing

@testable import Tern

@Suite(.timeLimit(.minutes(30))) struct `Extreme values` {
  @Test func `the longest duration is accepted everywhere`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client {
      $0.sessions = .manual
      $0.flushInterval = .seconds(Int64.max)
    }
    tern.track("A")
    #expect(await tern.flush(deadline: .seconds(Int64.max)) == .sent(1))
    #expect(await tern.sendInBackground(deadline: .seconds(Int64.max)).ending == .finished)
    await tern.shutdown()
    let clock = SystemClock()
    let sleeper = Task { await clock.sleep(until: .seconds(Int64.max)) }
    sleeper.cancel()
    await sleeper.value
  }

  @Test(arguments: [Duration(attoseconds: .max), Duration(attoseconds: .min)])
  func `no duration crashes the app`(extreme: Duration) async throws {
    #expect(extreme.wholeMilliseconds == (extreme > .zero ? .max : .min))
    let harness = try TestHarness(transport: ScriptedTransport { _ in .accept })
    let tern = try harness.client {
      $0.sessions = .automatic(backgroundTimeout: extreme)
      $0.flushInterval = extreme
      $0.criticalFlushInterval = extreme
      $0.maximumEventAge = extreme
      $0.maximumRetryDelay = extreme
      $0.requestTimeout = extreme
    }
    tern.setFlushInterval(extreme)
    tern.setSessions(.automatic(backgroundTimeout: extreme))
    tern.track("A", priority: .critical)
    tern.didEnterBackground()
    tern.willEnterForeground()
    _ = await tern.flush(deadline: extreme)
    _ = await tern.sendInBackground(deadline: extreme)
    await tern.flush()
    harness.transport.answer { _ in .status(503) }
    tern.track("B")
    await tern.flush()
    await tern.shutdown()
    let clock = SystemClock()
    let sleeper = Task { await clock.sleep(until: extreme) }
    sleeper.cancel()
    await sleeper.value
  }

  @Test func `the longest retry delay is accepted`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .status(503) })
    let tern = try harness.client {
      $0.retries = .limited([Duration(attoseconds: .min)...Duration(attoseconds: .max)])
    }
    _ = await tern.flush(deadline: .zero)
    tern.track("A", priority: .critical)
    await tern.waitForStatus { $0.lastError != nil }
    await tern.shutdown()
  }

  @Test func `a delay in the past causes no wait`() async throws {
    await SystemClock().sleep(until: Duration(attoseconds: .min))
    await SystemClock().sleep(until: .zero - .longest)
  }

  @Test func `the ledger balances when the directory is removed`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .failure(.offline) })
    let tern = try harness.client { $0.sessions = .manual }
    for _ in 0..<3 { tern.track("A") }
    try FileManager.default.removeItem(at: harness.directory)
    harness.clock.advance(by: .seconds(100))
    for _ in 0..<3 { tern.track("B") }
    #expect(tern.ledger.balances, "\(tern.ledger)")
    await tern.shutdown()
  }

  @Test func `repeated launches do not make an outage more expensive`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .status(503) })
    func launch() throws -> TernClient {
      try harness.client {
        $0.sessions = .manual
        $0.compressesRequests = false
        $0.startsPaused = true
      }
    }
    let first = try launch()
    for _ in 0..<1500 { first.track("A") }
    let queued = first.engine.log.counts.bytes
    await first.shutdown()
    for _ in 0..<12 {
      let tern = try launch()
      tern.resume()
      await tern.waitForStatus { $0.lastError != nil && $0.inFlight == 0 }
      await tern.shutdown()
    }
    let sent = harness.transport.requests.reduce(0) { $0 + $1.body.count }
    #expect(sent <= 2 * queued, "\(sent) bytes of \(queued)")
  }

  @Test func `a wait saved while the clock was years ahead ends`() async throws {
    let harness = try TestHarness(
      transport: ScriptedTransport(answers: [.status(429, headers: ["Retry-After": "3600"])]))
    let now = harness.clock.wallTime
    harness.clock.setWallTime(now + .seconds(5 * 365 * 86_400))
    func launch() throws -> TernClient {
      var environment = harness.environment()
      environment.boot = nil
      var configuration = TernClient.Configuration(key: "k", collector: try #require(URL(string: "http://c.test")))
      configuration.queueDirectory = harness.directory
      configuration.sessions = .manual
      return try TernClient(configuration, environment: environment)
    }
    let first = try launch()
    first.track("A", priority: .critical)
    await first.waitForStatus { $0.lastError != nil }
    await first.shutdown()
    harness.clock.setWallTime(now)
    for _ in 0..<3 {
      let tern = try launch()
      await tern.flush()
      await tern.shutdown()
      harness.clock.advance(by: .seconds(1800))
    }
    let last = try launch()
    await last.waitForStatus { $0.queued == 0 && $0.inFlight == 0 }
    #expect(harness.transport.received.names == ["A"])
    await last.shutdown()
  }

  @Test func `pausing and resuming from several threads at once is safe`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .manual }
    for round in 0..<300 {
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<4 { group.addTask { number % 2 == 0 ? tern.pause() : tern.resume() } }
      }
      tern.resume()
      tern.track("A")
      #expect(await tern.flush() == .sent(1), "round \(round)")
    }
    await tern.shutdown()
  }

  @Test func `an erasure in one process spares the events of another process's user`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .failure(.offline) })
    let first = try harness.client { $0.sessions = .manual }
    let second = try harness.client { $0.sessions = .manual }
    first.identify("x")
    second.identify("y")
    first.track("Of x")
    second.track("Of y")
    await second.shutdown()
    first.erase()
    #expect(first.ledger.droppedByReason == [.erased: 1])
    await first.shutdown()
    let third = try harness.client { $0.sessions = .manual }
    third.erase()
    #expect(third.ledger.queued == 0 && third.ledger.droppedByReason == [.erased: 2], "the last identified user is y")
    await third.shutdown()
  }
}
