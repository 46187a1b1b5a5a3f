import Foundation
import TernBase
import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

@Suite struct `The directory of a log` {
  @Test(arguments: World.allCases)
  func `keeps its contract on every file system`(world: World) throws {
    let fixture = LogFixture(world)
    try FileSystemContract(fixture.fileSystem, directory: fixture.directory).check()
  }

  @Test func `a closed lock is free, even while a child that has not run its program yet has a copy of it`() throws {
    let fixture = LogFixture(.disk)
    let files = SystemFileSystem()
    try files.makeDirectory(fixture.directory)
    let path = fixture.directory + "/lock"
    let first = try files.open(path, .lock)
    #expect(try files.lock(first))
    let copy = dup(first.number)
    defer { files.close(OpenFile(number: copy)) }
    files.close(first)
    let second = try files.open(path, .lock)
    defer { files.close(second) }
    #expect(try files.lock(second))
  }

  @Test(arguments: World.allCases)
  func `two logs in one directory do not interfere with each other`(world: World) throws {
    let fixture = LogFixture(world)
    let first = try fixture.open()
    fixture.append(first, 1)
    let second = try fixture.open()
    fixture.append(second, 2)
    #expect(first.drain() == [1])
    #expect(second.drain() == [2])
    #expect(try fixture.fileSystem.list(fixture.directory).sorted() == ["log-0", "log-1"])
  }

  @Test(arguments: World.allCases)
  func `opening adopts the logs of dead processes, with their counts`(world: World) throws {
    let fixture = LogFixture(world)
    let first = try fixture.open()
    var second: EventLog? = try fixture.open()
    fixture.append(first, 1)
    for number in 2..<5 { _ = second.map { fixture.append($0, number, lane: number == 4 ? .critical : .normal) } }
    second?.count(.disabled, 3)
    second?.close()
    second = nil
    first.count(.disabled, 1)
    first.close()
    let successor = try fixture.open()
    #expect(successor.counts.waiting == 4)
    #expect(successor.counts.dropped == [.disabled: 4])
    #expect(successor.drain() == [4, 1, 2, 3])
    successor.close()
    let again = try fixture.open()
    #expect(again.counts.waiting == 0)
    #expect(again.counts.dropped == [.disabled: 4], "counts are adopted once")
  }

  @Test func `an adoption interrupted anywhere keeps every event once`() throws {
    let template = LogFixture()
    let first = try template.open()
    let second = try template.open()
    for number in 0..<4 { template.append(first, number) }
    for number in 4..<8 { template.append(second, number, lane: number % 2 == 0 ? .critical : .normal) }
    first.close()
    second.close()
    let memory = try #require(template.memory)
    for failing in 1...60 {
      let world = memory.copy()
      world.setScript { $0.number >= failing ? .fail(errno: EIO) : nil }
      let broken = try? EventLog(template.configuration, fileSystem: world, clock: template.clock)
      world.killProcess()
      world.setScript(nil)
      let log = try EventLog(template.configuration, fileSystem: world, clock: template.clock)
      #expect(log.drain().sorted() == Array(0..<8), "everything fails from operation \(failing) on")
      withExtendedLifetime(broken) {}
    }
  }

  @Test(arguments: World.allCases)
  func `is recreated after a removal, and its last events are saved`(world: World) throws {
    let fixture = LogFixture(world)
    let log = try fixture.open()
    fixture.append(log, 1)
    let open = try #require(log.claim(1))
    fixture.append(log, 2)
    try remove(fixture)
    fixture.append(log, 3)
    #expect(log.claim(10)?.numbers == [2, 3], "the events of the open file were copied")
    #expect(log.counts.dropped == [.storageFailed: 1], "that of the claim was in another file")
    log.settle(open.id, .delivered)
    log.close()
    #expect(try fixture.open().drain() == [2, 3])
  }

