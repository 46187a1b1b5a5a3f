import Foundation
import TernBase
import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

@Suite(.timeLimit(.minutes(30))) struct `A log on a slow disk` {
  /// Runs `body` on a separate thread and holds back each of its operations until an append has returned.
  private func delayEach(
    _ kinds: Set<InMemoryFileSystem.Operation.Kind>, _ fixture: LogFixture, _ log: EventLog,
    _ body: @escaping @Sendable () -> Void
  ) throws {
    let reached = DispatchSemaphore(value: 0)
    let proceed = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    let worker = Locked<UInt>(0)
    fixture.memory?.setScript { operation in
      let isWorker = worker.withLock { $0 } == UInt(bitPattern: ObjectIdentifier(Thread.current).hashValue)
      guard isWorker, kinds.contains(operation.kind), !operation.path.hasSuffix("/drops") else { return nil }
      reached.signal()
      proceed.wait()
      return nil
    }
    let isDone = Locked(false)
    Thread.detachNewThread {
      worker.withLock { $0 = UInt(bitPattern: ObjectIdentifier(Thread.current).hashValue) }
      body()
      isDone.withLock { $0 = true }
      reached.signal()
      done.signal()
    }
    var appended = 0
    while true {
      reached.wait()
      if isDone.withLock({ $0 }) { break }
      // Would deadlock if the operation that is held back also held the lock.
      if case .stored = fixture.append(log) { appended += 1 }
      proceed.signal()
    }
    done.wait()
    fixture.memory?.setScript(nil)
    #expect(appended > 0, "an operation was held back")
  }

  private func makeLog() throws -> (LogFixture, EventLog) {
    let fixture = LogFixture()
    fixture.configuration.segmentBytes = 2 << 10
    fixture.configuration.durability = .everyBatch
    let log = try fixture.open()
    for _ in 0..<100 { fixture.append(log) }
    return (fixture, log)
  }

  @Test func `does not block append while it reads a claim`() throws {
    let (fixture, log) = try makeLog()
    try delayEach([.read, .open], fixture, log) { _ = log.claim(40) }
  }

  @Test func `does not block append while it marks and removes settled events`() throws {
    let (fixture, log) = try makeLog()
    let claim = try #require(log.claim(70))
    try delayEach([.open, .write, .truncate, .rename, .remove], fixture, log) { log.settle(claim.id, .delivered) }
    let numbers = log.drain()
    let count = claim.records.count
    #expect(numbers == Array(count..<count + numbers.count))
  }

  @Test func `does not block append while it flushes to the medium`() throws {
    let (fixture, log) = try makeLog()
    try delayEach([.synchronize], fixture, log) { log.synchronize() }
  }

  @Test func `does not block append while it erases everything`() throws {
    let (fixture, log) = try makeLog()
    try delayEach([.list, .remove], fixture, log) { log.erase() }
  }
}
