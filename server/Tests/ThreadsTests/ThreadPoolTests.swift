import TernBase
import Testing

@testable import Threads

/// The threads of a pool, and the jobs on them.
@Suite(.timeLimit(.minutes(30))) struct ThreadPoolTests {
  @Test func `slow jobs don't block tasks, and no more run at once than there are threads`() async throws {
    let (pool, gate) = (ThreadPool<Owner>(.reports, count: 2), Gate())
    try await withThrowingTaskGroup(of: Void.self) { group in
      // Far more than there are cooperative threads; if they were blocked, the task below couldn't proceed.
      for _ in 0..<100 { group.addTask { try await pool.run { gate.pass() } } }
      await gate.waitUntilStarted(2)
      #expect(gate.started == 2)
      gate.letGo(100)
      try await group.waitForAll()
    }
    #expect(gate.started == 100)
    #expect(gate.most == 2)
    pool.close()
  }

  @Test func `jobs that take turns leave the other threads free`() async throws {
    let pool = ThreadPool<Owner>(.reports, count: 2, limits: FairQueueLimits(runningPerOwner: 1))
    let (slow, quick) = (Gate(), Gate())
    let turn = Owner.client("turn")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<10 { group.addTask { try await pool.run(for: [turn]) { slow.pass() } } }
      await slow.waitUntilStarted(1)
      quick.letGo(5)
      for _ in 0..<5 { try await pool.run { quick.pass() } }
      #expect(slow.started == 1)
      slow.letGo(10)
      try await group.waitForAll()
    }
    #expect(slow.most == 1)
    #expect(slow.started == 10)
    pool.close()
  }

  @Test func `waiting jobs still run after closing, and later ones are refused`() async throws {
    let (pool, gate) = (ThreadPool<Owner>(.reports, count: 1), Gate())
    async let first: Void = pool.run { gate.pass() }
    await gate.waitUntilStarted(1)
    async let second: Void = pool.run {}
    while pool.waiting < 1 { await Task.yield() }
    pool.close()
    gate.letGo(1)
    try await first
    try await second
    await #expect(throws: ThreadPoolRefusal.closed) { try await pool.run {} }
    let isDone = await Task(executorPreference: pool) { true }.value
    #expect(isDone, "tasks that outlive the pool must end")
  }

  @Test func `an owner that keeps its threads busy leaves one to the others`() async throws {
    let pool = ThreadPool<Owner>(.reports, count: 3, limits: FairQueueLimits(runningPerOwner: 2))
    let gate = Gate()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask { try await pool.run(for: [.client("\(number)"), .app(1)]) { gate.pass() } }
      }
      await gate.waitUntilStarted(2)
      let other = try await pool.run(for: [.client("a"), .app(2)]) { "decoded" }
      #expect(other == "decoded")
      gate.letGo(20)
      try await group.waitForAll()
    }
    #expect(gate.most == 2)
  }

  @Test func `an owner with too much waiting work is refused, and another one's work runs next`() async throws {
    let limits = FairQueueLimits(runningPerOwner: 1, waitingPerOwner: 2)
    let pool = ThreadPool<Owner>(.reports, count: 2, limits: limits)
    let gate = Gate()
    try await withThrowingTaskGroup(of: Void.self) { group in
      // One runs, because one thread is left for others; two wait.
      group.addTask { try await pool.run(for: [.client("a")]) { gate.pass() } }
      await gate.waitUntilStarted(1)
      for _ in 0..<2 { group.addTask { try await pool.run(for: [.client("a")]) { gate.pass() } } }
      while pool.waiting < 2 { await Task.yield() }
      await #expect(throws: ThreadPoolRefusal.full) { try await pool.run(for: [.client("a")]) {} }
      #expect(try await pool.run(for: [.client("b")]) { "checked" } == "checked")
      gate.letGo(3)
      try await group.waitForAll()
    }
    #expect(try await pool.run(for: [.client("a")]) { "checked" } == "checked")
  }
}
