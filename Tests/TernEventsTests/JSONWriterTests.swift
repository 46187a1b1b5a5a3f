import Foundation
import TernEvents
import Testing

@Suite struct `The JSON writer` {
  func written(_ write: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    write(&json)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  @Test func `escapes a character at any position of texts of any length`() {
    for length in 1..<22 {
      for position in 0..<length {
        for (character, escaped) in [("\"", "\\\""), ("\\", "\\\\"), ("\n", "\\n"), ("\u{1}", "\\u0001"), ("é", "é")] {
          let before = String(repeating: "a", count: position)
          let after = String(repeating: "z", count: length - position - 1)
          var json = JSONWriter()
          json.string(before + character + after)
          #expect(json.bytes == Array("\"\(before)\(escaped)\(after)\"".utf8))
        }
      }
    }
  }

  @Test func `escapes only what JSON requires`() {
    #expect(written { $0.string("a\"b\\c/d") } == #""a\"b\\c/d""#)
    #expect(
      written { $0.string("\n\r\t\u{8}\u{C}\u{0}\u{1F}\u{7F}") } == #""\n\r\t\u0008\u000c\u0000\u001f"# + "\u{7F}\"")
    #expect(written { $0.string("ü€😀\u{2028}") } == "\"ü€😀\u{2028}\"")
    #expect(written { $0.string("") } == #""""#)
  }

  @Test(arguments: 0..<300 as Range<UInt64>) func `writes text that reads back the same`(seed: UInt64) throws {
    var generator = FastGenerator(seed: seed)
    let scalars = (0..<Int.random(in: 0...60, using: &generator)).compactMap { _ -> Unicode.Scalar? in
      switch Int.random(in: 0...3, using: &generator) {
      case 0: Unicode.Scalar(UInt32.random(in: 0...0x7F, using: &generator))
      case 1: Unicode.Scalar(UInt32.random(in: 0x80...0x7FF, using: &generator))
      case 2: Unicode.Scalar(UInt32.random(in: 0x20...0x22, using: &generator))
      default: Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &generator))
      }
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    let json = written { $0.string(String(text)) }
    let back = try JSONDecoder().decode(String.self, from: Data(json.utf8))
    #expect(Array(back.utf8) == Array(String(text).utf8), "seed \(seed)")
  }

  @Test(arguments: [0, 1, -1, 9, 10, 99, 100, 12345, -98765, Int64.max, Int64.min, 1_767_225_600_000])
  func `writes integers`(value: Int64) {
    #expect(written { $0.integer(value) } == String(value))
  }

  @Test(arguments: 0..<64) func `writes every power of two`(exponent: Int) {
    let value = Int64(bitPattern: 1 << UInt64(exponent))
    #expect(written { $0.integer(value) } == String(value))
    #expect(written { $0.integer(value &- 1) } == String(value &- 1))
  }

  @Test func `writes doubles that read back as doubles`() throws {
    #expect(written { $0.double(12.5) } == "12.5")
    #expect(written { $0.double(3) } == "3.0")
    #expect(written { $0.double(-0.0) } == "-0.0")
    #expect(written { $0.double(1e300) } == "1e+300")
    #expect(written { $0.double(.infinity) } == #""inf""#)
    #expect(written { $0.double(.nan) } == #""nan""#)
    var generator = FastGenerator(seed: 11)
    for _ in 0..<1000 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      let json = written { $0.double(value) }
      #expect(Double(json) == value)
      #expect(json.contains(".") || json.contains("e"), "\(json) would be read as an integer")
      #expect(throws: Never.self) { try JSONDecoder().decode(Double.self, from: Data(json.utf8)) }
    }
  }

  @Test func `writes identifiers as UUIDs`() {
    #expect(
      written { $0.identifier(UniqueID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)) }
        == #""01234567-89ab-cdef-fedc-ba9876543210""#)
  }
}
