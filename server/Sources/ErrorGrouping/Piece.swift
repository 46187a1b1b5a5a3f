/// A piece of a text as bytes, with the few searches that reading stacks needs. Each is linear in the piece's length.
typealias Piece = ArraySlice<UInt8>

extension ArraySlice<UInt8> {
  init(_ text: some StringProtocol) { self = Array(text.utf8)[...] }

  /// The piece as text, with a replacement character for a code point that was cut.
  var text: String { String(decoding: self, as: UTF8.self) }

  func starts(_ prefix: StaticString) -> Bool {
    count >= prefix.utf8CodeUnitCount && matches(prefix, at: startIndex)
  }

  func ends(_ suffix: StaticString) -> Bool {
    count >= suffix.utf8CodeUnitCount && matches(suffix, at: endIndex - suffix.utf8CodeUnitCount)
  }

  func has(_ part: StaticString) -> Bool { find(part) != nil }

  /// Returns where a text occurs first.
  func find(_ part: StaticString) -> Range<Int>? {
    let length = part.utf8CodeUnitCount
    guard count >= length, length > 0 else { return nil }
    let first = part.utf8Start[0]
    for index in startIndex...endIndex - length where self[index] == first && matches(part, at: index) {
      return index..<index + length
    }
    return nil
  }

  /// Returns where a text occurs last.
  func findLast(_ part: StaticString) -> Range<Int>? {
    let length = part.utf8CodeUnitCount
    guard count >= length, length > 0 else { return nil }
    let first = part.utf8Start[0]
    for index in stride(from: endIndex - length, through: startIndex, by: -1)
    where self[index] == first && matches(part, at: index) {
      return index..<index + length
    }
    return nil
  }

  /// The part before a text, or everything if it doesn't occur.
  func upTo(_ part: StaticString) -> Piece { find(part).map { self[..<$0.lowerBound] } ?? self }

  /// The piece without this text at its beginning.
  func without(_ prefix: StaticString) -> Piece { starts(prefix) ? dropFirst(prefix.utf8CodeUnitCount) : self }

  var trimmed: Piece {
    var (start, end) = (startIndex, endIndex)
    while start < end, self[start].isSpace { start += 1 }
    while end > start, self[end - 1].isSpace { end -= 1 }
    return self[start..<end]
  }

  /// The part after the last separator of a path.
  var lastComponent: Piece {
    guard let slash = lastIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) else { return self }
    return self[(slash + 1)...]
  }

  /// The number of all bytes as hexadecimal digits, with or without `0x`.
  var hexadecimal: UInt64? {
    let digits = without("0x").without("0X")
    guard !digits.isEmpty, digits.count <= 16 else { return nil }
    var value: UInt64 = 0
    for byte in digits {
      guard let digit = byte.hexadecimalDigit else { return nil }
      value = value << 4 | UInt64(digit)
    }
    return value
  }

  /// The number of all bytes as decimal digits, or hexadecimal ones after `0x`.
  var number: UInt64? {
    if starts("0x") { return hexadecimal }
    guard let first, first.isDigit else { return nil }
    return UInt64(text)
  }

  private func matches(_ part: StaticString, at index: Int) -> Bool {
    for offset in 0..<part.utf8CodeUnitCount where self[index + offset] != part.utf8Start[offset] { return false }
    return true
  }
}

extension UInt8 {
  var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
  var isDigit: Bool { (0x30...0x39).contains(self) }
  var isLetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) || self >= 0x80 }
  var hexadecimalDigit: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x37
    case 0x61...0x66: self - 0x57
    default: nil
    }
  }
}
