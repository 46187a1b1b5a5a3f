import Foundation
import TernBase
import TernEvents
import TernLog
import TernTestSupport
import Testing

@testable import Tern

@Suite struct `Storage that fails` {
  /// The reasons why a first launch finds no storage, each with its remedy.
  enum Refusal: CaseIterable {
    case full, readOnly, forbidden, locked

    func begin(_ memory: InMemoryFileSystem) {
      switch self {
      case .full: memory.setCapacity(0)
      case .readOnly: memory.setReadOnly(true)
      case .forbidden: memory.setScript { $0.kind == .makeDirectory ? .fail(errno: EACCES) : nil }
      case .locked: memory.lockUp()
      }
    }

    func end(_ memory: InMemoryFileSystem) {
      memory.setCapacity(nil)
      memory.setReadOnly(false)
      memory.setScript(nil)
    }
  }

  @Test(arguments: Refusal.allCases)
  func `is retried, and then receives the events recorded in the meantime`(refusal: Refusal) async throws {
    let memory = InMemoryFileSystem()
    refusal.begin(memory)
    var client = try SteppedClient(on: memory)
    for number in 0..<3 { client.tern.track("E\(number)") }
    client.tern.track("C", priority: .critical)
    client.pass(.seconds(5))
    #expect(!client.tern.status.hasStorage && client.tern.storageError?.code == .unusableDirectory)
    #expect(client.tern.isEnabled && client.tern.status.queued == 4 && client.tern.status.dropped == 0)
    #expect(client.tern.ledger.balances && client.tern.ledger.tracked == 4 && client.names.isEmpty)
    #expect(await client.flush().error?.code == .unreadable)
    refusal.end(memory)
    client.pass(.seconds(60))
    #expect(client.tern.status.hasStorage && client.tern.storageError == nil)
    #expect(client.names == ["C", "E0", "E1", "E2"] && client.tern.ledger.delivered == 4)
    #expect(client.tern.ledger.balances && client.tern.ledger.tracked == 4 && client.tern.ledger.dropped == 0)
    #expect(Set(client.received.compactMap { $0["install"] }) == [client.tern.installID.description])
    client.kill()
    let next = try SteppedClient(on: memory, client.harness)
    #expect(next.tern.installID == client.tern.installID)
  }

  @Test func `keeps events beyond the end of the process once it has recovered`() async throws {
    let memory = InMemoryFileSystem()
    memory.lockUp()
    var client = try SteppedClient(on: memory) { $0.startsPaused = true }
    client.tern.track("A")
    memory.setScript(nil)
    client.pass(.seconds(2))
    client.kill()
    var next = try SteppedClient(on: memory, client.harness)
    _ = await next.flush()
    #expect(next.names == ["A"])
  }

  @Test func `gives the previous install and user to events recorded in the meantime`() async throws {
    let memory = InMemoryFileSystem()
    let first = try SteppedClient(on: memory)
    first.tern.identify("anna")
    let install = first.tern.installID
    first.kill()
    memory.lockUp()
    var client = try SteppedClient(on: memory, first.harness)
    client.tern.track("Of Anna")
    client.tern.identify("bert")
    client.tern.track("Of Bert")
    memory.setScript(nil)
    client.pass(.seconds(60))
    #expect(client.received.map { $0["user"] } == ["anna", "bert"])
    #expect(client.received.allSatisfy { $0["install"] == install.description } && client.tern.installID == install)
  }

  @Test func `keeps a previous opt-out, which applies to events recorded in the meantime`() async throws {
    let memory = InMemoryFileSystem()
    let first = try SteppedClient(on: memory)
    first.tern.isEnabled = false
    first.kill()
    memory.lockUp()
    var client = try SteppedClient(on: memory, first.harness)
    client.tern.track("Unwanted")
    memory.setScript(nil)
    client.pass(.seconds(60))
    #expect(!client.tern.isEnabled && client.names.isEmpty && client.tern.ledger.queued == 0)
    #expect(client.tern.ledger.droppedByReason == [.erased: 1] && client.tern.ledger.balances)
  }

  @Test func `saves an opt-out made in the meantime and erases the events of earlier processes`() async throws {
    let memory = InMemoryFileSystem()
    let first = try SteppedClient(on: memory) { $0.startsPaused = true }
    first.tern.track("Old")
    first.kill()
    memory.lockUp()
    var client = try SteppedClient(on: memory, first.harness)
    client.tern.track("Held")
    client.tern.isEnabled = false
    client.tern.isEnabled = true
    client.tern.track("New")
    memory.setScript(nil)
    client.pass(.seconds(60))
    #expect(client.names == ["New"] && client.tern.ledger.droppedByReason == [.erased: 2])
    #expect(client.tern.ledger.balances)
  }

