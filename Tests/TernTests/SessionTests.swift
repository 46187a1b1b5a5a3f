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
  func `of App Center end after twenty quiet seconds in the background`(away: Int, event: Int?, begins: Bool)
    async throws
  {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .automatic(idleTimeout: nil) }
    tern.track("A")
    harness.clock.advance(by: .seconds(18_000))
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

  @Test(arguments: [(19, 1), (20, 2), (3600, 2)])
  func `end after twenty seconds in the background`(away: Int, count: Int) async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    tern.track("A")
    tern.didEnterBackground()
    harness.clock.advance(by: .seconds(away))
    tern.willEnterForeground()
    tern.track("B")
    #expect(await sessions(tern, harness).count == count)
    await tern.shutdown()
  }

  @Test func `are not lengthened by events in the background, which later belong to none`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    harness.clock.advance(by: .seconds(60))
    tern.track("A")
    tern.didEnterBackground()
    harness.clock.advance(by: .seconds(10))
    tern.track("Soon")
    for _ in 0..<32 {
      harness.clock.advance(by: .seconds(900))
      tern.track("Later")
    }
    tern.willEnterForeground()
    tern.track("B")
    await tern.flush()
    let events = harness.transport.received
    let first = events.first?.session
    #expect(events.filter { $0.session == first }.map(\.name) == ["", "A", "Soon"])
    #expect(events.filter { $0.session == nil }.count == 32)
    #expect(events.suffix(2).map(\.type) == ["session_start", "event"] && events.last?.session != first)
    await tern.shutdown()
  }

  @Test(arguments: [(1_799, 1), (1_800, 2)])
  func `end after half an hour without an event, and the next event begins another`(quiet: Int, count: Int) async throws
  {
    let harness = try TestHarness()
    let tern = try harness.client()
    harness.clock.advance(by: .seconds(1_799))
    tern.track("A")
    harness.clock.advance(by: .seconds(quiet))
    tern.willEnterForeground()
    tern.track("B")
    #expect(await sessions(tern, harness).count == count)
    #expect(harness.transport.received.map(\.type).filter { $0 == "session_start" }.count == count)
    await tern.shutdown()
  }

  @Test func `of an app with an event an hour last no longer than their events`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    for _ in 0..<240 {
      harness.clock.advance(by: .seconds(3_600))
      tern.track("Tick")
    }
    #expect(await sessions(tern, harness).count == 241)
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
