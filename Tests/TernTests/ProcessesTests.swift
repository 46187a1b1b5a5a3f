import Tern
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Two clients on one directory` {
  @Test func `share the install and lose nothing of each other`() async throws {
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
    await third.status { $0.delivered == 2 }
    #expect(Set(harness.transport.received.names) == ["A", "B"])
    await third.shutdown()
  }

  @Test func `do not undo each other's switches`() async throws {
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
