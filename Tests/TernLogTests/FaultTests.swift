import Foundation
import TernBase
import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

@Suite struct `A log on a failing disk` {
  /// The results of a scripted run.
  private struct Promise {
    var stored: [Int] = []
    var refused: [Int] = []
    var delivered: Set<Int> = []
  }

  /// Exercises everything that a log does, with small segments so that some start and some are removed.
  private func run(_ fixture: LogFixture) -> Promise {
    var promise = Promise()
    guard let log = try? fixture.open() else { return promise }
    defer {
      #expect(log.counts.balances, "every event is accounted for")
      fixture.memory?.killProcess()
    }
    var held: LogClaim?
    for number in 0..<40 {
      let lane: Lane = number % 9 == 4 ? .critical : .normal
      if case .stored = fixture.append(log, number, lane: lane) {
        promise.stored.append(number)
      } else {
        promise.refused.append(number)
      }
      if number == 12 { held = log.claim(3) }
      if number == 18, let claim = log.claim(5) {
        log.settle(claim.id, .delivered)
        promise.delivered.formUnion(claim.numbers)
      }
      if number == 22, let held { log.settle(held.id, .returned) }
      if number == 26 { log.synchronize() }
      if number == 30, let claim = log.claim(6), let first = claim.records.first {
        log.settle(claim.id, .partly(delivered: [first.id], dropped: [:]))
        promise.delivered.insert(Int(first.id.low))
      }
    }
    return promise
  }

  private func makeFixture() -> LogFixture {
    let fixture = LogFixture()
    fixture.configuration.segmentBytes = 1 << 10
    return fixture
  }

  /// Reopens without faults and checks that every acknowledged event is there, once and in order.
  private func check(_ fixture: LogFixture, _ promise: Promise, _ fault: Comment) throws {
    fixture.memory?.setScript(nil)
    fixture.memory?.setReadOnly(false)
    let log = try fixture.open()
    let claim = log.claim(maximumEvents: 1000, maximumBytes: .max)
    let numbers = claim?.numbers ?? []
    #expect(Set(numbers).count == numbers.count, fault)
    let owed = Set(promise.stored).subtracting(promise.delivered)
    #expect(owed.subtracting(numbers).isEmpty, fault)
    for lane in Lane.allCases {
      let ofLane = claim?.records.filter { $0.lane == lane }.map { Int($0.id.low) } ?? []
      #expect(ofLane == ofLane.sorted(), fault)
    }
    #expect(claim?.isGenuine ?? true, fault)
    #expect(log.counts.balances, fault)
    log.close()
    // The next recovery finds the same as this one.
    #expect(try fixture.open().claim(maximumEvents: 1000, maximumBytes: .max)?.numbers ?? [] == numbers, fault)
    fixture.memory?.killProcess()
  }

  @Test(arguments: [
    InMemoryFileSystem.Fault.fail(errno: EIO), .fail(errno: ENOSPC), .fail(errno: EACCES), .fail(errno: EMFILE),
    .tear(bytes: 0), .tear(bytes: 30), .tear(bytes: 140), .tear(bytes: 200), .tearAndFail(bytes: 100, errno: EIO),
    .tearAndFail(bytes: 1 << 20, errno: EIO),
  ])
  func `loses no acknowledged event, whichever operation fails`(
    fault: InMemoryFileSystem.Fault
  ) throws {
    let faultless = makeFixture()
    let expected = run(faultless)
    #expect(expected.stored.count == 40)
    let operations = try #require(faultless.memory?.operationCount)
    #expect(operations > 80)
    for failing in 1...operations {
      let fixture = makeFixture()
      fixture.memory?.setScript { $0.number == failing ? fault : nil }
      let promise = run(fixture)
      try check(fixture, promise, "operation \(failing)")
    }
  }