  @Test(arguments: World.allCases)
  func `is checked by an append after a second without other calls`(world: World) throws {
    let fixture = LogFixture(world)
    let log = try fixture.open()
    fixture.append(log, 1)
    try remove(fixture)
    fixture.clock.advance(by: .seconds(1))
    #expect(fixture.append(log, 2) == .stored(waiting: 2, waitingCritical: 0, dropped: log.counts.droppedTotal))
    fixture.memory?.killProcess()
    if fixture.memory == nil { log.close() }
    #expect(try fixture.open().drain() == [1, 2])
    withExtendedLifetime(log) {}
  }

  @Test func `segments lost with their directory are counted`() throws {
    let fixture = LogFixture()
    fixture.configuration.segmentBytes = 1 << 10
    let log = try fixture.open()
    for number in 0..<12 { fixture.append(log, number) }
    try remove(fixture)
    #expect(log.claim(20)?.numbers == Array(6..<12))
    #expect(log.counts.dropped == [.storageFailed: 6])
    #expect(log.counts.waiting == 0)
  }

  @Test func `a single removed segment is counted, and the others stay`() throws {
    let fixture = LogFixture()
    fixture.configuration.segmentBytes = 1 << 10
    let log = try fixture.open()
    for number in 0..<12 { fixture.append(log, number) }
    try fixture.fileSystem.remove("/queue/log-0/0000000000000001-normal.seg")
    #expect(log.drain() == Array(6..<12))
    #expect(log.counts.dropped == [.storageFailed: 6])
  }

  @Test func `the current segment is restored after its removal`() throws {
    let fixture = LogFixture()
    let log = try fixture.open()
    fixture.append(log, 1)
    try fixture.fileSystem.remove("/queue/log-0/0000000000000001-normal.seg")
    fixture.clock.advance(by: .seconds(1))
    fixture.append(log, 2)
    fixture.memory?.killProcess()
    #expect(try fixture.open().drain() == [1, 2])
    withExtendedLifetime(log) {}
  }

  @Test func `throws a clear error if it cannot be created`() throws {
    let fixture = LogFixture()
    fixture.memory?.setReadOnly(true)
    let error = #expect(throws: LogError.self) { try fixture.open() }
    #expect(error?.code == .directoryUnavailable)
    #expect(error?.cause?.number == EROFS)
    #expect(error?.description.contains("/queue") == true)
  }

  @Test func `a log without a directory drops and counts until it is opened`() throws {
    let fixture = LogFixture()
    fixture.memory?.setReadOnly(true)
    let log = fixture.unopened()
    #expect(throws: LogError.self) { try log.open() }
    #expect(fixture.append(log, 1) == .dropped(.storageFailed))
    #expect(log.claim(1) == nil)
    log.erase()
    log.synchronize()
    log.setMaximumBytes(1)
    fixture.memory?.setReadOnly(false)
    try log.open()
    #expect(fixture.append(log, 2) == .stored(waiting: 1, waitingCritical: 0, dropped: log.counts.droppedTotal))
    #expect(log.counts.dropped == [.storageFailed: 1])
    #expect(log.drain() == [2])
  }

  @Test func `counts from before the opening are added to those in the directory`() throws {
    let fixture = LogFixture()
    let first = try fixture.open()
    first.count(.disabled, 5)
    first.close()
    fixture.memory?.setScript { $0.kind == .makeDirectory ? .fail(errno: EIO) : nil }
    let log = fixture.unopened()
    #expect(throws: LogError.self) { try log.open() }
    #expect(fixture.append(log, 1) == .dropped(.storageFailed))
    fixture.memory?.setScript(nil)
    try log.open()
    fixture.append(log, 2)
    #expect(log.counts.dropped == [.disabled: 5, .storageFailed: 1])
    log.close()
    #expect(try fixture.open().counts.dropped == [.disabled: 5, .storageFailed: 1])
  }

