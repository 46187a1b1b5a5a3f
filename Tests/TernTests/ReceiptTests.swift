import TernBase
import TernEvents
import TernTestSupport
import Testing

@testable import Tern
@testable import TernLog

@Suite(.timeLimit(.minutes(30))) struct `A receipt` {
  private func error(_ receipt: Receipt) async -> ReceiptError? {
    do throws(ReceiptError) {
      try await receipt.delivered()
      return nil
    } catch {
      return error
    }
  }

  /// Waits for the receipt in a task; returns once the client has registered the request and found the event.
  private func ask(_ receipt: Receipt, _ tern: TernClient) async throws -> Task<ReceiptError?, Never> {
    let id = try #require(receipt.id)
    let task = Task { await error(receipt) }
    let engine = tern.engine
    while !engine.clientState.withLock({ $0.receipts.ids.contains(id) }) { await Task.yield() }
    // The event's place is known, so the request is registered.
    while engine.log.operations.withLock({ $0.places[id] == nil }) { await Task.yield() }
    return task
  }

  @Test func `returns when its event is delivered, whenever it is awaited`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .hold })
    let tern = try harness.client { $0.sessions = .manual }
    let receipt = tern.track("A")
    let other = tern.track("B", priority: .critical)
    async let early: Void = receipt.delivered()
    await harness.transport.request(number: 1)
    harness.transport.release()
    try await early
    try await other.delivered()
    try await receipt.delivered()
    #expect(receipt.id?.description == harness.transport.received.first { $0.name == "A" }?.id)
    await tern.shutdown()
  }

  @Test func `throws if the collector rejects the event`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .status(400) })
    let tern = try harness.client { $0.sessions = .manual }
    let receipt = tern.track("A")
    let early = try await ask(receipt, tern)
    await tern.flush()
    #expect(await early.value == ReceiptError(.dropped, .rejected))
    #expect(await error(receipt)?.code == .unknown, "awaited after the event is gone")
    await tern.shutdown()
  }

  @Test func `throws if its event is evicted`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .failure(.offline) })
    let tern = try harness.client {
      $0.sessions = .manual
      $0.maximumQueueBytes = 24 << 10
    }
    tern.pause()
    let receipt = tern.track("A")
    let early = try await ask(receipt, tern)
    // Normal events; no other signal shows them while the queue is full.
    while tern.ledger.dropped == 0 { tern.track("B") }
    #expect(await early.value == ReceiptError(.dropped, .queueFull))
    #expect(await error(receipt)?.code == .unknown, "awaited after the event is gone, among other drops")
    await tern.shutdown()
  }

  @Test func `throws if its event is erased`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .manual }
    let receipt = tern.track("A")
    let early = try await ask(receipt, tern)
    tern.isEnabled = false
    tern.track("Too late")
    #expect(await early.value == ReceiptError(.dropped, .erased))
    await tern.shutdown()
  }

  @Test func `throws the reason if its event was not recorded`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .manual }
    tern.isEnabled = false
    let receipt = tern.track("A")
    #expect(receipt.id == nil)
    #expect(await error(receipt)?.reason == .disabled)
    await tern.shutdown()
    #expect(await error(tern.track("B"))?.code == .stopped)
  }

  @Test func `returns when the client or the task ends`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport { _ in .failure(.offline) })
    let tern = try harness.client { $0.sessions = .manual }
    let receipt = tern.track("A")
    let task = Task { await error(receipt) }
    task.cancel()
    #expect(await task.value?.code == .stopped)
    async let last = error(receipt)
    await tern.shutdown()
    #expect(await last?.code == .stopped)
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `is right about every event under random failures`(seed: UInt64) async throws {
    var generator = FastGenerator(seed: seed)
    let harness = try TestHarness(seed: seed)
    let tern = try harness.client {
      $0.sessions = .manual
      $0.maximumQueueBytes = 24 << 10
    }
    var tasks: [(id: String, task: Task<ReceiptError?, Never>)] = []
    for step in 0..<60 {
      let isUp = Bool.random(using: &generator)
      harness.transport.answer { _ in isUp ? .accept : .status(503) }
      for _ in 0..<Int.random(in: 1...20, using: &generator) {
        let receipt = tern.track("E", ["Step": step], priority: Bool.random(using: &generator) ? .critical : .normal)
        if let id = receipt.id { tasks.append((id.description, Task { await error(receipt) })) }
      }
      await tern.flush()
    }
    harness.transport.answer { _ in .accept }
    await tern.flush()
    await tern.waitForStatus { $0.queued == 0 && $0.inFlight == 0 }
    let arrived = Set(harness.transport.received.map(\.id))
    for (id, task) in tasks {
      switch await task.value?.code {
      case nil: #expect(arrived.contains(id), "seed \(seed)")
      case .some(.dropped): #expect(!arrived.contains(id), "seed \(seed)")
      default: break
      }
    }
    await tern.shutdown()
  }
}