  @Test func `erases the events of a part disabled in the meantime`() async throws {
    let memory = InMemoryFileSystem()
    memory.lockUp()
    var client = try SteppedClient(on: memory)
    client.tern.track("Usage")
    client.tern.record(CocoaError(.fileNoSuchFile))
    client.tern.setRecording(false, of: .usage)
    memory.setScript(nil)
    client.pass(.seconds(60))
    #expect(client.received.map { $0["type"] } == ["drops", "handled_error"])
    #expect(client.tern.ledger.droppedByReason == [.erased: 1])
  }

  @Test func `counts events that do not fit in memory, evicting the oldest normal ones first`() async throws {
    let memory = InMemoryFileSystem()
    memory.lockUp()
    var client = try SteppedClient(on: memory)
    client.tern.track("C", priority: .critical)
    let text = PropertyValue.string(String(repeating: "x", count: 8000))
    for number in 0..<50 { client.tern.track("E\(number)", ["text": text]) }
    let status = client.tern.status
    #expect(status.queued < 40 && status.droppedByReason == [.storageFailed: 51 - status.queued])
    #expect(client.tern.ledger.balances)
    memory.setScript(nil)
    client.pass(.seconds(60))
    #expect(client.names.first == "C" && client.names.last == "E49" && client.names.count == status.queued)
    #expect(client.received.contains { $0["type"] == "drops" } && client.tern.ledger.balances)
  }

  @Test func `is retried for events at most every ten seconds, and immediately when the app becomes active`()
    async throws
  {
    let memory = InMemoryFileSystem()
    memory.lockUp()
    var client = try SteppedClient(on: memory)
    client.pass(.seconds(3600))
    #expect((8...20).contains(client.wakeUps), "rarely while nothing happens")
    client.tern.track("A")
    client.work()
    let calls = memory.operationCount
    for _ in 0..<100 {
      client.tern.track("A")
      client.work()
    }
    #expect(memory.operationCount == calls, "not for each event")
    memory.setScript(nil)
    client.pass(.seconds(9))
    client.tern.track("B")
    client.work()
    #expect(!client.tern.status.hasStorage)
    client.tern.willEnterForeground()
    client.work()
    #expect(client.tern.status.hasStorage)
    memory.lockUp()
    var other = try SteppedClient(on: memory, client.harness)
    other.pass(.seconds(3600))
    memory.setScript(nil)
    other.tern.track("C")
    other.work()
    #expect(other.tern.status.hasStorage, "an event triggers a retry after ten seconds")
  }

  @Test func `recovers from a disk that fills up later, and keeps the order`() async throws {
    let memory = InMemoryFileSystem()
    var client = try SteppedClient(on: memory)
    client.answers = false
    client.tern.track("A")
    memory.setCapacity(memory.totalBytes)
    client.tern.track("B")
    client.tern.track("C")
    client.work()
    #expect(!client.tern.status.hasStorage && client.tern.storageError != nil)
    #expect(client.tern.status.queued == 3 && client.tern.ledger.balances)
    memory.setCapacity(nil)
    client.tern.track("D")
    client.answers = true
    client.pass(.seconds(60))
    #expect(client.names == ["A", "B", "C", "D"] && client.tern.ledger.dropped == 0 && client.tern.ledger.balances)
  }

  @Test func `fulfils the receipt of a buffered event like any other`() async throws {
    let memory = InMemoryFileSystem()
    let first = try SteppedClient(on: memory) { $0.startsPaused = true }
    first.tern.isEnabled = false
    first.tern.track("Dropped by an earlier process")
    first.tern.isEnabled = true
    first.tern.willTerminate()
    first.kill()
    memory.lockUp()
    var client = try SteppedClient(on: memory, first.harness)
    let early = client.tern.track("Asked early", priority: .critical)
    let late = client.tern.track("Asked late", priority: .critical)
    let outcome = await client.ask(early)
    memory.setScript(nil)
    client.pass(.seconds(600))
    #expect(await outcome.value == nil && client.tern.ledger.dropped == 1)
    client.work()
    let other = Task { try await late.delivered() }
    while client.loop.engine.clientState.withLock({ $0.receipts.isEmpty }) { await Task.yield() }
    client.work()
    try await other.value
  }

