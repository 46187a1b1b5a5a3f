import Foundation
import TernEvents
import TernLog
import TernTestSupport
import Testing

@Suite struct `A segment that is unreadable when the log is opened` {
  /// A closed log of several segments.
  private func filled() throws -> LogFixture {
    let fixture = LogFixture()
    fixture.configuration.segmentBytes = 1 << 10
    let log = try fixture.open()
    for number in 0..<60 { fixture.append(log, number, lane: number.isMultiple(of: 3) ? .critical : .normal) }
    log.close()
    return fixture
  }

  private var order: [Int] {
    (0..<60).filter { $0.isMultiple(of: 3) } + (0..<60).filter { !$0.isMultiple(of: 3) }
  }

  @Test(arguments: [InMemoryFileSystem.Operation.Kind.open, .status, .read])
  func `is loaded in its place once it is readable`(kind: InMemoryFileSystem.Operation.Kind) throws {
    let fixture = try filled()
    let memory = try #require(fixture.memory)
    let unreadable = Set(memory.paths.filter { $0.hasSuffix(".seg") }.dropFirst(2).prefix(3))
    memory.setScript { $0.kind == kind && unreadable.contains($0.path) ? .fail(errno: EIO) : nil }
    let log = try fixture.open()
    #expect(log.counts.unreadSegments == 3 && log.counts.waiting < 60 && log.counts.balances)
    let due = try #require(log.counts.unreadableUntil)
    #expect(due > fixture.clock.uptime)
    fixture.append(log, 60)
    memory.setScript(nil)
    #expect(!log.loadUnreadSegments(), "not before the retry is due")
    fixture.clock.advance(by: due - fixture.clock.uptime)
    #expect(log.loadUnreadSegments() && !log.loadUnreadSegments())
    #expect(log.counts.unreadSegments == 0 && log.counts.unreadableUntil == nil)
    #expect(log.counts.waiting == 61 && log.counts.balances)
    fixture.append(log, 61)
    #expect(log.drain(batch: 7) == order + [60, 61] && log.counts.balances)
    log.close()
    #expect(try fixture.open().counts.waiting == 0)
  }

  @Test func `is retried less and less often, disappears with its file, and counts towards the limit`() throws {
    let fixture = try filled()
    let memory = try #require(fixture.memory)
    let path = try #require(memory.paths.first { $0.hasSuffix("-normal.seg") })
    memory.setScript { $0.kind == .read && $0.path == path ? .fail(errno: EIO) : nil }
    let log = try fixture.open()
    let bytes = log.counts.bytes
    var pauses: [Duration] = []
    for _ in 0..<8 {
      let due = try #require(log.counts.unreadableUntil)
      pauses.append(due - fixture.clock.uptime)
      fixture.clock.advance(by: due - fixture.clock.uptime)
      #expect(!log.loadUnreadSegments() && log.counts.bytes == bytes)
    }
    #expect(pauses == pauses.sorted() && pauses.last == .seconds(60))
    memory.setScript(nil)
    log.retryUnreadable()
    #expect(log.loadUnreadSegments() && log.counts.bytes <= bytes && log.counts.waiting == 60)
    memory.setScript { $0.kind == .open && $0.path == path ? .fail(errno: ENOENT) : nil }
    let other = fixture.memory?.copy()
    #expect(other != nil)
    log.close()
    let next = try fixture.open()
    #expect(next.counts.unreadSegments == 0 && next.counts.balances, "a missing segment is not retried")
  }

  @Test func `is erased with the rest`() throws {
    let fixture = try filled()
    let memory = try #require(fixture.memory)
    memory.setScript { $0.kind == .read && $0.path.hasSuffix("-normal.seg") ? .fail(errno: EIO) : nil }
    let log = try fixture.open()
    #expect(!log.erase(.identity(7)), "a segment is left")
    memory.setScript(nil)
    log.retryUnreadable()
    _ = log.loadUnreadSegments()
    #expect(log.counts.waiting == 0 && log.counts.dropped[.erased] == 60 && log.counts.balances)
    #expect(log.drain().isEmpty)
  }
}
