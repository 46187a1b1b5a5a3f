import Foundation
import TernBase
import TernEvents
import Testing

@Suite struct `Identifiers` {
  @Test(arguments: 0..<100 as Range<UInt64>) func `read back from their text, in upper or lower case`(seed: UInt64)
    throws
  {
    var generator = FastGenerator(seed: seed)
    let id = UniqueID(high: generator.next(), low: generator.next())
    #expect(UniqueID(id.description) == id)
    #expect(UniqueID(id.description.uppercased()) == id)
    #expect(UniqueID("x\(id)".dropFirst()) == id)
    #expect(UUID(uuidString: id.description)?.uuidString.lowercased() == id.description)
  }

  @Test(arguments: [
    "", "0", "01234567-89ab-cdef-fedc-ba987654321", "01234567-89ab-cdef-fedc-ba98765432100",
    "0123456789ab-cdef-fedc-ba9876543210-", "01234567-89ab-cdef-fedc-ba987654321g",
    "01234567_89ab_cdef_fedc_ba9876543210",
    "{1234567-89ab-cdef-fedc-ba9876543210}", "０1234567-89ab-cdef-fedc-ba9876543210",
  ])
  func `are not parsed from any other text`(text: String) {
    #expect(UniqueID(text) == nil)
  }

  @Test func `have digits and dashes in their places only`() {
    let text = Array("01234567-89ab-cdef-fedc-ba9876543210".utf8)
    for position in text.indices {
      for byte in UInt8(0)..<128 {
        var changed = text
        changed[position] = byte
        let isDigit = Character(Unicode.Scalar(byte)).isHexDigit
        let isRight = text[position] == UInt8(ascii: "-") ? byte == UInt8(ascii: "-") : isDigit
        #expect((UniqueID(String(decoding: changed, as: UTF8.self)) != nil) == isRight, "\(byte) at \(position)")
      }
    }
  }

  @Test func `of version 7 contain their time and sort by it`() {
    var generator = FastGenerator(seed: 3)
    var last = UniqueID(high: 0, low: 0)
    for milliseconds in stride(from: Int64(0), to: 1 << 47, by: 1 << 41) {
      let id = UniqueID.timeOrdered(at: Timestamp(millisecondsSince1970: milliseconds), using: &generator)
      #expect(id.high >> 16 == UInt64(milliseconds))
      #expect(id.high >> 12 & 15 == 7 && id.low >> 62 == 0b10)
      #expect(milliseconds == 0 || last < id)
      last = id
    }
  }

  @Test func `of a time before 1970 or past the format's end stay valid`() {
    var generator = FastGenerator(seed: 3)
    let early = UniqueID.timeOrdered(at: Timestamp(millisecondsSince1970: -1), using: &generator)
    #expect(early.high >> 16 == 0)
    let late = UniqueID.timeOrdered(at: Timestamp(millisecondsSince1970: .max), using: &generator)
    #expect(late.high >> 12 & 15 == 7 && late.low >> 62 == 0b10)
  }

  @Test func `of version 4 have that version`() {
    var generator = FastGenerator(seed: 3)
    let id = UniqueID.random(using: &generator)
    #expect(id.high >> 12 & 15 == 4 && id.low >> 62 == 0b10)
  }

  @Test func `are unique, ten thousand times within a millisecond`() {
    var generator = FastGenerator(seed: 3)
    let now = Timestamp(millisecondsSince1970: 1_767_225_600_000)
    #expect(Set((0..<10_000).map { _ in UniqueID.timeOrdered(at: now, using: &generator) }).count == 10_000)
  }
}

@Suite struct `Times` {
  @Test(
    arguments: [(0, 0), (999, 0), (1000, 1), (-1, -1), (-1000, -1), (-1001, -2), (.max, .max / 1000)]
      as [(Int64, Int64)])
  func `round seconds down`(milliseconds: Int64, seconds: Int64) {
    #expect(Timestamp(millisecondsSince1970: milliseconds).secondsSince1970 == seconds)
  }

  @Test func `saturate instead of overflowing`() {
    let end = Timestamp(millisecondsSince1970: .max)
    let start = Timestamp(millisecondsSince1970: .min)
    #expect(end + .seconds(1) == end && start - .seconds(1) == start)
    #expect(end - .seconds(-1) == end && start + .seconds(-1) == start)
    #expect(end.since(start) == .milliseconds(Int64.max))
    #expect(start.since(end) == .milliseconds(Int64.min))
  }

  @Test func `can be added and subtracted`() {
    let time = Timestamp(millisecondsSince1970: 1_000)
    #expect((time + .milliseconds(2_500)).millisecondsSince1970 == 3_500)
    #expect((time - .milliseconds(2_500)).millisecondsSince1970 == -1_500)
    #expect((time + .seconds(5)).since(time) == .seconds(5))
  }

  @Test func `convert durations to milliseconds, rounded toward zero and clamped`() {
    #expect(Duration.microseconds(1_999).wholeMilliseconds == 1)
    #expect(Duration.microseconds(-1_999).wholeMilliseconds == -1)
    #expect(Duration.seconds(Int64.max).wholeMilliseconds == .max)
    #expect(Duration.seconds(Int64.min).wholeMilliseconds == .min)
    #expect(Duration.zero.wholeMilliseconds == 0)
  }
}

@Suite struct `Properties of an event` {
  @Test func `keep their order, and the last value of a name wins`() {
    var properties: Properties = ["b": 1, "a": "x", "b": 2.5]
    #expect(properties.elements.map(\.name) == ["b", "a", "b"])
    #expect(properties["b"] == .double(2.5))
    properties["b"] = true
    #expect(properties.elements.map(\.name) == ["a", "b"])
    properties["a"] = nil
    #expect(properties.elements.map(\.name) == ["b"])
  }

  @Test func `from a dictionary are sorted by name`() {
    #expect(Properties(["c": 1, "a": 2, "b": 3]).elements.map(\.name) == ["a", "b", "c"])
  }

  @Test func `within the limits are unchanged`() {
    let properties: Properties = ["a": String(repeating: "x", count: 8 << 10), "b": 1]
    #expect(properties.limited() == properties)
  }
}

@Suite struct `Truncating text` {
  @Test(arguments: 0...30) func `never splits a character`(limit: Int) {
    let text = "aé😀e\u{301}🇦🇹👨‍👩‍👧z"
    let cut = text.truncated(toBytes: limit)
    #expect(cut.utf8.count <= limit)
    #expect(text.hasPrefix(cut) || cut.isEmpty)
    if limit >= 25 { #expect(cut.count >= 5) }
  }

  @Test func `splits an endless character between scalars`() {
    let endless = "e" + String(repeating: "\u{301}", count: 1000)
    #expect(endless.truncated(toBytes: 100).utf8.count == 99)
    #expect("😀".truncated(toBytes: 3) == "")
    #expect("abc".truncated(toBytes: 0) == "")
    #expect("abc".truncated(toBytes: -1) == "")
    #expect("abc".truncated(toBytes: 3) == "abc")
  }
}
