import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

@Suite struct `The format on disk` {
  @Test func `the checksum is CRC-32C`() {
    #expect(Array("123456789".utf8).withUnsafeBytes { Checksum.of($0) } == 0xE306_9283)
    #expect([UInt8](repeating: 0, count: 32).withUnsafeBytes { Checksum.of($0) } == 0x8A91_36AA)
    #expect([UInt8]().withUnsafeBytes { Checksum.of($0) } == 0)
    var words = Checksum()
    words.add(UInt32(0x3433_3231))
    words.add(UInt64(0x3231_3039_3837_3635))
    #expect(words.value == Array("123456789012".utf8).withUnsafeBytes { Checksum.of($0) })
  }

  @Test func `a segment with two records has exactly these bytes`() throws {
    let fixture = LogFixture()
    fixture.configuration.bootID = UniqueID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)
    let log = try fixture.open()
    for text in ["one", "two!"] {
      let stored = log.append(
        Array(text.utf8), id: UniqueID(high: 0x0A0B_0C0D_0E0F_1011, low: 0x1213_1415_1617_1819),
        time: Timestamp(millisecondsSince1970: 1_800_000_000_000), uptime: .milliseconds(12_345), epoch: 3,
        lane: .critical)
      #expect(stored != .dropped(.storageFailed))
    }
    let claim = try #require(log.claim(1))
    log.settle(claim.id, .delivered)
    let bytes = try #require(fixture.memory?.contents(of: "/queue/log-0/0000000000000001-critical.seg"))
    #expect(hexLines(bytes) == snapshot)
  }

  @Test func `an erased range is a filler and zeros, and its neighbours are unchanged`() throws {
    let fixture = LogFixture()
    let log = try fixture.open()
    for (number, epoch) in [(1, 5), (2, 6), (3, 6), (4, 5)] {
      fixture.append(log, number, bytes: 36, epoch: UInt32(epoch))
    }
    let path = "/queue/log-0/0000000000000001-normal.seg"
    let before = try #require(fixture.memory?.contents(of: path))
    #expect(log.erase(epoch: 6))
    let after = try #require(fixture.memory?.contents(of: path))
    #expect(after[..<228] == before[..<228] && after[428...] == before[428...])
    let salt = before.withUnsafeBytes { SegmentHeader($0)?.salt } ?? 0
    let filler = try #require(
      after.withUnsafeBytes { bytes in
        bytes.baseAddress.flatMap { RecordHeader($0 + 228, salt: salt, offset: 228) }
      })
    #expect(filler.isFiller && filler.payloadBytes == 200 - 64 && filler.payloadCheck == 2 && filler.ordinal == 1)
    #expect(filler.epoch == 0 && filler.id == UniqueID(high: 0, low: 0) && after[228 + 25] == 1)
    #expect(after[228 + 64..<428].allSatisfy { $0 == 0 })
    #expect(after[236..<240].reversed().reduce(0) { $0 << 8 | Int($1) } == 428, "the mark")
  }

  @Test func `the small files have exactly these bytes`() {
    let erasures = [Erasure(epoch: 0x0102_0304, firstToErase: 0x0607, firstToKeep: 0x0A0B)]
    let bytes = ErasureFile.encode(erasures)
    #expect(Array(bytes[..<4]) == Array("TERA".utf8))
    #expect(Array(bytes[8...]) == [1, 0, 0, 0, 4, 3, 2, 1, 7, 6, 0, 0, 0, 0, 0, 0, 0x0B, 0x0A, 0, 0, 0, 0, 0, 0])
    #expect(bytes.withUnsafeBytes { ErasureFile.decode($0) } == erasures)
    for offset in bytes.indices {
      var damaged = bytes
      damaged[offset] ^= 0x10
      #expect(damaged.withUnsafeBytes { ErasureFile.decode($0) } == [], "offset \(offset)")
    }
    var clock = AgeClock()
    let boot = UniqueID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)
    let moment = AgeClock.Moment(wall: Timestamp(millisecondsSince1970: 0x0102), uptime: 0x0304)
    clock.observe(moment, boot: boot, limit: .seconds(1))
    let file = clock.encoded()
    #expect(Array(file[..<4]) == Array("TCLK".utf8))
    #expect(Array(file[8..<32]) == [1, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 4, 3, 0, 0, 0, 0, 0, 0])
    #expect(Array(file[32...]) == Array(1...16) + [UInt8](repeating: 0, count: 8))
    #expect(file.withUnsafeBytes { AgeClock($0) } == clock)
  }

  @Test func `names sort by age and show the lane`() {
    let name = SegmentName(number: 42, lane: .normal)
    #expect(name.text == "000000000000002a-normal.seg")
    #expect(SegmentName(name.text) == name)
    #expect(SegmentName(number: .max, lane: .critical).text == "ffffffffffffffff-critical.seg")
    for text in [
      "", "lock", "drops", "000000000000002a-normal.seg.unreadable", "2a-normal.seg", "000000000000002a-x.seg",
    ] {
      #expect(SegmentName(text) == nil)
    }
  }

  @Test func `drop counts survive damage to either slot of the file`() {
    var ledger = DropLedger()
    ledger.add(.expired, 2)
    let first = ledger.nextSlot()
    ledger.add(.queueFull, 3)
    let second = ledger.nextSlot()
    var file = [UInt8](repeating: 0, count: DropLedger.fileBytes)
    file.replaceSubrange(first.offset..<first.offset + 512, with: first.bytes)
    file.replaceSubrange(second.offset..<second.offset + 512, with: second.bytes)
    #expect(file.withUnsafeBytes { DropLedger(file: $0).counts } == [.expired: 2, .queueFull: 3])
    file[second.offset + 20] ^= 1
    #expect(file.withUnsafeBytes { DropLedger(file: $0).counts } == [.expired: 2])
  }

  private func hexLines(_ bytes: [UInt8]) -> [String] {
    stride(from: 0, to: bytes.count, by: 16).map { start in
      bytes[start..<min(start + 16, bytes.count)].map { byte in
        let text = String(byte, radix: 16)
        return text.count == 1 ? "0" + text : text
      }.joined(separator: " ")
    }
  }

  private let snapshot = [
    "54 4c 4f 47 01 00 80 00 03 6b 46 fa 00 00 00 00",  // header: TLOG, version, length, salt
    "00 50 5c 18 a3 01 00 00 39 30 00 00 00 00 00 00",  // created: wall, uptime
    "01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10",  // boot id
    "00 00 00 00 00 00 00 00 00 00 00 00 ea dd 11 cc",  // reserved, check
    "54 4c 4f 47 01 00 80 00 03 6b 46 fa 00 00 00 00",  // the same again
    "00 50 5c 18 a3 01 00 00 39 30 00 00 00 00 00 00",
    "01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10",
    "00 00 00 00 00 00 00 00 00 00 00 00 ea dd 11 cc",
    "f8 54 4e fb 0a b8 1d db c3 00 00 00 2e 53 6e 3f",  // record: sync, check, mark (settled up to c3), mark's check
    "03 00 00 00 e9 b2 94 2a 01 00 00 00 03 00 00 00",  // length, payload check, lane, kind, ordinal, epoch
    "00 50 5c 18 a3 01 00 00 39 30 00 00 00 00 00 00",  // wall time, uptime
    "0a 0b 0c 0d 0e 0f 10 11 12 13 14 15 16 17 18 19",  // event id
    "6f 6e 65 f8 54 4e fb 41 9d c8 56 00 00 00 00 00",  // "one", then the next record, not settled
    "00 00 00 04 00 00 00 6d c0 e2 31 01 00 01 00 03",
    "00 00 00 00 50 5c 18 a3 01 00 00 39 30 00 00 00",
    "00 00 00 0a 0b 0c 0d 0e 0f 10 11 12 13 14 15 16",
    "17 18 19 74 77 6f 21",
  ]
}
