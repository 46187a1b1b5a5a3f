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
  private struct Effects: DeliveryEffects {
    var sent: [(id: DeliveryMachine.BatchID, records: [LogRecord])] = []
    var timer: Duration?

    mutating func send(_ id: DeliveryMachine.BatchID, _ records: [LogRecord]) { sent.append((id, records)) }
    mutating func cancel(_ id: DeliveryMachine.BatchID) {}
    mutating func finished(_ id: DeliveryMachine.BatchID) {}
    mutating func networkChanged() {}
    mutating func setTimer(_ deadline: Duration?) { timer = deadline }
  }

  private let memory = InMemoryFileSystem()
  private let harness: TestHarness
  private let tern: TernClient
  private var loop: NativeDeliveryLoop<Effects>
  private var wakeUps = 0

  init() throws {
    harness = try TestHarness()
    var configuration = TernClient.Configuration(
      key: "test-key", collector: try #require(URL(string: "http://collector.test")))
    configuration.queueDirectory = URL(fileURLWithPath: "/queue")
    configuration.sessions = .manual
    var environment = harness.environment()
    environment.fileSystem = memory
    let engine = try Engine(configuration, environment)
    tern = TernClient(engine)
    loop = DeliveryLoop(engine, Effects())
    loop.begin()
  }

  /// As if the process had no file descriptor left.
  private func runOutOfFiles() {
    memory.setScript { $0.kind == .open && $0.path.hasSuffix(".seg") ? .fail(errno: EMFILE) : nil }
  }

  /// Runs the loop until it has nothing left to do; the collector accepts everything.
  private mutating func work() {
    while true {
      let messages = loop.engine.mailbox.takeAll()
      if !messages.isEmpty { loop.take(messages) }
      let sent = loop.effects.sent
      loop.effects.sent = []
      if messages.isEmpty, sent.isEmpty { return }
      for (id, records) in sent {
        let body = "{\"accepted\":\(records.count),\"duplicates\":[],\"rejected\":[]}"
        loop.take([.answered(id, .response(TransportResponse(status: 200, body: Array(body.utf8))))])
      }
    }
  }

  private mutating func pass(_ time: Duration) {
    let end = harness.clock.uptime + time
    work()
    while let timer = loop.effects.timer, timer <= end {
      harness.clock.advance(by: max(timer - harness.clock.uptime, .zero))
      loop.effects.timer = nil
      wakeUps += 1
      loop.take([.input(.timerFired)])
      work()
    }
    harness.clock.advance(by: end - harness.clock.uptime)
  }

  private mutating func flush() async -> FlushOutcome {
    let outcome = Task { [tern] in await tern.flush() }
    while loop.engine.clientState.withLock({ $0.flushes.isEmpty }) { await Task.yield() }
    repeat {
      await Task.yield()
      work()
    } while loop.engine.clientState.withLock { !$0.flushes.isEmpty }
    return await outcome.value
  }

  @Test mutating func `stays in the ledger, and a flush does not treat it as empty`() async {
    for number in 0..<10 { tern.track("E\(number)") }
    runOutOfFiles()
    for _ in 0..<5 {
      #expect(await flush().error?.code == .unreadable)
      #expect(tern.ledger.balances && tern.ledger.tracked == 10 && tern.ledger.queued == 10)
    }
    tern.track("More")
    #expect(tern.ledger.queued == 11, "the open file still accepts events")
    memory.setScript(nil)
    #expect(await flush() == .sent(11), "a flush retries immediately")
    #expect(tern.ledger.balances && tern.ledger.tracked == 11 && tern.ledger.delivered == 11)
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
    for number in 0..<10 { tern.track("E\(number)") }
    runOutOfFiles()
    pass(.seconds(3600))
    #expect(tern.ledger.queued == 10)
    memory.setScript(nil)
    pass(.seconds(30 * 60 + 6))
    #expect(tern.ledger.delivered == 10)
  }

  @Test mutating func `neither keeps the device awake nor delays readable events`() async {
    for number in 0..<10 { tern.track("E\(number)") }
    // One file stays damaged.
    memory.setScript {
      $0.kind == .read && $0.path.hasSuffix("0000000000000001-normal.seg") ? .fail(errno: EIO) : nil
    }
    pass(.seconds(86_400))
    #expect((48...130).contains(wakeUps), "every half hour in the end, once to retry and once to send")
    for number in 0..<3 {
      tern.track("New")
      pass(.seconds(6))
      #expect(tern.ledger.delivered == number + 1, "sent on its usual schedule")
    }
    tern.track("Newer")
    #expect(await flush() == .sent(1))
    #expect(await flush().error?.code == .unreadable)
    #expect(tern.ledger.balances && tern.ledger.queued == 10 && tern.ledger.tracked == 14)
  }

  @Test mutating func `does not make a receipt fail for an event that was already delivered`() async throws {
    let receipt = tern.track("A")
    #expect(await flush() == .sent(1))
    tern.track("B")
    runOutOfFiles()
    let outcome = try await ask(receipt)
    work()
    #expect(loop.engine.clientState.withLock { !$0.receipts.isEmpty }, "the event's state is unknown")
    memory.setScript(nil)
    pass(.seconds(7))
    try #require(loop.engine.clientState.withLock { $0.receipts.isEmpty }, "looked up again once the file was readable")
    #expect(await outcome.value == nil, "it was delivered")
  }

  @Test mutating func `is not treated as empty while its directory is gone and cannot be recreated`() async {
    for number in 0..<5 { tern.track("E\(number)") }
    memory.removeTree("/queue")
    memory.setScript { $0.kind == .makeDirectory ? .fail(errno: ENOTDIR) : nil }
    harness.clock.advance(by: .seconds(2))
    #expect(await flush().error?.code == .unreadable)
    #expect(tern.ledger.balances && tern.ledger.queued == 5)
    memory.setScript(nil)
    harness.clock.advance(by: .seconds(2))
    tern.track("New")
    pass(.seconds(61))
    #expect(tern.ledger.delivered > 0 && tern.ledger.queued == 0 && tern.ledger.balances)
  }

  @Test mutating func `delays no critical event once descriptors are available again`() async {
    tern.pause()
    tern.track("First", priority: .critical)
    runOutOfFiles()
    tern.resume()
    for _ in 0..<12 { #expect(await flush().error?.code == .unreadable) }
    memory.setScript(nil)
    tern.track("Purchase", priority: .critical)
    work()
    #expect(tern.ledger.delivered == 2, "at once")
  }

  @Test mutating func `delays no event for longer than a minute once descriptors are available again`() async {
    tern.track("First")
    runOutOfFiles()
    for _ in 0..<12 { #expect(await flush().error?.code == .unreadable) }
    memory.setScript(nil)
    tern.track("Second")
    pass(.seconds(67))
    #expect(tern.ledger.delivered == 2)
  }

  /// Awaits the receipt in a task and lets the loop handle the request.
  private mutating func ask(_ receipt: Receipt) async throws -> Task<ReceiptError?, Never> {
    let task = Task { () async -> ReceiptError? in
      do throws(ReceiptError) {
        try await receipt.delivered()
        return nil
      } catch {
        return error
      }
    }
    while loop.engine.clientState.withLock({ $0.receipts.isEmpty }) { await Task.yield() }
    return task
  }
}
