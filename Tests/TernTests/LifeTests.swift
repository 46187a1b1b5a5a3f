import Foundation
import Tern
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `From launch to launch` {
  @Test func `events that one process could not send are sent once by the next`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .failure(.offline) })
    let first = try harness.client()
    for number in 0..<20 { first.track("E\(number)") }
    #expect(await first.flush() == .offline)
    await first.shutdown()
    harness.transport.answer { _ in .accept }
    let second = try harness.client()
    #expect(second.installID == first.installID)
    await second.waitForStatus { $0.delivered >= 21 }
    #expect(harness.transport.received.names == (0..<20).map { "E\($0)" })
    await second.shutdown()
  }

  @Test func `a request in flight at shutdown is sent again by the next client`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .hold })
    let first = try harness.client { $0.sessions = .manual }
    first.track("A", priority: .critical)
    await harness.transport.request(number: 1)
    await first.shutdown()
    harness.transport.answer { _ in .accept }
    let second = try harness.client { $0.sessions = .manual }
    await second.waitForStatus { $0.delivered == 1 }
    #expect(harness.transport.received.names == ["A"])
    await second.shutdown()
  }

  @Test func `every call after shutdown returns and has no effect`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    let watcher = Task { () -> Int in
      var count = 0
      for await _ in tern.statusUpdates { count += 1 }
      return count
    }
    await tern.shutdown()
    tern.track("A")
    tern.startSession()
    tern.isEnabled = false
    tern.pause()
    #expect(await tern.flush().error?.code == .stopped)
    #expect(await watcher.value >= 0)
    await tern.shutdown()
    #expect(harness.transport.requests.isEmpty)
    let next = try harness.client()
    #expect(next.isEnabled)
    await next.shutdown()
  }

  @Test func `a client without references shuts down`() async throws {
    let harness = try TestHarness()
    var tern: TernClient? = try harness.client()
    tern?.track("A")
    let stream = try #require(tern?.statusUpdates)
    tern = nil
    for await _ in stream {}
    #expect(harness.transport.requests.isEmpty)
  }

  @Test func `disabling erases waiting events, ends the session and survives a launch`() async throws {
    let harness = try TestHarness()
    let first = try harness.client()
    first.track("Secret")
    first.isEnabled = false
    first.track("Later")
    #expect(first.status.queued == 0 && !first.status.isEnabled)
    #expect(await first.flush().error?.code == .stopped)
    await first.shutdown()
    let second = try harness.client()
    #expect(!second.isEnabled)
    second.track("Still nothing")
    #expect(second.status.queued == 0)
    second.isEnabled = true
    second.track("Again")
    await second.flush()
    #expect(harness.transport.received.names == ["Again"])
    #expect(harness.transport.received.all("session_start").count == 1)
    await second.shutdown()
  }

  @Test func `disabling cancels the requests in flight`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .hold })
    let tern = try harness.client()
    tern.track("A", priority: .critical)
    await harness.transport.request(number: 1)
    tern.isEnabled = false
    #expect(tern.status.inFlight == 0 && tern.status.queued == 0)
    // `flush` returns after the request is cancelled; no other signal exists.
    _ = await tern.flush()
    harness.transport.release()
    tern.isEnabled = true
    await tern.flush()
    #expect(harness.transport.received.names == [])
    await tern.shutdown()
  }

  @Test func `the user is on every event until another is identified, even after a launch`() async throws {
    let harness = try TestHarness()
    let first = try harness.client { $0.sessions = .manual }
    first.track("A")
    first.identify("user-7")
    first.track("B")
    await first.flush()
    await first.shutdown()
    let second = try harness.client { $0.sessions = .manual }
    second.track("C")
    second.identify(nil)
    second.track("D")
    await second.flush()
    await second.shutdown()
    #expect(harness.transport.received.map(\.user) == [nil, "user-7", "user-7", nil])
  }

  @Test func `an unusable directory is reported immediately, and events are still recorded`() throws {
    let harness = try TestHarness()
    let file = harness.directory.appendingPathComponent("file")
    try Data().write(to: file)
    let tern = try harness.client { $0.queueDirectory = file }
    #expect(tern.storageError?.code == .unusableDirectory && !tern.status.hasStorage)
    #expect(tern.storageError?.message.contains("queueDirectory") == true)
    tern.track("A")
    #expect(tern.ledger.queued == 2 && tern.ledger.balances)
  }

  @Test(arguments: ["ftp://host", "http://", "nonsense", "file:///tmp", "https:"])
  func `an invalid collector address is reported immediately`(text: String) throws {
    let harness = try TestHarness()
    let url = try #require(URL(string: text))
    let error = #expect(throws: TernError.self) { try harness.client { $0.collector = url } }
    #expect(error?.code == .unusableCollector)
  }

  @Test(arguments: ["", "a b", "a\nb", "schlüssel"]) func `a key that does not fit in a header is reported immediately`(
    key: String
  ) throws {
    let harness = try TestHarness()
    let error = #expect(throws: TernError.self) { try harness.client { $0.key = key } }
    #expect(error?.code == .unusableKey)
  }
}
