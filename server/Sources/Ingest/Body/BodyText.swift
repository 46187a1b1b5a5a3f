import CTernJSON
import TernEvents

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension tern_text {
  /// The bytes; empty if the member was absent.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(length)) }

  var isEmpty: Bool { start == nil || length == 0 }

  /// Returns the text, truncated at a character boundary to at most `limit` bytes; empty if the member was absent.
  @inline(__always)
  func string(limit: Int) -> String { text(bytes, limit: limit) }
}

/// Returns the bytes as text, truncated at a character boundary to at most `limit` bytes. Invalid UTF-8 is replaced.
@inline(__always)
func text(_ bytes: UnsafeRawBufferPointer, limit: Int) -> String {
  guard bytes.count > limit else { return String(decoding: bytes, as: UTF8.self) }
  var end = max(limit, 0)
  while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
  return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[..<end]), as: UTF8.self)
}

/// Parses a UUID of 36 characters in either case, or returns `nil` if it is invalid.
func uniqueID(_ bytes: UnsafeRawBufferPointer) -> UniqueID? {
  guard bytes.count == 36 else { return nil }
  var high: UInt64 = 0
  var low: UInt64 = 0
  var invalid: UInt8 = 0
  for position in 0..<36 {
    let byte = bytes[position]
    if position == 8 || position == 13 || position == 18 || position == 23 {
      invalid |= byte ^ UInt8(ascii: "-")
      continue
    }
    let digit = hexadecimalValue(byte)
    invalid |= digit & 0xF0
    if position < 18 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
  }
  return invalid == 0 ? UniqueID(high: high, low: low) : nil
}

/// Returns the value of a hexadecimal digit, or `nil` for other bytes.
func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
  let digit = hexadecimalValue(byte)
  return digit < 16 ? digit : nil
}

/// Returns the value of a hexadecimal digit, or 0xFF for other bytes, without an unpredictable branch.
@inline(__always)
private func hexadecimalValue(_ byte: UInt8) -> UInt8 {
  let digit = byte &- UInt8(ascii: "0")
  let letter = (byte | 0x20) &- UInt8(ascii: "a")
  return digit < 10 ? digit : letter < 6 ? letter + 10 : 0xFF
}

/// Returns true if the bytes are equal to an ASCII literal.
@inline(__always)
func equals(_ bytes: UnsafeRawBufferPointer, _ literal: StaticString) -> Bool {
  guard bytes.count == literal.utf8CodeUnitCount else { return false }
  for position in 0..<bytes.count where bytes[position] != literal.utf8Start[position] { return false }
  return true
}

/// Returns a two-letter country code in uppercase, or an empty string for anything else.
func countryCode(_ text: some StringProtocol) -> String {
  let letters = text.utf8
  let isCode = letters.count == 2 && letters.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
  return isCode ? text.uppercased() : ""
}

/// Returns the region of a locale such as `pt_BR`, `zh-Hans_CN` or `de_DE.UTF-8`; empty if it has none.
func region(ofLocale locale: String) -> String {
  let name = locale.prefix { $0 != "." && $0 != "@" }
  let parts = name.split { $0 == "_" || $0 == "-" }
  return parts.dropFirst().lazy.map { countryCode($0) }.first { !$0.isEmpty } ?? ""
}

extension UnsafeRawBufferPointer {
  /// Returns true if two buffers contain the same bytes.
  static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let leftStart = left.baseAddress, let rightStart = right.baseAddress else { return left.isEmpty }
    return leftStart == rightStart || memcmp(leftStart, rightStart, left.count) == 0
  }
}
