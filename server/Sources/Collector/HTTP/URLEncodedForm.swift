/// Reads `name=value&…` as it stands in queries and in posted forms; the last of equal names wins.
///
/// Hummingbird's own query map neither decodes names nor takes `+` for a space.
struct URLEncodedForm: Sendable {
  private(set) var values: [String: String] = [:]

  init(_ text: some StringProtocol) {
    for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      values[Self.decoded(name)] = Self.decoded(pair.dropFirst(name.count + 1))
    }
  }

  subscript(name: String) -> String? { values[name] }

  /// The text behind percent escapes; an escape that is none stays as it is, invalid UTF-8 is replaced.
  static func decoded(_ bytes: some Collection<UInt8>) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "+") {
        result.append(0x20)
      } else if byte == UInt8(ascii: "%"), let value = hexadecimal(rest.prefix(2)) {
        result.append(value)
        rest = rest.dropFirst(2)
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func hexadecimal(_ digits: some Collection<UInt8>) -> UInt8? {
    guard digits.count == 2 else { return nil }
    var value: UInt8 = 0
    for digit in digits {
      switch digit {
      case 0x30...0x39: value = value << 4 | (digit - 0x30)
      case 0x41...0x46: value = value << 4 | (digit - 0x37)
      case 0x61...0x66: value = value << 4 | (digit - 0x57)
      default: return nil
      }
    }
    return value
  }

  /// A value with everything escaped that is not a plain letter or digit.
  static func encoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return result
  }
}