  @Test(arguments: World.allCases)
  func `erasing removes every event from the disk`(world: World) throws {
    let fixture = LogFixture(world)
    let orphan = try fixture.open()
    let log = try fixture.open()
    fixture.append(orphan, 1)
    orphan.close()
    for number in 2..<600 { fixture.append(log, number) }
    let claim = try #require(log.claim(2))
    log.erase()
    #expect(log.counts.waiting == 0)
    #expect(log.counts.claimed == 0)
    #expect(log.counts.dropped == [.erased: 599], "the orphan's event is erased and counted too")
    #expect(fixture.bytesOnDisk == 2 * DropLedger.fileBytes, "the counts of both logs")
    log.settle(claim.id, .returned)
    #expect(log.claim(1) == nil)
    fixture.append(log, 700)
    log.close()
    #expect(try fixture.open().drain() == [700])
  }

  @Test func `erasing removes quarantined and unreadable segments`() throws {
    let fixture = LogFixture()
    fixture.memory?.setContents(of: "/queue/log-0/0000000000000001-normal.seg", to: Array(repeating: 1, count: 300))
    fixture.memory?.setContents(of: "/queue/log-0/0000000000000002-normal.seg", to: Array(repeating: 1, count: 300))
    fixture.memory?.setScript { operation in
      operation.kind == .open && operation.path.hasSuffix("2-normal.seg") ? .fail(errno: EMFILE) : nil
    }
    let log = try fixture.open()
    #expect(fixture.memory?.paths.filter { $0.contains("normal") }.count == 2)
    log.erase()
    #expect(fixture.memory?.paths.filter { $0.contains("normal") } == [])
  }

  @Test func `erasing empties files that cannot be removed`() throws {
    let fixture = LogFixture()
    let log = try fixture.open()
    fixture.append(log, 1)
    fixture.memory?.setScript { $0.kind == .remove ? .fail(errno: EPERM) : nil }
    log.erase()
    #expect(fixture.memory?.contents(of: "/queue/log-0/0000000000000001-normal.seg") == [])
    log.close()
    #expect(try fixture.open().claim(1) == nil)
  }

  @Test func `is flushed only where it has new writes`() throws {
    let fixture = LogFixture()
    let log = try fixture.open()
    let flushed = Locked<[String]>([])
    fixture.memory?.setScript { operation in
      if operation.kind == .synchronize { flushed.withLock { $0.append(operation.path) } }
      return nil
    }
    fixture.append(log, 1)
    fixture.append(log, 2)
    log.synchronize()
    #expect(flushed.withLock { $0 } == ["/queue/log-0/0000000000000001-normal.seg", "/queue/log-0", "/queue"])
    log.synchronize()
    #expect(flushed.withLock { $0.count } == 3)
    fixture.append(log, 3)
    log.synchronize()
    #expect(flushed.withLock { $0.count } == 4)
  }

  @Test(arguments: [(Durability.never, 0, 0), (.onBackgroundAndCritical, 0, 2), (.everyBatch, 1, 2)])
  func `is flushed as often as the durability requires`(durability: Durability, claimed: Int, all: Int) throws {
    let fixture = LogFixture()
    fixture.configuration.durability = durability
    let log = try fixture.open()
    let flushes = Locked(0)
    fixture.memory?.setScript { operation in
      if operation.kind == .synchronize, operation.path.hasSuffix(".seg") { flushes.withLock { $0 += 1 } }
      return nil
    }
    fixture.append(log, 1)
    _ = log.claim(1)
    #expect(flushes.withLock { $0 } == claimed)
    fixture.append(log, 2)
    log.synchronize()
    #expect(flushes.withLock { $0 } == all)
  }

  private func remove(_ fixture: LogFixture) throws {
    if let memory = fixture.memory {
      memory.removeTree("/queue")
    } else {
      try FileManager.default.removeItem(atPath: fixture.directory)
    }
  }
}
