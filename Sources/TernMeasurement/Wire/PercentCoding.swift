/// Percent-encoding of the Measurement Protocol: UTF-8, everything escaped but letters, digits and `-._~`.
enum PercentCoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Appends text, escaped.
  static func append(_ text: String, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      default:
        bytes.append(UInt8(ascii: "%"))
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
      }
    }
  }

  /// Undoes the escapes; a plus means a space, and what is no escape stays as it is.
  static func decode(_ bytes: some Collection<UInt8>) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      let pair = rest.prefix(2)
      if byte == UInt8(ascii: "+") {
        result.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%"), pair.count == 2, let value = UInt8(hexadecimal: pair) {
        result.append(value)
        rest = rest.dropFirst(2)
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate init?(hexadecimal pair: some Collection<UInt8>) {
    guard pair.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
    self.init(String(decoding: pair, as: UTF8.self), radix: 16)
  }
}
