import Foundation
import TernBase
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// The thread pool for reads.
@Suite struct ReaderThreadTests {
  /// Blocks jobs until it is opened, and counts how many run at once.
  private final class Gate: Sendable {
    private let state = Locked((running: 0, most: 0, started: 0))
    private let open = DispatchSemaphore(value: 0)

    var most: Int { state.withLock { $0.most } }
    var started: Int { state.withLock { $0.started } }

    func pass() {
      state.withLock { state in
        state.running += 1
        state.started += 1
        state.most = max(state.most, state.running)
      }
      open.wait()
      state.withLock { $0.running -= 1 }
    }

    func letGo(_ count: Int) { for _ in 0..<count { open.signal() } }

    func waitUntilStarted(_ count: Int) async {
      while started < count { await Task.yield() }
    }
  }

  @Test func `slow reads don't block tasks, and no more run at once than there are threads`() async throws {
    let (threads, gate) = (ReaderThreads(count: 2), Gate())
    try await withThrowingTaskGroup(of: Void.self) { group in
      // Far more than there are cooperative threads; if they were blocked, the task below couldn't proceed.
      for _ in 0..<100 { group.addTask { try await threads.run { gate.pass() } } }
      await gate.waitUntilStarted(2)
      #expect(gate.started == 2)
      gate.letGo(100)
      try await group.waitForAll()
    }
    #expect(gate.started == 100)
    #expect(gate.most == 2)
    threads.close()
  }

  @Test func `reads that take turns leave the other threads free`() async throws {
    let (threads, slow, quick) = (ReaderThreads(count: 2), Gate(), Gate())
    let turn = Gate()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<10 { group.addTask { try await threads.run(takingTurnsOn: turn) { slow.pass() } } }
      await slow.waitUntilStarted(1)
      quick.letGo(5)
      for _ in 0..<5 { try await threads.run { quick.pass() } }
      #expect(slow.started == 1)
      slow.letGo(10)
      try await group.waitForAll()
    }
    #expect(slow.most == 1)
    #expect(slow.started == 10)
    threads.close()
  }

  @Test func `waiting reads still run after closing, and later reads throw`() async throws {
    let (threads, gate) = (ReaderThreads(count: 1), Gate())
    async let first: Void = threads.run { gate.pass() }
    await gate.waitUntilStarted(1)
    threads.close()
    gate.letGo(1)
    try await first
    let failure = await #expect(throws: WarehouseError.self) { try await threads.run {} }
    #expect(failure?.code == .unavailable)
  }
}
