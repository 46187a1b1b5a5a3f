/// Percent-encoding of queries and forms: UTF-8, with everything escaped but letters, digits and `-._~`.
public enum PercentCoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Appends text in escaped form.
  public static func append(_ text: String, to bytes: inout [UInt8]) {
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

  /// Returns the text in escaped form.
  public static func encode(_ text: String) -> String {
    var bytes: [UInt8] = []
    append(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Decodes text; `+` is a space, an invalid escape stays as it is, and invalid UTF-8 is replaced.
  public static func decode(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: Array(bytes).withUnsafeBytes(decodedBytes), as: UTF8.self)
  }

  /// Decodes bytes; `+` is a space, and an invalid escape stays as it is.
  public static func decodedBytes(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var position = 0
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "%"), position + 1 < bytes.count, let high = digit(bytes[position]),
        let low = digit(bytes[position + 1])
      {
        result.append(high << 4 | low)
        position += 2
      } else {
        result.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return result
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
