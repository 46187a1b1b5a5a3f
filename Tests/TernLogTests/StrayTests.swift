import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

@Suite struct `Impossible numbers on disk` {
  private static let names = ["ffffffffffffffff", "fffffffffffffffe", "8000000000000000", "7fffffffffffffff"]

  @Test(arguments: names, ["-normal.seg", "-critical.seg"])
  func `a meaningless segment is quarantined, and the log works`(number: String, ending: String) throws {
    let fixture = LogFixture()
    try fixture.open().close()
    fixture.memory?.setContents(
      of: "/queue/log-0/" + number + ending, to: [UInt8](repeating: 7, count: 1000))
    for launch in 0..<3 {
      let log = try fixture.open()
      for event in 0..<20 { fixture.append(log, launch * 20 + event) }
      #expect(log.drain() == (launch * 20..<launch * 20 + 20).map { $0 })
      #expect(log.counts.dropped[.damaged] == 1)
      log.close()
    }
  }

  @Test(arguments: names) func `the events of a real segment are kept`(number: String) throws {
    let fixture = LogFixture()
    let first = try fixture.open()
    for event in 0..<5 { fixture.append(first, event) }
    first.close()
    let path = "/queue/log-0/0000000000000001-normal.seg"
    let file = try #require(fixture.memory?.contents(of: path))
    try fixture.fileSystem.remove(path)
    fixture.memory?.setContents(of: "/queue/log-0/\(number)-normal.seg", to: file)
    let second = try fixture.open()
    for event in 5..<10 { fixture.append(second, event) }
    #expect(second.drain() == Array(0..<10))
    second.close()
  }

  @Test(arguments: names) func `an erasure removes a stray segment`(number: String) throws {
    let fixture = LogFixture()
    let log = try fixture.open()
    fixture.append(log)
    let path = "/queue/log-0/\(number)-normal.seg"
    fixture.memory?.setContents(of: path, to: [1, 2, 3])
    log.erase()
    // A segment at or below the highest number could be the log's own, started since.
    if number > "8" { #expect(fixture.memory?.contents(of: path) == nil) }
    log.close()
  }

  @Test(arguments: ["9223372036854775807", "9223372036854775806", "9223372036854775805", "-1", "x", ""])
  func `a spare with such a name does no harm`(number: String) throws {
    let fixture = LogFixture()
    fixture.configuration.segmentBytes = 1 << 10
    try fixture.open().close()
    fixture.memory?.setContents(of: "/queue/log-0/spare-\(number)", to: [])
    let log = try fixture.open()
    for round in 0..<10 {
      for event in 0..<30 { fixture.append(log, round * 30 + event) }
      #expect(log.drain().count == 30)
    }
    log.close()
  }

  @Test func `a spare that a power loss left non-empty is removed`() throws {
    let fixture = LogFixture()
    try fixture.open().close()
    fixture.memory?.setContents(of: "/queue/log-0/spare-3", to: [1, 2, 3])
    fixture.memory?.setContents(of: "/queue/log-0/spare-4", to: [])
    try fixture.open().close()
    #expect(fixture.memory?.paths.filter { $0.contains("spare-") } == ["/queue/log-0/spare-4"])
  }

  @Test func `drop counts stop at the maximum`() throws {
    var ledger = DropLedger()
    ledger.add(.expired, .max)
    ledger.add(.expired, .max)
    #expect(ledger.counts == [.expired: .max])
    let slot = ledger.beginSave().slot
    let file = [UInt8](repeating: 0, count: slot.offset) + slot.bytes
    var read = file.withUnsafeBytes { DropLedger(file: $0) }
    read.add(.expired, 1)
    #expect(read.counts == [.expired: .max])
    _ = read.beginSave()
  }

  @Test func `drop counts can be reduced, but not below zero`() {
    var ledger = DropLedger()
    ledger.add(.expired, 5)
    ledger.remove(.expired, 2)
    #expect(ledger.counts == [.expired: 3])
    ledger.remove(.expired, 9)
    ledger.remove(.damaged, 1)
    #expect(ledger.counts.isEmpty)
  }

  @Test(arguments: ["+000000000000001-normal.seg", "00000000000000FF-normal.seg", "1-normal.seg", ""])
  func `a name that a log would not write is invalid`(text: String) {
    #expect(SegmentName(text) == nil)
  }
}
