import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

@Suite struct `Recovery of a damaged segment` {
  private let path = "/queue/log-0/0000000000000001-normal.seg"
  private let events = 12

  /// A closed log with one segment of a few records, and what is in the file.
  private func damagedWorld(settled: Bool = false) throws -> (fixture: LogFixture, bytes: [UInt8]) {
    let fixture = LogFixture()
    let log = try fixture.open()
    for number in 0..<events { fixture.append(log, number, bytes: 40 + number) }
    if settled {
      let claim = try #require(log.claim(7))
      log.settle(claim.id, .partly(delivered: Set((3..<7).map { LogFixture.id($0) }), dropped: [:]))
    }
    log.close()
    return (fixture, try #require(fixture.memory?.contents(of: path)))
  }

  @Test func `loses at most one event to a flipped bit anywhere`() throws {
    let (fixture, bytes) = try damagedWorld()
    for offset in bytes.indices {
      // One bit of each byte, or all bits in a long run.
      let bits = environmentNumber("TERN_EVERY_BIT") == nil ? [offset % 8] : Array(0..<8)
      for bit in bits {
        var damaged = bytes
        damaged[offset] ^= 1 << bit
        let isPayload = payloads.contains { $0.contains(offset) }
        try check(fixture, damaged, "offset \(offset), bit \(bit)", exactly: isPayload ? 1 : nil)
      }
    }
  }

  /// The ranges of the payloads in the file of `damagedWorld`.
  private var payloads: [Range<Int>] {
    var offset = LogFixture.headerBytes
    return (0..<events).map { number in
      let start = offset + RecordHeader.size
      offset = start + 40 + number
      return start..<offset
    }
  }

  @Test func `loses at most one event to a changed byte anywhere`() throws {
    let (fixture, bytes) = try damagedWorld()
    for offset in bytes.indices {
      for value in [UInt8(0), 0xFF, bytes[offset] ^ 0xFF] where value != bytes[offset] {
        var damaged = bytes
        damaged[offset] = value
        try check(fixture, damaged, "offset \(offset), value \(value)")
      }
    }
  }

  private func check(
    _ fixture: LogFixture, _ damaged: [UInt8], _ place: Comment, exactly lost: Int? = nil
  ) throws {
    fixture.memory?.removeTree("/queue")
    let empty = try fixture.open()
    empty.close()
    fixture.memory?.setContents(of: path, to: damaged)
    let log = try fixture.open()
    let found = log.drain()
    #expect(found.count >= events - 1, place)
    if let lost { #expect(found.count == events - lost, place) }
    #expect(found == found.sorted() && Set(found).count == found.count, place)
    #expect(log.counts.dropped[.damaged, default: 0] == events - found.count, place)
    log.close()
  }

  @Test func `loses at most one event to damage next to settled ones, and brings back only those`() throws {
    let (fixture, bytes) = try damagedWorld(settled: true)
    for offset in bytes.indices {
      var damaged = bytes
      damaged[offset] ^= 1 << (offset % 8)
      fixture.memory?.removeTree("/queue")
      try fixture.open().close()
      fixture.memory?.setContents(of: path, to: damaged)
      let found = try fixture.open().drain()
      #expect(found == found.sorted() && Set(found).count == found.count, "offset \(offset)")
      let missing = Set([0, 1, 2, 7, 8, 9, 10, 11]).subtracting(found)
      #expect(missing.count <= 1, "offset \(offset)")
    }
  }

  @Test func `keeps every whole record before a cut anywhere`() throws {
    let (fixture, bytes) = try damagedWorld()
    var ends: [Int] = []
    var offset = LogFixture.headerBytes
    for number in 0..<events {
      offset += RecordHeader.size + 40 + number
      ends.append(offset)
    }
    for length in bytes.indices {
      fixture.memory?.removeTree("/queue")
      try fixture.open().close()
      fixture.memory?.setContents(of: path, to: Array(bytes[..<length]))
      let log = try fixture.open()
      let whole = ends.prefix { $0 <= length }.count
      let isTorn = length > LogFixture.headerBytes && !ends.contains(length)
      #expect(log.counts.dropped[.damaged, default: 0] == (isTorn ? 1 : 0), "length \(length)")
      fixture.append(log, 100)
      #expect(log.drain() == Array(0..<whole) + [100], "length \(length)")
      log.close()
    }
  }

  @Test func `loses and counts the events after a cut made while the log is open`() throws {
    let (_, bytes) = try damagedWorld()
    let ends = payloads.map(\.upperBound)
    for length in stride(from: 0, to: bytes.count, by: 7) {
      let fixture = LogFixture()
      let log = try fixture.open()
      for number in 0..<events { fixture.append(log, number, bytes: 40 + number) }
      fixture.memory?.setContents(of: path, to: Array(bytes[..<length]))
      let whole = ends.prefix { $0 <= length }.count
      #expect(log.drain(batch: 5) == Array(0..<whole), "length \(length)")
      #expect(log.counts.dropped == (whole < events ? [.damaged: events - whole] : [:]), "length \(length)")
      #expect(log.counts.waiting == 0, "length \(length)")
      #expect(fixture.append(log, 50) == .stored(waiting: 1, waitingCritical: 0, dropped: log.counts.droppedTotal))
      #expect(log.drain() == [50], "length \(length)")
    }
  }

  @Test func `counts damage once, not at every launch`() throws {
    let (fixture, bytes) = try damagedWorld()
    var damaged = bytes
    damaged[payloads[3].lowerBound + 5] ^= 0xFF
    fixture.memory?.setContents(of: path, to: damaged)
    for _ in 0..<3 {
      let log = try fixture.open()
      let claim = log.claim(20)
      #expect(claim?.records.count == events - 1)
      #expect(log.counts.dropped == [.damaged: 1])
      log.close()
    }
  }

  @Test func `counts the events of a wiped range`() throws {
    let (fixture, bytes) = try damagedWorld()
    var damaged = bytes
    for offset in 300..<700 { damaged[offset] = 0 }
    fixture.memory?.setContents(of: path, to: damaged)
    let log = try fixture.open()
    let lost = payloads.count { $0.lowerBound - RecordHeader.size < 700 && $0.upperBound > 300 }
    #expect(log.drain().count == events - lost && lost > 3)
    #expect(log.counts.dropped == [.damaged: lost])
  }

  @Test func `does not mistake a payload that contains a whole segment for records`() throws {
    let (_, bytes) = try damagedWorld()
    let fixture = LogFixture()
    let log = try fixture.open()
    fixture.append(log, 50)
    _ = log.append(
      bytes, id: LogFixture.id(51), time: fixture.clock.wallTime, uptimeMilliseconds: 0, lane: .normal,
      context: LogFixture.context(7))
    fixture.append(log, 52)
    log.close()
    var file = try #require(fixture.memory?.contents(of: path))
    file[LogFixture.headerBytes + RecordHeader.size + 100 + 8] ^= 1
    fixture.memory?.setContents(of: path, to: file)
    #expect(try fixture.open().drain() == [50, 52])
  }

  @Test func `quarantines an unreadable segment instead of deleting it`() throws {
    let (fixture, bytes) = try damagedWorld()
    var damaged = bytes
    for offset in 0..<LogFixture.headerBytes { damaged[offset] = 0x55 }
    fixture.memory?.setContents(of: path, to: damaged)
    let log = try fixture.open()
    #expect(log.claim(1) == nil)
    #expect(log.counts.dropped == [.damaged: 1])
    #expect(fixture.memory?.contents(of: path + ".unreadable") == damaged)
    #expect(fixture.append(log, 77) == .stored(waiting: 1, waitingCritical: 0, dropped: log.counts.droppedTotal))
    log.close()
    #expect(try fixture.open().drain() == [77])
  }

  @Test func `quarantines a whole segment of a later version`() throws {
    let (fixture, bytes) = try damagedWorld()
    var later = bytes
    for copy in [0, LogFixture.headerBytes / 2] {
      later[copy + 4] = 2
      let facts = later[copy + 64..<copy + LogFixture.headerBytes / 2]
      let check = Array(later[copy..<copy + 60] + facts).withUnsafeBytes { Checksum.of($0) }
      for byte in 0..<4 { later[copy + 60 + byte] = UInt8(truncatingIfNeeded: check >> (8 * byte)) }
    }
    fixture.memory?.setContents(of: path, to: later)
    #expect(try fixture.open().claim(1) == nil)
    #expect(fixture.memory?.contents(of: path + ".unreadable") == later)
  }

  @Test func `loses only the damaged event if the segment is damaged while the log is open`() throws {
    let fixture = LogFixture()
    let log = try fixture.open()
    for number in 0..<events { fixture.append(log, number) }
    var bytes = try #require(fixture.memory?.contents(of: path))
    // The length of event 2, the payload of event 5.
    let recordBytes = RecordHeader.size + 100
    bytes[LogFixture.headerBytes + 2 * recordBytes + 8] ^= 0x40
    bytes[LogFixture.headerBytes + 5 * recordBytes + RecordHeader.size + 50] ^= 0x40
    fixture.memory?.setContents(of: path, to: bytes)
    #expect(log.drain(batch: 4) == [0, 1, 3, 4, 6, 7, 8, 9, 10, 11])
    #expect(log.counts.dropped == [.damaged: 2])
    #expect(log.counts.waiting == 0)
  }
}