  @Test func `loses no acknowledged event if everything fails from any operation on`() throws {
    let operations = try #require(
      { () -> Int? in
        let fixture = makeFixture()
        _ = run(fixture)
        return fixture.memory?.operationCount
      }())
    for first in 1...operations {
      let fixture = makeFixture()
      fixture.memory?.setScript { $0.number >= first ? .fail(errno: EIO) : nil }
      let promise = run(fixture)
      try check(fixture, promise, "from operation \(first) on")
    }
  }

  @Test(arguments: 0..<200) func `loses no acknowledged event under random faults`(seed: UInt64) throws {
    let generator = Locked(FastGenerator(seed: seed))
    let fixture = makeFixture()
    fixture.memory?.setScript { _ in
      generator.withLock { generator in
        guard generator.next() % 12 == 0 else { return nil }
        return [.fail(errno: EIO), .fail(errno: ENOSPC), .tear(bytes: Int(generator.next() % 300))]
          .randomElement(using: &generator)
      }
    }
    let promise = run(fixture)
    try check(fixture, promise, "seed \(seed)")
  }

  @Test func `drops and counts on a full disk, and resumes storing when there is room`() throws {
    let fixture = LogFixture()
    let log = try fixture.open()
    fixture.memory?.setCapacity(1500 + DropLedger.fileBytes)
    var stored: [Int] = []
    for number in 0..<20 {
      switch fixture.append(log, number) {
      case .stored: stored.append(number)
      case .dropped(let reason): #expect(reason == .storageFailed)
      }
    }
    let count = (1500 - LogFixture.headerBytes) / (RecordHeader.size + 100)
    #expect(stored == Array(0..<count))
    #expect(log.counts.dropped == [.storageFailed: 20 - count])
    fixture.memory?.setCapacity(nil)
    #expect(
      fixture.append(log, 20)
        == .stored(waiting: count + 1, waitingCritical: 0, dropped: log.counts.droppedTotal))
    #expect(log.drain() == stored + [20])
    #expect(log.counts.dropped == [.storageFailed: 20 - count])
  }

  @Test func `begins no segment for which the disk reports no room, since its file system may write later`() throws {
    let fixture = LogFixture()
    let log = try fixture.open()
    fixture.append(log, 0)
    fixture.memory?.setReportedSpace(0)
    // The rest of the open segment has its room.
    fixture.append(log, 1)
    #expect(fixture.append(log, 2, lane: .critical) == .dropped(.storageFailed))
    #expect(fixture.append(log, 3, identity: 8) == .dropped(.storageFailed))
    fixture.memory?.setReportedSpace(fixture.configuration.segmentBytes - 1)
    #expect(fixture.append(log, 4, identity: 8) == .dropped(.storageFailed))
    #expect(log.counts.dropped == [.storageFailed: 3] && log.counts.balances)
    fixture.memory?.setReportedSpace(fixture.configuration.segmentBytes)
    fixture.append(log, 5, identity: 8)
    #expect(log.drain() == [0, 1, 5])
    log.close()
    let next = try fixture.open()
    #expect(next.counts.dropped == [.storageFailed: 3] && next.counts.delivered == 3)
    next.close()
  }

  @Test func `knows the free space of a real disk`() throws {
    let fixture = LogFixture(.disk)
    let log = try fixture.open()
    #if canImport(Darwin)
      #expect(fixture.fileSystem.freeBytes(fixture.directory) == nil)
    #else
      #expect(fixture.fileSystem.freeBytes(fixture.directory).map { $0 > 0 } == true)
      #expect(fixture.fileSystem.freeBytes(fixture.directory + "/none") == nil)
      // A file system without a size.
      #expect(fixture.fileSystem.freeBytes("/proc") == nil)
    #endif
    log.close()
  }

  @Test(arguments: Lane.allCases, [1, 3])
  func `uses the space of delivered events on a full disk, even of the current segment`(
    lane: Lane, round: Int
  ) throws {
    let fixture = LogFixture()
    let log = try fixture.open()
    fixture.memory?.setCapacity(20_000)
    for _ in 0..<round {
      var number = 0
      while case .stored = fixture.append(log, number, lane: lane, bytes: 300) { number += 1 }
      #expect(number > 40)
      while let claim = log.claim(7) { log.settle(claim.id, .delivered) }
    }
    guard case .stored = fixture.append(log, 0, lane: lane) else {
      Issue.record("no event waits, yet none can be stored")
      return
    }
    #expect(log.counts.waiting == 1 && log.counts.balances)
  }

  @Test func `remembers the drops of a full disk at the next launch, even after a kill`() throws {
    for isKilled in [false, true] {
      let fixture = LogFixture()
      let log = try fixture.open()
      fixture.append(log, 0)
      fixture.memory?.setCapacity(fixture.bytesOnDisk)
      for number in 1..<20 { fixture.append(log, number) }
      #expect(log.counts.dropped == [.storageFailed: 19])
      // As the client does periodically, and before each batch.
      log.synchronize()
      if isKilled { fixture.memory?.killProcess() } else { log.close() }
      let next = try fixture.open()
      #expect(next.counts.dropped == [.storageFailed: 19])
      #expect(next.counts.tracked == 20)
      next.close()
    }
  }

  @Test func `drops and counts when the disk turns read-only, and claims still work`() throws {
    let fixture = LogFixture()
    let log = try fixture.open()
    fixture.append(log, 1)
    fixture.memory?.setReadOnly(true)
    #expect(fixture.append(log, 2) == .dropped(.storageFailed))
    let claim = try #require(log.claim(5))
    #expect(claim.numbers == [1])
    log.settle(claim.id, .delivered)
    #expect(log.claim(5) == nil)
    fixture.memory?.setReadOnly(false)
    #expect(fixture.append(log, 3) == .stored(waiting: 1, waitingCritical: 0, dropped: log.counts.droppedTotal))
    #expect(log.counts.dropped == [.storageFailed: 1])
  }

  @Test func `reads past an unreadable segment, and retries it later`() throws {
    let fixture = makeFixture()
    let log = try fixture.open()
    for number in 0..<12 { fixture.append(log, number) }
    fixture.memory?.setScript { operation in
      operation.kind == .read && operation.path.hasSuffix("0000000000000001-normal.seg") ? .fail(errno: EIO) : nil
    }
    #expect(log.drain(batch: 2) == Array(6..<12))
    for _ in 0..<20 {
      #expect(log.counts.waiting == 6 && log.counts.unreadable == 6 && log.counts.balances)
      let until = try #require(log.counts.unreadableUntil)
      #expect(until > fixture.clock.uptime && until <= fixture.clock.uptime + .seconds(30 * 60))
      #expect(log.remaining(of: [LogFixture.id(3)]).uncertain == [LogFixture.id(3)], "it may be gone or not")
      fixture.clock.advance(by: until - fixture.clock.uptime)
      #expect(log.counts.unreadable == 0, "a retry is due")
      #expect(log.drain() == [])
    }
    fixture.append(log, 20)
    #expect(log.drain() == [20])
    #expect(log.counts.dropped == [:])
    log.close()
    #expect(try fixture.open().drain() == [], "still unreadable")
    fixture.memory?.killProcess()
    fixture.memory?.setScript(nil)
    #expect(try fixture.open().drain() == Array(0..<6))
  }

  @Test func `hands out the open segment without free descriptors, and reads the others later`() throws {
    let fixture = makeFixture()
    let log = try fixture.open()
    for number in 0..<9 { fixture.append(log, number) }
    fixture.memory?.setScript { $0.kind == .open ? .fail(errno: EMFILE) : nil }
    let claim = try #require(log.claim(10))
    #expect(claim.numbers == [6, 7, 8], "its file was open")
    #expect(log.claim(10) == nil && log.counts.unreadable == 6)
    #expect(fixture.append(log, 9) == .dropped(.storageFailed))
    #expect(log.counts.balances && log.counts.tracked == 10)
    fixture.memory?.setScript(nil)
    log.settle(claim.id, .returned)
    #expect(log.claim(3)?.numbers == [6, 7, 8], "the others are not due yet")
    log.retryUnreadable()
    #expect(log.drain() == Array(0..<6))
    #expect(log.counts.unreadableUntil == nil && log.counts.balances)
  }
}
