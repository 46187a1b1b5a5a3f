import TernEvents
import Testing

@testable import Ingest

/// Ids as clients write them.
@Suite struct UniqueIDTests {
  private static let text = "0123aBcD-4567-89eF-fEdC-BA9876543210"

  private func read(_ bytes: [UInt8]) -> UniqueID? { bytes.withUnsafeBytes { uniqueID($0) } }

  @Test func `an id is read in either case`() {
    let expected = UniqueID(high: 0x0123_ABCD_4567_89EF, low: 0xFEDC_BA98_7654_3210)
    #expect(read(Array(Self.text.utf8)) == expected)
    #expect(read(Array(Self.text.uppercased().utf8)) == expected)
    #expect(read(Array(Self.text.lowercased().utf8)) == expected)
  }

  @Test func `every byte in every place is a digit, a dash or a reason to refuse the id`() {
    let digits = Array("0123456789abcdef".utf8)
    for place in 0..<36 {
      let isDash = [8, 13, 18, 23].contains(place)
      let digitsBefore = place - [8, 13, 18, 23].count { $0 < place }
      for byte in UInt8.min...UInt8.max {
        var bytes = Array("00000000-0000-0000-0000-000000000000".utf8)
        bytes[place] = byte
        let digit = digits.firstIndex { $0 == byte || $0 & ~0x20 == byte && $0 >= UInt8(ascii: "a") }
        var expected: UniqueID?
        if isDash {
          expected = byte == UInt8(ascii: "-") ? UniqueID(high: 0, low: 0) : nil
        } else if let digit {
          let value = UInt64(digit) << UInt64((15 - digitsBefore % 16) * 4)
          expected = digitsBefore < 16 ? UniqueID(high: value, low: 0) : UniqueID(high: 0, low: value)
        }
        #expect(read(bytes) == expected, "byte \(byte) in place \(place)")
      }
    }
  }

  @Test func `other lengths are no ids`() {
    for length in [0, 1, 32, 35, 37, 72] {
      #expect(read(Array(String(repeating: Self.text, count: 2).utf8.prefix(length))) == nil)
    }
  }
}
