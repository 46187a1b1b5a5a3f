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
  let dash = UInt8(ascii: "-")
  guard bytes[8] == dash, bytes[13] == dash, bytes[18] == dash, bytes[23] == dash else { return nil }
  func four(_ position: Int) -> UInt64 {
    UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
  }
  guard let first = eightDigits(four(0) | four(4) << 32), let second = eightDigits(four(9) | four(14) << 32),
    let third = eightDigits(four(19) | four(24) << 32), let fourth = eightDigits(four(28) | four(32) << 32)
  else { return nil }
  return UniqueID(high: first << 32 | second, low: third << 32 | fourth)
}

/// The value of eight hexadecimal digits, the first in the lowest byte, all at once; `nil` if any byte is not a digit.
@inline(__always)
private func eightDigits(_ text: UInt64) -> UInt64? {
  let every: UInt64 = 0x0101_0101_0101_0101
  let letters = text | every * 0x20
  // The highest bit of each byte tells that the byte is at least, and not above, the bounds of a range.
  let isDigit = (text &+ every * 0x50) & ~(text &+ every * 0x46)
  let isLetter = (letters &+ every * 0x1F) & ~(letters &+ every * 0x19)
  guard text & (every * 0x80) == 0, (isDigit | isLetter) & (every * 0x80) == every * 0x80 else { return nil }
  let digits = (text & (every * 0x0F)) &+ (text >> 6 & every) &* 9
  let pairs = (digits << 4 | digits >> 8) & 0x00FF_00FF_00FF_00FF
  let words = (pairs | pairs >> 8) & 0x0000_FFFF_0000_FFFF
  return UInt64(UInt32(truncatingIfNeeded: words | words >> 16).byteSwapped)
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
