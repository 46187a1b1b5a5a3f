import Tern
import TernEvents
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Sessions` {
  /// Flushes and returns the sessions of all events so far, in the order in which they started.
  private func sessions(_ tern: TernClient, _ harness: TestHarness) async -> [String?] {
    await tern.flush()
    var seen: [String?] = []
    for event in harness.transport.received where !seen.contains(event.session) { seen.append(event.session) }
    return seen
  }

  @Test func `start at a launch in the foreground, and its events belong to them`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    tern.track("A")
    #expect(await sessions(tern, harness).compactMap { $0 }.count == 1)
    #expect(harness.transport.received.map(\.type) == ["session_start", "event"])
    await tern.shutdown()
  }

  @Test func `do not start at a launch in the background until the app becomes active`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client(isInForeground: false)
    tern.track("A")
    tern.willEnterForeground()
    tern.track("B")
    #expect(await sessions(tern, harness).map { $0 != nil } == [false, true])
    #expect(harness.transport.received.map(\.type) == ["event", "session_start", "event"])
    await tern.shutdown()
  }

  @Test(
    arguments: [
      // seconds in the background, seconds until an event is recorded there, true if a new session starts
      (19, nil, false), (20, nil, true), (3600, nil, true), (30, 5, true), (30, 15, false),
    ] as [(Int, Int?, Bool)])
  func `end after twenty quiet seconds in the background`(away: Int, event: Int?, begins: Bool) async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    tern.track("A")
    harness.clock.advance(by: .seconds(1800))
    tern.didEnterBackground()
    harness.clock.advance(by: .seconds(event ?? away))
    if let event {
      tern.track("In the background")
      harness.clock.advance(by: .seconds(away - event))
    }
    tern.willEnterForeground()
    tern.track("B")
    #expect(await sessions(tern, harness).count == (begins ? 2 : 1))
    await tern.shutdown()
  }

  @Test func `never end in the foreground alone`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    tern.track("A")
    harness.clock.advance(by: .seconds(1800))
    tern.willEnterForeground()
    tern.track("B")
    #expect(await sessions(tern, harness).count == 1)
    await tern.shutdown()
  }

  @Test func `start only on request when they are manual, once per request`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client {
      $0.sessions = .manual
      // With two requests in flight either may arrive first, and this test checks the order.
      $0.maximumBatchesInFlight = 1
    }
    tern.track("A")
    tern.didEnterBackground()
    harness.clock.advance(by: .seconds(100))
    tern.willEnterForeground()
    tern.startSession()
    tern.startSession()
    #expect(await sessions(tern, harness).map { $0 != nil } == [false, true, true])
    await tern.shutdown()
  }
}
