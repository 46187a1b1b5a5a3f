import Tern
import TernEvents
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Limits and drops` {
  @Test func `names and texts are truncated between characters`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .manual }
    let long = String(repeating: "👨‍👩‍👧‍👦", count: 1000)
    tern.track(long, [:])
    tern.track("A", Properties([.init(name: long, value: .string(long))]))
    await tern.flush()
    let events = harness.transport.received
    #expect(events[0].name == String(repeating: "👨‍👩‍👧‍👦", count: 768 / 25))
    #expect(events[1].properties.keys.first == String(repeating: "👨‍👩‍👧‍👦", count: 768 / 25))
    #expect(events[1].properties.values.first == .string(String(repeating: "👨‍👩‍👧‍👦", count: 8192 / 25)))
    await tern.shutdown()
  }

  @Test func `properties beyond the hundredth are left out`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("A", Properties((0..<150).map { .init(name: "p\($0)", value: .integer($0)) }))
    await tern.flush()
    #expect(harness.transport.received.first?.properties.count == 100)
    await tern.shutdown()
  }

  @Test func `an oversized event is dropped, counted and reported to the collector`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .manual }
    let text = String(repeating: "x", count: 8000)
    tern.track("Big", Properties((0..<20).map { .init(name: "p\($0)", value: .string(text)) }))
    tern.track("Small")
    #expect(tern.status.droppedByReason == [.tooLarge: 1])
    #expect(await tern.flush().error == nil)
    #expect(harness.transport.received.names == ["Small"])
    #expect(harness.transport.received.all("drops").map(\.properties) == [["too_large": .integer(1)]])
    await tern.shutdown()
  }

  @Test func `drops are reported once, even across launches, and a rejected report is not reported again`() async throws
  {
    let harness = try TestHarness(
      transport: ScriptedTransport { $0.events.all("drops").isEmpty ? .accept : .status(400) })
    let tern = try harness.client { $0.sessions = .manual }
    tern.track(
      "Big", Properties((0..<20).map { .init(name: "p\($0)", value: .string(String(repeating: "x", count: 8000))) }))
    for round in 0..<5 {
      tern.track("E\(round)")
      await tern.flush()
    }
    await tern.waitForStatus { $0.queued == 0 && $0.inFlight == 0 }
    #expect(harness.transport.received.names == (0..<5).map { "E\($0)" })
    #expect(
      harness.transport.requests.flatMap { $0.events.all("drops") }.reduce(into: Set()) { $0.insert($1.id) }.count == 1)
    await tern.shutdown()
    harness.transport.answer { _ in .accept }
    let next = try harness.client { $0.sessions = .manual }
    next.track("Last")
    await next.flush()
    #expect(harness.transport.received.all("drops").isEmpty)
    await next.shutdown()
  }

  @Test func `a full queue keeps the newest events and counts the evicted ones`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .failure(.offline) })
    let tern = try harness.client {
      $0.sessions = .manual
      $0.maximumQueueBytes = 24 << 10
    }
    for number in 0..<500 { tern.track("E\(number)") }
    let status = tern.status
    #expect(status.droppedByReason[.queueFull, default: 0] > 0)
    #expect(status.queued + status.inFlight + status.dropped == 500)
    await tern.shutdown()
  }

  @Test func `critical events outlast normal ones that are in flight`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .hold })
    let tern = try harness.client {
      $0.sessions = .manual
      $0.maximumQueueBytes = 256 << 10
    }
    for _ in 0..<600 { tern.track("Normal") }
    await harness.transport.request(number: 1)
    for number in 0..<20_000 {
      tern.track("Normal", ["Number": Int64(number)])
      if number % 100 == 0 { tern.track("Critical", priority: .critical) }
    }
    harness.transport.release()
    await tern.flush()
    #expect(harness.transport.received.names.count { $0 == "Critical" } == 200)
    await tern.shutdown()
  }

  @Test func `configuration values out of range are corrected`() throws {
    let harness = try TestHarness()
    _ = try harness.client {
      $0.maximumQueueBytes = -1
      $0.maximumBatchEvents = 1_000_000
      $0.maximumBatchBytes = 0
      $0.maximumBatchesInFlight = 0
      $0.flushAt = 0
      $0.flushInterval = .seconds(-5)
      $0.requestTimeout = .zero
      $0.maximumEventAge = .seconds(-1)
      #expect($0.maximumQueueBytes == 24 << 10)
      #expect($0.maximumBatchEvents == 2000)
      #expect($0.maximumBatchBytes == 1 << 10)
      #expect($0.maximumBatchesInFlight == 1)
      #expect($0.flushAt == 1)
      #expect($0.flushInterval == .zero)
      #expect($0.requestTimeout == .seconds(1))
      #expect($0.maximumEventAge == .seconds(1))
    }
  }
}
