/// Base64 for addresses, without padding (RFC 4648 §5).
package enum Base64URL {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()

  /// Returns the text.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var (output, bits, count) = ([UInt8](), UInt32(0), 0)
    for byte in bytes {
      (bits, count) = (bits << 8 | UInt32(byte), count + 8)
      while count >= 6 {
        count -= 6
        output.append(digits[Int(bits >> UInt32(count) & 63)])
      }
    }
    if count > 0 { output.append(digits[Int(bits << UInt32(6 - count) & 63)]) }
    return String(decoding: output, as: UTF8.self)
  }

  /// Returns the bytes; `nil` for any text that ``encode(_:)`` doesn't return, so that each value has one form.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var (output, bits, count) = ([UInt8](), UInt32(0), 0)
    for digit in text.utf8 {
      let value = values[Int(digit)]
      guard value != 0xFF else { return nil }
      (bits, count) = (bits << 6 | UInt32(value), count + 6)
      if count >= 8 {
        count -= 8
        output.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    guard count < 6, bits & (1 << UInt32(count) - 1) == 0 else { return nil }
    return output
  }
}
