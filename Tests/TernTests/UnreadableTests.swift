import Foundation
import TernBase
import TernDelivery
import TernEvents
import TernLog
import TernTestSupport
import Testing

@testable import Tern

/// Drives the delivery loop and the clock by hand.
@Suite struct `A queue that is temporarily unreadable` {
  private var client: SteppedClient

  init() throws { client = try SteppedClient() }

  /// As if the process had no file descriptor left.
  private func runOutOfFiles() {
    // The open segment is read through its own descriptor: that fails, too.
    client.memory.setScript {
      ($0.kind == .open || $0.kind == .read) && $0.path.hasSuffix(".seg") ? .fail(errno: EMFILE) : nil
    }
  }

  @Test mutating func `stays in the ledger, and a flush does not treat it as empty`() async {
    for number in 0..<10 { client.tern.track("E\(number)") }
    runOutOfFiles()
    for _ in 0..<5 {
      #expect(await client.flush().error?.code == .unreadable)
      #expect(client.tern.ledger.balances && client.tern.ledger.tracked == 10 && client.tern.ledger.queued == 10)
    }
    client.tern.track("More")
    #expect(client.tern.ledger.queued == 11, "kept in memory")
    client.memory.setScript(nil)
    #expect(await client.flush() == .sent(11), "a flush retries immediately")
    #expect(client.tern.ledger.balances && client.tern.ledger.tracked == 11 && client.tern.ledger.delivered == 11)
  }

  @Test func `is seen by a flush, and sent on its own, even if it was unreadable at launch`() async throws {
    let memory = InMemoryFileSystem()
    let first = try SteppedClient(on: memory) { $0.startsPaused = true }
    for number in 0..<10 { first.tern.track("E\(number)") }
    first.kill()
    memory.setScript { $0.kind == .read && $0.path.hasSuffix(".seg") ? .fail(errno: EIO) : nil }
    var client = try SteppedClient(on: memory, first.harness)
    #expect(await client.flush().error?.code == .unreadable)
    #expect(client.tern.ledger.balances && client.tern.ledger.queued == 0, "the number of events is unknown")
    client.pass(.seconds(600))
    #expect(client.wakeUps < 20)
    memory.setScript(nil)
    client.pass(.seconds(61))
    #expect(client.names == (0..<10).map { "E\($0)" } && client.tern.ledger.delivered == 10)
    #expect(client.tern.ledger.balances && client.loop.effects.timer == nil)
  }

  @Test func `is erased by an opt-out, even if it was unreadable at launch`() async throws {
    let memory = InMemoryFileSystem()
    let first = try SteppedClient(on: memory) { $0.startsPaused = true }
    first.tern.track("Unwanted")
    first.kill()
    memory.setScript { $0.kind == .open && $0.path.hasSuffix(".seg") ? .fail(errno: EMFILE) : nil }
    var client = try SteppedClient(on: memory, first.harness)
    client.tern.erase()
    client.tern.setRecording(false, of: .usage)
    client.work()
    memory.setScript(nil)
    client.pass(.seconds(120))
    #expect(client.names.isEmpty && client.tern.ledger.queued == 0 && client.tern.ledger.balances)
    #expect(client.tern.ledger.droppedByReason == [.erased: 1])
  }

  @Test mutating func `is sent once it is readable, without a flush`() {
    for number in 0..<10 { client.tern.track("E\(number)") }
    runOutOfFiles()
    client.pass(.seconds(3600))
    #expect(client.tern.ledger.queued == 10)
    client.memory.setScript(nil)
    client.pass(.seconds(30 * 60 + 6))
    #expect(client.tern.ledger.delivered == 10)
  }

  @Test mutating func `neither keeps the device awake nor delays readable events`() async {
    for number in 0..<10 { client.tern.track("E\(number)") }
    // One file stays damaged.
    client.memory.setScript {
      $0.kind == .read && $0.path.hasSuffix("0000000000000001-normal.seg") ? .fail(errno: EIO) : nil
    }
    client.pass(.seconds(86_400))
    #expect((48...130).contains(client.wakeUps), "every half hour in the end, once to retry and once to send")
    for number in 0..<3 {
      client.tern.track("New")
      client.pass(.seconds(6))
      #expect(client.tern.ledger.delivered == number + 1, "sent on its usual schedule")
    }
    client.tern.track("Newer")
    #expect(await client.flush() == .sent(1))
    #expect(await client.flush().error?.code == .unreadable)
    #expect(client.tern.ledger.balances && client.tern.ledger.queued == 10 && client.tern.ledger.tracked == 14)
  }

  @Test mutating func `does not make a receipt fail for an event that was already delivered`() async throws {
    let receipt = client.tern.track("A")
    #expect(await client.flush() == .sent(1))
    client.tern.track("B")
    runOutOfFiles()
    let outcome = await client.ask(receipt)
    client.work()
    #expect(client.loop.engine.clientState.withLock { !$0.receipts.isEmpty }, "the event's state is unknown")
    client.memory.setScript(nil)
    client.pass(.seconds(7))
    try #require(
      client.loop.engine.clientState.withLock { $0.receipts.isEmpty }, "looked up again once the file was readable")
    #expect(await outcome.value == nil, "it was delivered")
  }

  @Test mutating func `is not treated as empty while its directory is gone and cannot be recreated`() async {
    for number in 0..<5 { client.tern.track("E\(number)") }
    client.memory.removeTree("/queue")
    client.memory.setScript { $0.kind == .makeDirectory ? .fail(errno: ENOTDIR) : nil }
    client.harness.clock.advance(by: .seconds(2))
    #expect(await client.flush().error?.code == .unreadable)
    #expect(client.tern.ledger.balances && client.tern.ledger.queued == 5)
    client.memory.setScript(nil)
    client.harness.clock.advance(by: .seconds(2))
    client.tern.track("New")
    client.pass(.seconds(61))
    #expect(client.tern.ledger.delivered > 0 && client.tern.ledger.queued == 0 && client.tern.ledger.balances)
  }

  @Test mutating func `delays no critical event once descriptors are available again`() async {
    client.tern.pause()
    client.tern.track("First", priority: .critical)
    runOutOfFiles()
    client.tern.resume()
    for _ in 0..<12 { #expect(await client.flush().error?.code == .unreadable) }
    client.memory.setScript(nil)
    client.tern.track("Purchase", priority: .critical)
    client.work()
    #expect(client.tern.ledger.delivered == 2, "at once")
  }

  @Test mutating func `delays no event for longer than a minute once descriptors are available again`() async {
    client.tern.track("First")
    runOutOfFiles()
    for _ in 0..<12 { #expect(await client.flush().error?.code == .unreadable) }
    client.memory.setScript(nil)
    client.tern.track("Second")
    client.pass(.seconds(67))
    #expect(client.tern.ledger.delivered == 2)
  }
}
