/// Base32 for people who type it, without padding (RFC 4648 §6).
package enum Base32 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// Returns the text.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var (output, bits, count) = ([UInt8](), UInt32(0), 0)
    for byte in bytes {
      (bits, count) = (bits << 8 | UInt32(byte), count + 8)
      while count >= 5 {
        count -= 5
        output.append(digits[Int(bits >> UInt32(count) & 31)])
      }
    }
    if count > 0 { output.append(digits[Int(bits << UInt32(5 - count) & 31)]) }
    return String(decoding: output, as: UTF8.self)
  }

  /// Returns the bytes; `nil` for any text that ``encode(_:)`` doesn't return.
  package static func decode(_ text: String) -> [UInt8]? {
    var (output, bits, count) = ([UInt8](), UInt32(0), 0)
    for digit in text.utf8 {
      guard let value = digits.firstIndex(of: digit) else { return nil }
      (bits, count) = (bits << 5 | UInt32(value), count + 5)
      if count >= 8 {
        count -= 8
        output.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    guard count < 5, bits & (1 << UInt32(count) - 1) == 0 else { return nil }
    return output
  }
}
