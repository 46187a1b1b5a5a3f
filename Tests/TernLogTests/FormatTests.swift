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
        time: Timestamp(millisecondsSince1970: 1_800_000_000_000), uptimeMilliseconds: 12_345, lane: .critical,
        context: LogContext(identity: 3, part: .errors, facts: Array("who: me".utf8)))
      #expect(stored != .dropped(.storageFailed))
    }
    let bytes = try #require(fixture.memory?.contents(of: "/queue/log-0/0000000000000001-critical.seg"))
    #expect(hexLines(bytes) == snapshot)
  }

  @Test func `a run of delivered events is voided by one header, and the others are unchanged`() throws {
    let fixture = LogFixture()
    let log = try fixture.open()
    for number in 0..<4 { fixture.append(log, number, bytes: 36) }
    let path = "/queue/log-0/0000000000000001-normal.seg"
    let before = try #require(fixture.memory?.contents(of: path))
    let claim = try #require(log.claim(4))
    log.settle(claim.id, .partly(delivered: [LogFixture.id(1), LogFixture.id(2)], dropped: [:]))
    let after = try #require(fixture.memory?.contents(of: path))
    let (start, bytes) = (LogFixture.headerBytes + 84, RecordHeader.size)
    #expect(after[..<start] == before[..<start] && after[(start + bytes)...] == before[(start + bytes)...])
    let salt = before.withUnsafeBytes { SegmentHeader($0)?.salt } ?? 0
    let void = try #require(
      after.withUnsafeBytes { bytes in
        bytes.baseAddress.flatMap { RecordHeader($0 + start, salt: salt, offset: start) }
      })
    #expect(void.isVoid && void.recordBytes == 2 * 84 && void.payloadCheck == 2 && void.ordinal == 1)
    #expect(void.id == UniqueID(high: 0, low: 0) && after[start + 11] == 1)
  }

  @Test func `the header of a segment survives any damaged byte`() throws {
    let header = SegmentHeader(
      salt: 7, created: Timestamp(millisecondsSince1970: 8), createdUptimeMilliseconds: 9,
      bootID: UniqueID(high: 10, low: 11), lane: .critical,
      context: LogContext(identity: 12, part: .errors, facts: Array("\"install\":\"…\"".utf8)))
    var bytes = [UInt8](repeating: 0, count: header.size + 100)
    bytes.withUnsafeMutableBytes { buffer in
      if let start = buffer.baseAddress { header.encode(to: start) }
    }
    #expect(bytes.withUnsafeBytes { SegmentHeader($0) } == header)
    for offset in 0..<header.size {
      for value in [0, 0xFF, bytes[offset] ^ 1, bytes[offset] ^ 0x80] {
        var damaged = bytes
        damaged[offset] = value
        #expect(damaged.withUnsafeBytes { SegmentHeader($0) } == header, "offset \(offset), value \(value)")
      }
    }
    for length in 0..<header.size { _ = bytes[..<length].withUnsafeBytes { SegmentHeader($0) } }
  }

  @Test func `the file of the age clock has exactly these bytes`() {
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
    let first = ledger.beginSave().slot
    ledger.add(.queueFull, 3)
    let second = ledger.beginSave().slot
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
    "54 4c 4f 47 01 00 01 01 03 6b 46 fa 07 00 00 00",  // header: TLOG, version, lane, part, salt, length of the facts
    "00 50 5c 18 a3 01 00 00 39 30 00 00 00 00 00 00",  // created: wall, uptime
    "01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10",  // boot id
    "03 00 00 00 00 00 00 00 00 00 00 00 22 93 10 91",  // identity, reserved, check
    "77 68 6f 3a 20 6d 65 54 4c 4f 47 01 00 01 01 03",  // the facts, then the same again
    "6b 46 fa 07 00 00 00 00 50 5c 18 a3 01 00 00 39",
    "30 00 00 00 00 00 00 01 02 03 04 05 06 07 08 09",
    "0a 0b 0c 0d 0e 0f 10 03 00 00 00 00 00 00 00 00",
    "00 00 00 22 93 10 91 77 68 6f 3a 20 6d 65 f8 54",
    "4e fb c0 47 f6 a3 03 00 00 00 e9 b2 94 2a 00 00",  // the first record: sync, check, length, payload check
    "39 30 00 00 00 00 00 50 5c 18 a3 01 00 00 0a 0b",  // index, uptime, wall time
    "0c 0d 0e 0f 10 11 12 13 14 15 16 17 18 19 6f 6e",  // event id
    "65 f8 54 4e fb a8 6f 86 fc 04 00 00 00 6d c0 e2",  // "one", then the second record
    "31 01 00 39 30 00 00 00 00 00 50 5c 18 a3 01 00",
    "00 0a 0b 0c 0d 0e 0f 10 11 12 13 14 15 16 17 18",
    "19 74 77 6f 21",
  ]
}
