import TernValues

/// Writes bytes into memory that is known to be large enough; the basis of the JSON writer and the event encoder.
///
/// It does no checks: each caller reserves enough memory for all writes, using the maximum stated at each method.
/// Checking every byte, as an array does, made encoding an event three times slower.
struct ByteCursor {
  private(set) var next: UnsafeMutablePointer<UInt8>

  init(_ start: UnsafeMutablePointer<UInt8>) { next = start }

  /// Writes one byte.
  @inline(__always)
  mutating func byte(_ value: UInt8) {
    next.pointee = value
    next += 1
  }

  /// Writes the bytes of a literal.
  @inline(__always)
  mutating func raw(_ text: StaticString) {
    next.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    next += text.utf8CodeUnitCount
  }

  /// Writes all of the bytes.
  @inline(__always)
  mutating func raw(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let base = bytes.baseAddress else { return }
    next.update(from: base, count: bytes.count)
    next += bytes.count
  }

  /// Writes at most 20 bytes.
  mutating func integer(_ value: Int64) {
    if value < 0 { byte(UInt8(ascii: "-")) }
    var rest = value.magnitude
    var digits = 1
    var bound: UInt64 = 10
    while rest >= bound {
      digits += 1
      // The largest number has 20 digits; the next bound would overflow.
      if digits == 20 { break }
      bound *= 10
    }
    var position = digits
    while position > 0 {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      position -= 1
      next[position] = 0x30 + UInt8(truncatingIfNeeded: digit)
      rest = quotient
    }
    next += digits
  }

  /// Writes 36 bytes.
  mutating func identifier(_ id: UniqueID) {
    let first = hexadecimal(UInt32(truncatingIfNeeded: id.high >> 32))
    let second = hexadecimal(UInt32(truncatingIfNeeded: id.high))
    let third = hexadecimal(UInt32(truncatingIfNeeded: id.low >> 32))
    let fourth = hexadecimal(UInt32(truncatingIfNeeded: id.low))
    store(first)
    byte(0x2D)
    store(UInt32(truncatingIfNeeded: second))
    byte(0x2D)
    store(UInt32(truncatingIfNeeded: second >> 32))
    byte(0x2D)
    store(UInt32(truncatingIfNeeded: third))
    byte(0x2D)
    store(UInt32(truncatingIfNeeded: third >> 32))
    store(fourth)
  }

  /// Writes a quoted string: at most six bytes for each byte of UTF-8, plus two.
  mutating func string(_ text: String) {
    byte(UInt8(ascii: "\""))
    // Native text is read where it is; `withUTF8` would copy it first.
    if text.utf8.withContiguousStorageIfAvailable({ escaped($0) }) == nil {
      var text = text
      text.withUTF8 { escaped($0) }
    }
    byte(UInt8(ascii: "\""))
  }

  private mutating func escaped(_ utf8: UnsafeBufferPointer<UInt8>) {
    guard let base = utf8.baseAddress else { return }
    let source = UnsafeRawPointer(base)
    var position = 0
    while position < utf8.count {
      // Copy eight bytes at a time while none of them needs an escape, which is nearly always.
      while position + 8 <= utf8.count, copy(source + position, as: UInt64.self) { position += 8 }
      if position + 4 <= utf8.count, copy(source + position, as: UInt32.self) { position += 4 }
      let end = min(position + 4, utf8.count)
      while position < end {
        escaped(utf8[position])
        position += 1
      }
    }
  }

  /// Writes as many bytes as a word has, unless one of them needs an escape.
  @inline(__always)
  private mutating func copy<Word: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ source: UnsafeRawPointer, as type: Word.Type
  ) -> Bool {
    let word = source.loadUnaligned(as: Word.self)
    if needsEscape(word) { return false }
    store(Word(littleEndian: word))
    return true
  }

  @inline(__always)
  private mutating func escaped(_ value: UInt8) {
    if value >= 0x20, value != UInt8(ascii: "\""), value != UInt8(ascii: "\\") { return byte(value) }
    byte(UInt8(ascii: "\\"))
    switch value {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte(value)
    case 0x0A: byte(UInt8(ascii: "n"))
    case 0x0D: byte(UInt8(ascii: "r"))
    case 0x09: byte(UInt8(ascii: "t"))
    default:
      raw("u00")
      byte(0x30 + value >> 4)
      byte(value & 15 < 10 ? 0x30 + value & 15 : 0x57 + value & 15)
    }
  }

  @inline(__always)
  private mutating func store<Word: FixedWidthInteger>(_ word: Word) {
    UnsafeMutableRawPointer(next).storeBytes(of: word.littleEndian, as: Word.self)
    next += MemoryLayout<Word>.size
  }
}

/// Returns the eight digits of a number, the most significant in the lowest byte, computed without a branch.
@inline(__always)
private func hexadecimal(_ value: UInt32) -> UInt64 {
  var digits = UInt64(value)
  digits = (digits & 0xFFFF) << 32 | digits >> 16
  digits = (digits & 0x0000_00FF_0000_00FF) << 16 | digits >> 8 & 0x0000_00FF_0000_00FF
  digits = (digits & 0x000F_000F_000F_000F) << 8 | digits >> 4 & 0x000F_000F_000F_000F
  // Adding six carries into the high half of each byte whose digit is a letter.
  let letters = (digits + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
  return digits + 0x3030_3030_3030_3030 + letters * 0x27
}

/// True if any of the bytes is a control character, a quotation mark or a backslash.
@inline(__always)
private func needsEscape<Word: FixedWidthInteger & UnsignedInteger>(_ word: Word) -> Bool {
  let ones = Word.max / 0xFF
  let quotes = word ^ ones &* 0x22
  let slashes = word ^ ones &* 0x5C
  // A byte less than n sets its top bit in (byte - n), unless its top bit was set before. A borrow can cause a false
  // positive only in the byte above a true one.
  let found = (word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes | (slashes &- ones) & ~slashes
  return found & (ones &* 0x80) != 0
}
