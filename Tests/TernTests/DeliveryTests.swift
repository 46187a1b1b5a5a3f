import Tern
import TernEvents
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Delivery` {
  @Test func `a flush sends all waiting events and returns their number`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    tern.track("Opened", ["Tab": "Music"])
    tern.screen("Library")
    #expect(await tern.flush() == .sent(3))
    #expect(harness.transport.received.map(\.type) == ["session_start", "event", "screen"])
    #expect(await tern.flush() == .nothingToSend)
    await tern.shutdown()
  }

  @Test func `waiting events are sent six seconds after the first one`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    tern.track("A")
    #expect(await harness.clock.sleeping() == .seconds(1006))
    harness.clock.advance(by: .seconds(4))
    tern.track("B")
    harness.clock.advance(by: .seconds(2))
    #expect(await harness.transport.request(number: 1).events.names == ["A", "B"])
    await tern.shutdown()
  }

  @Test func `fifty events are sent immediately`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .manual }
    for number in 0..<50 { tern.track("E\(number)") }
    await tern.waitForStatus { $0.delivered == 50 }
    #expect(Set(harness.transport.received.names).count == 50)
    await tern.shutdown()
  }

  @Test func `a critical event is sent immediately`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    tern.track("Purchase", ["Total": 9.99], priority: .critical)
    #expect(await harness.transport.request(number: 1).events.names.contains("Purchase"))
    await tern.shutdown()
  }

  @Test func `a critical event of the same millisecond is later than the one before, which arrives later`() async throws
  {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("Checkout")
    tern.track("Purchase", priority: .critical)
    await tern.waitForStatus { $0.delivered == 2 }
    let events = harness.transport.received
    let moments = ["Checkout", "Purchase"].map { name in
      events.first { $0.name == name }.flatMap { UniqueID($0.id)?.microseconds(at: $0.time) }
    }
    #expect(moments.map { $0?.wall } == [0, 1] && moments.map { $0?.uptime } == [0, 1])
    await tern.shutdown()
  }

  @Test func `a 503 is retried after the delay in its Retry-After`() async throws {
    let harness = try TestHarness(
      transport: ScriptedTransport(answers: [.status(503, headers: ["Retry-After": "120"])]))
    let tern = try harness.client()
    tern.track("A")
    let error = await tern.flush().error
    #expect(error?.code == .server && error?.retryAfter == .seconds(120))
    await harness.clock.sleeping(until: .seconds(1120))
    #expect(await tern.flush().error?.code == .waiting)
    #expect(tern.status.lastError?.status == 503)
    harness.clock.advance(by: .seconds(120))
    await tern.waitForStatus { $0.delivered == 2 }
    #expect(harness.transport.requests.count == 2 && tern.status.lastError == nil)
    await tern.shutdown()
  }

  @Test func `the response of a captive portal is not taken for an acknowledgement`() async throws {
    let portal = "<html>Accept our terms</html>"
    let harness = try TestHarness(
      transport: ScriptedTransport(answers: [
        .status(200, body: portal), .status(302, headers: ["Location": "http://portal.test"]),
      ]))
    let tern = try harness.client()
    #expect(await tern.flush().error?.code == .notAcknowledged)
    #expect(await tern.flush().error?.code == .notAcknowledged)
    #expect(await tern.flush() == .sent(1))
    await tern.shutdown()
  }

  @Test func `a flush without a network reports that the client is offline`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport(answers: [.failure(.offline)]))
    let tern = try harness.client()
    #expect(await tern.flush() == .offline)
    #expect(await tern.flush() == .sent(1))
    await tern.shutdown()
  }

  @Test func `a wrong key is reported and costs no events`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .status(401) })
    let tern = try harness.client()
    tern.track("A")
    for _ in 0..<5 { #expect(await tern.flush().error?.code == .unauthorized) }
    #expect(tern.status.queued == 2 && tern.status.dropped == 0)
    harness.transport.answer { _ in .accept }
    #expect(await tern.flush() == .sent(2))
    await tern.shutdown()
  }

  @Test func `no event is delivered twice when a response is lost`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport(answers: [.acceptAndLoseAnswer]))
    let tern = try harness.client()
    tern.track("A")
    #expect(await tern.flush().error?.code == .connection)
    #expect(await tern.flush() == .sent(2))
    #expect(harness.transport.received.names == ["A"])
    await tern.shutdown()
  }

  @Test func `an event that the collector rejects is dropped, and the rest are delivered`() async throws {
    let harness = try TestHarness(
      transport: ScriptedTransport { $0.events.names.contains("Poison") ? .status(400) : .accept })
    let tern = try harness.client { $0.startsPaused = true }
    for number in 0..<100 { tern.track(number == 37 ? "Poison" : "E\(number)") }
    tern.resume()
    // The number of deliveries would not do: the drop report is delivered too, before or after the last event.
    let status = await tern.waitForStatus { $0.delivered >= 100 && $0.queued + $0.inFlight == 0 }
    #expect(status.droppedByReason == [.rejected: 1])
    #expect(harness.transport.received.names.count == 99)
    await tern.shutdown()
  }

  @Test func `a rejection within an acknowledgement drops only the events it names`() async throws {
    let body = #"{"accepted":2,"rejected":[{"index":1,"id":"x","reason":"future","message":"too far"}]}"#
    let harness = try TestHarness(transport: ScriptedTransport(answers: [.status(200, body: body)]))
    let tern = try harness.client()
    tern.track("A")
    tern.track("B")
    #expect(await tern.flush() == .sent(2))
    #expect(tern.status.droppedByReason == [.rejected: 1])
    await tern.shutdown()
  }

  @Test func `the number of requests in flight never exceeds the limit`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .hold })
    let tern = try harness.client {
      $0.maximumBatchEvents = 10
      $0.startsPaused = true
    }
    for number in 0..<99 { tern.track("E\(number)") }
    tern.resume()
    await harness.transport.request(number: 3)
    #expect(tern.status.inFlight == 30)
    harness.transport.release()
    await tern.waitForStatus { $0.delivered == 100 }
    #expect(harness.transport.mostActive <= 3)
    await tern.shutdown()
  }

  @Test func `nothing is sent while paused`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    tern.pause()
    tern.track("A", priority: .critical)
    #expect(await tern.flush().error?.code == .stopped)
    #expect(harness.transport.requests.isEmpty && tern.status.isPaused)
    tern.resume()
    await tern.waitForStatus { $0.delivered == 2 }
    await tern.shutdown()
  }

  @Test func `a cancelled flush returns`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .hold })
    let tern = try harness.client()
    let flush = Task { await tern.flush() }
    await harness.transport.request(number: 1)
    flush.cancel()
    #expect(await flush.value.error?.code == .stopped)
    await tern.shutdown()
  }
}