  @Test func `does not replace an install that cannot be read`() async throws {
    let memory = InMemoryFileSystem()
    let first = try SteppedClient(on: memory)
    first.kill()
    memory.setScript { $0.kind == .open && $0.path.hasSuffix("install-id") ? .fail(errno: EACCES) : nil }
    var client = try SteppedClient(on: memory, first.harness)
    client.tern.track("A")
    #expect(client.tern.installID != first.tern.installID)
    memory.setScript(nil)
    client.pass(.seconds(60))
    #expect(client.tern.installID == first.tern.installID)
    #expect(client.received.map { $0["install"] } == [first.tern.installID.description])
  }

  @Test func `counts the events that a client could not write before it ended`() async throws {
    let memory = InMemoryFileSystem()
    var client = try SteppedClient(on: memory)
    memory.setCapacity(memory.totalBytes)
    client.tern.track("A")
    client.work()
    client.loop.end()
    memory.setCapacity(nil)
    let next = try SteppedClient(on: memory, client.harness)
    #expect(next.tern.ledger.droppedByReason == [.storageFailed: 1] && next.tern.ledger.balances)
  }

  @Test func `is retried by an idle client that has not read its settings`() async throws {
    let memory = InMemoryFileSystem()
    let first = try SteppedClient(on: memory)
    first.tern.isEnabled = false
    first.kill()
    memory.setScript { $0.kind == .open && $0.path.hasSuffix("settings.json") ? .fail(errno: EIO) : nil }
    var client = try SteppedClient(on: memory, first.harness)
    client.pass(.seconds(30))
    #expect(client.tern.isEnabled && client.tern.status.isPaused)
    memory.setScript(nil)
    client.pass(.seconds(60))
    #expect(!client.tern.isEnabled && client.loop.effects.timer == nil)
  }
}

@Suite struct `The storage backoff` {
  @Test func `doubles up to ten minutes, whatever happens`() {
    var retry = StorageBackoff(failedAt: .seconds(100))
    #expect(!retry.isDue(.timer, at: .milliseconds(100_999)) && retry.isDue(.timer, at: .seconds(101)))
    var pauses: [Duration] = []
    for number in 0..<14 {
      retry.failed(at: .seconds(200 * number))
      pauses.append(retry.due - .seconds(200 * number))
    }
    #expect(pauses.prefix(4) == [.seconds(2), .seconds(4), .seconds(8), .seconds(16)])
    #expect(pauses.suffix(3) == [.seconds(600), .seconds(600), .seconds(600)])
    let last = Duration.seconds(2600)
    #expect(!retry.isDue(.event, at: last + .milliseconds(9999)) && retry.isDue(.event, at: last + .seconds(10)))
    #expect(!retry.isDue(.lifecycle, at: last + .milliseconds(999)) && retry.isDue(.lifecycle, at: last + .seconds(1)))
    #expect(retry.isDue(.request, at: last))
  }

  @Test func `keeps the buffer within its limits, and never evicts a more important event`() {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = FastGenerator(seed: seed)
    for _ in 0..<200 {
      let bytes = 1 + Int(generator.next() % 200)
      let count = 1 + Int(generator.next() % 20)
      var queue = MemoryBuffer<Int>(maximumCount: count, maximumBytes: bytes)
      var model: [(number: Int, bytes: Int, lane: Lane)] = []
      for number in 0..<100 {
        let size = Int(generator.next() % 40)
        let lane: Lane = generator.next() % 3 == 0 ? .critical : .normal
        let gone = queue.add(number, bytes: size, lane)
        model.append((number, size, lane))
        let lanes = gone.compactMap { one in model.first { $0.number == one }?.lane }
        #expect(lane == .critical || !lanes.contains(.critical), "seed \(seed)")
        // The oldest event of its lane, unless that is the new one itself.
        for one in gone where one != number {
          let oldest = model.first { $0.lane == model.first { $0.number == one }?.lane }
          #expect(oldest?.number == one, "seed \(seed)")
          model.removeAll { $0.number == one }
        }
        model.removeAll { gone.contains($0.number) }
        #expect(queue.count == model.count && queue.count <= count, "seed \(seed)")
        #expect(model.reduce(0) { $0 + $1.bytes } <= bytes, "seed \(seed)")
      }
      var order: [Int] = []
      while let first = queue.first {
        order.append(first.element)
        queue.removeFirst()
      }
      let expected = model.filter { $0.lane == .critical } + model.filter { $0.lane == .normal }
      #expect(order == expected.map(\.number), "seed \(seed)")
    }
  }
}
