import Foundation
import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

@Suite struct `The list of erasures`: ErasingTests {
  private var others: [Int] { (0..<40).filter { identity($0) != 3 } }

  /// A log of 40 events whose process died while files of identity 3 could not be removed.
  private func interrupted() throws -> LogFixture {
    let fixture = LogFixture()
    let log = try fixture.open()
    append(fixture, log, 0..<40)
    refuseRemovals(fixture)
    #expect(!log.erase(.identity(3)))
    return try after(log, fixture: fixture)
  }

  /// The files as the end of the process leaves them.
  private func after(_ log: EventLog..., fixture: LogFixture) throws -> LogFixture {
    try withExtendedLifetime(log) { LogFixture(memory: try #require(fixture.memory).copy()) }
  }

  /// No segment can be removed, emptied or marked; `erasing` names a file that cannot be written either.
  private func refuseRemovals(_ fixture: LogFixture, erasing: String = "none") {
    fixture.memory?.setScript { operation in
      let isRefused = operation.path.hasSuffix(".seg") && [.remove, .truncate, .open].contains(operation.kind)
      return isRefused || operation.path.hasSuffix(erasing) && operation.kind == .open ? .fail(errno: EIO) : nil
    }
  }

  @Test func `that could not be written is written as soon as it can`() throws {
    let fixture = LogFixture()
    let log = try fixture.open()
    append(fixture, log, 0..<40)
    refuseRemovals(fixture, erasing: "erasing.tmp")
    #expect(!log.erase(.identity(3)))
    #expect(fixture.memory?.paths.contains { $0.hasSuffix("erasing") } == false)
    refuseRemovals(fixture)
    _ = log.claim(1)
    #expect(fixture.memory?.paths.contains { $0.hasSuffix("erasing") } == true)
    #expect(try after(log, fixture: fixture).open().drain().sorted() == others)
  }

  @Test func `is removed as soon as the last file is`() throws {
    let fixture = LogFixture()
    let log = try fixture.open()
    append(fixture, log, 0..<40)
    refuseRemovals(fixture)
    #expect(!log.erase(.identity(3)))
    fixture.memory?.setScript(nil)
    #expect(log.drain().sorted() == others)
    #expect(fixture.memory?.paths.contains { $0.hasSuffix("erasing") } == false)
    #expect(onDisk(fixture, 0..<40).isEmpty)
  }

  @Test func `completes the erasure with any one byte damaged, and erases nothing else`() throws {
    let template = try #require(try interrupted().memory)
    let path = try #require(template.paths.first { $0.hasSuffix("erasing") })
    let bytes = try #require(template.contents(of: path))
    for position in bytes.indices {
      let fixture = LogFixture(memory: template.copy())
      var damaged = bytes
      damaged[position] ^= UInt8(1 << (position % 8))
      fixture.memory?.setContents(of: path, to: damaged)
      let log = try fixture.open()
      #expect(log.drain().sorted() == others, "byte \(position)")
    }
  }

  @Test(arguments: [0, 1, 20, 35]) func `that is beyond repair keeps no event that may have been erased`(left: Int)
    throws
  {
    let fixture = try interrupted()
    let path = try #require(fixture.memory?.paths.first { $0.hasSuffix("erasing") })
    let bytes = try #require(fixture.memory?.contents(of: path))
    fixture.memory?.setContents(of: path, to: Array(bytes.prefix(left)))
    let log = try fixture.open()
    fixture.append(log, 50, identity: 3)
    #expect(log.counts.waiting == 1 && log.counts.dropped[.erased] ?? 0 >= 40 && log.counts.balances)
    #expect(onDisk(fixture, 0..<40).isEmpty)
    #expect(try after(log, fixture: fixture).open().drain() == [50])
  }

  @Test func `that is beyond repair in another directory keeps no event from there`() throws {
    let living = LogFixture()
    let (first, second) = (try living.open(), try living.open())
    living.append(first, 100, identity: 3)
    append(living, second, 0..<40)
    refuseRemovals(living)
    second.erase(.identity(3))
    let fixture = try after(first, second, fixture: living)
    let path = try #require(fixture.memory?.paths.first { $0.hasSuffix("log-1/erasing") })
    fixture.memory?.setContents(of: path, to: [1, 2, 3])
    let log = try fixture.open()
    #expect(log.drain() == [100] && log.counts.balances)
    #expect(onDisk(fixture, 0..<40).isEmpty)
  }

  @Test func `that cannot be read yet holds the events back until it can, and is not overwritten`() throws {
    let fixture = try interrupted()
    fixture.memory?.setScript { $0.kind == .open && $0.path.hasSuffix("erasing") ? .fail(errno: EMFILE) : nil }
    let log = try fixture.open()
    #expect(log.counts.unreadSegments > 0 && log.counts.bytes > 40 * 100)
    #expect(!log.erase(.identity(1)), "cannot be complete while events are unread")
    fixture.append(log, 51, identity: 3)
    #expect(log.drain() == [51])
    fixture.memory?.setScript(nil)
    let due = try #require(log.counts.unreadableUntil)
    fixture.clock.advance(by: due - fixture.clock.uptime)
    #expect(log.loadUnreadSegments())
    fixture.append(log, 52, identity: 3)
    #expect(log.drain().sorted() == (0..<40).filter { identity($0) == 2 } + [52])
    #expect(log.counts.balances && onDisk(fixture, 0..<40).isEmpty)
    #expect(fixture.memory?.paths.contains { $0.hasSuffix("erasing") } == false)
  }
}

@Suite struct `The counts of a dead process` {
  @Test func `are added once, even if they can be saved only at a later attempt`() throws {
    let fixture = LogFixture()
    let (log, dead) = (try fixture.open(), try fixture.open())
    for number in 0..<5 { fixture.append(dead, number) }
    dead.count(.queueFull, 7)
    dead.close()
    fixture.memory?.setScript { operation in
      operation.path.hasSuffix("log-0/drops") && operation.kind == .write ? .fail(errno: EIO) : nil
    }
    for _ in 0..<3 { _ = log.adoptOrphans() }
    fixture.append(log, 5)
    // The process may die now.
    let files = try #require(fixture.memory).copy()
    #expect(try LogFixture(memory: files).open().counts.dropped == [.queueFull: 7])
    fixture.memory?.setScript(nil)
    let other = try fixture.open()
    for number in 6..<9 { fixture.append(other, number) }
    other.close()
    for _ in 0..<3 { _ = log.adoptOrphans() }
    #expect(log.counts.dropped == [.queueFull: 7] && log.counts.waiting == 9 && log.counts.balances)
    log.close()
    #expect(try fixture.open().counts.dropped == [.queueFull: 7])
  }
}
