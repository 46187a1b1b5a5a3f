import TernTestSupport
import Testing

@testable import Tern

@Suite(.timeLimit(.minutes(30))) struct `Two clients on one directory` {
  @Test func `share the install and lose none of each other's events`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .failure(.offline) })
    let first = try harness.client { $0.sessions = .manual }
    let second = try harness.client { $0.sessions = .manual }
    #expect(first.installID == second.installID)
    first.track("A")
    second.track("B")
    await first.shutdown()
    await second.shutdown()
    harness.transport.answer { _ in .accept }
    let third = try harness.client { $0.sessions = .manual }
    await third.waitForStatus { $0.delivered == 2 }
    #expect(Set(harness.transport.received.names) == ["A", "B"])
    await third.shutdown()
  }

  @Test func `send the events of the other if it dies, even when both were open`() async throws {
    let harness = try TestHarness()
    let first = try harness.client { $0.sessions = .manual }
    let second = try harness.client {
      $0.sessions = .manual
      $0.flushAt = 1
    }
    first.pause()
    for number in 0..<5 { first.track("E\(number)") }
    await first.shutdown()
    #expect(await second.flush() == .sent(5), "a flush adopts the events of the dead process")
    let third = try harness.client { $0.sessions = .manual }
    third.pause()
    third.track("Later")
    await third.shutdown()
    second.track("A")
    await second.waitForStatus { $0.delivered == 6 }
    #expect(!harness.transport.received.names.contains("Later"))
    harness.clock.advance(by: .seconds(3600))
    second.track("B")
    await second.waitForStatus { $0.delivered == 8 }
    #expect(harness.transport.received.names.contains("Later"), "orphaned logs are also looked for once an hour")
    #expect(second.ledger.balances)
    await second.shutdown()
  }

  /// An app whose second process sees a change at its next activity, whichever that is.
  private func stir(_ tern: TernClient) async {
    tern.didEnterBackground()
    _ = await tern.flush()
  }

  @Test func `both stop when the user opts out in one of them, and both resume`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .failure(.offline) })
    let first = try harness.client { $0.sessions = .manual }
    let second = try harness.client { $0.sessions = .manual }
    second.track("Before")
    await second.flush()
    let before = harness.transport.requests.count
    first.isEnabled = false
    harness.transport.answer { _ in .accept }
    #expect(await second.flush().error?.code == .stopped)
    #expect(harness.transport.requests.count == before, "nothing more is sent")
    #expect(!second.isEnabled && second.status.queued == 0)
    #expect(second.ledger.droppedByReason == [.erased: 1] && second.ledger.balances)
    #expect(second.track("Never").id == nil)
    first.isEnabled = true
    await stir(second)
    #expect(second.isEnabled)
    second.track("After")
    await second.flush()
    #expect(harness.transport.received.names == ["After"])
    await first.shutdown()
    await second.shutdown()
  }

  @Test func `cancel requests in flight when the user opts out in the other`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .hold })
    let first = try harness.client { $0.sessions = .manual }
    let second = try harness.client { $0.sessions = .manual }
    second.track("A")
    let flush = Task { await second.flush() }
    await harness.transport.request(number: 1)
    first.isEnabled = false
    // Any activity will do; here the app goes to the background.
    second.didEnterBackground()
    #expect(await flush.value.error?.code == .stopped)
    await second.waitForStatus { $0.inFlight == 0 && !$0.isEnabled }
    #expect(harness.transport.received.isEmpty)
    await first.shutdown()
    await second.shutdown()
  }

  @Test func `both obey a Retry-After that either of them received`() async throws {
    let harness = try TestHarness()
    let first = try harness.client { $0.sessions = .manual }
    let second = try harness.client { $0.sessions = .manual }
    harness.transport.answer { _ in .status(503) }
    second.track("B")
    await second.flush()
    harness.transport.answer { _ in .status(503, headers: ["retry-after": "600"]) }
    first.track("A")
    await first.flush()
    // The other process's failure is over; it has nothing left to remember.
    harness.transport.answer { _ in .accept }
    #expect(await second.flush() == .sent(1))
    await first.shutdown()
    await second.shutdown()
    let third = try harness.client { $0.sessions = .manual }
    #expect(await third.flush().error?.code == .waiting)
    harness.clock.advance(by: .seconds(601))
    // Sent by the timer or by this flush, whichever comes first.
    await third.flush()
    await third.waitForStatus { $0.delivered == 1 }
    await third.shutdown()
  }

  @Test func `do not overwrite each other's settings`() async throws {
    let harness = try TestHarness()
    let first = try harness.client()
    let second = try harness.client()
    first.isEnabled = false
    second.identify("user-7")
    await first.shutdown()
    await second.shutdown()
    let third = try harness.client()
    #expect(!third.isEnabled)
    await third.shutdown()
  }
}
