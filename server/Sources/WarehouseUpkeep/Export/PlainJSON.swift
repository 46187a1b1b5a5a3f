#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The members of one kind of object, at most 32.
protocol PlainMember: RawRepresentable<Int> {
  /// Their names, in the order of their numbers.
  static var names: [StaticString] { get }
}

/// A cursor over JSON in its plain form: what every reader of JSON reads alike.
///
/// Anything else throws ``Unusual``, whether it is damaged or only rare, such as a null, a whole number with an exponent or
/// half a surrogate pair. `JSONDecoder` decides about it, so this cursor has no rules of its own.
struct PlainJSON {
  /// The text isn't plain.
  struct Unusual: Error {}

  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  private var next: UInt8 {
    @inline(__always) get { position < bytes.count ? bytes[position] : 0 }
  }

  // MARK: - Structure

  /// Reads an object; `read` reads the value of a member. Each member may be there once, and no other.
  @inline(__always)
  mutating func object<Member: PlainMember>(
    _ read: (Member, inout PlainJSON) throws(Unusual) -> Void
  ) throws(Unusual) {
    try take("{")
    if skip("}") { return }
    let names = Member.names
    var (seen, expected) = (UInt32(0), 0)
    repeat {
      let name = try plainText()
      try take(":")
      // Members follow each other in their order, as a rule.
      guard
        let index = (expected..<names.count).first(where: { name.spells(names[$0]) })
          ?? (0..<expected).first(where: { name.spells(names[$0]) }), let member = Member(rawValue: index),
        seen & 1 << UInt32(index) == 0
      else { throw Unusual() }
      seen |= 1 << UInt32(index)
      expected = index + 1
      try read(member, &self)
    } while skip(",")
    try take("}")
  }

  /// Reads an array; `element` reads an element.
  @inline(__always)
  mutating func array(_ element: (inout PlainJSON) throws(Unusual) -> Void) throws(Unusual) {
    try take("[")
    if skip("]") { return }
    repeat { try element(&self) } while skip(",")
    try take("]")
  }

  /// Throws if anything but white space follows.
  mutating func end() throws(Unusual) {
    skipSpace()
    guard position == bytes.count else { throw Unusual() }
  }

  /// Steps over a value that is written exactly like `other`, a complete text, object or array.
  @inline(__always)
  mutating func skip(_ other: [UInt8]) -> Bool {
    skipSpace()
    guard !other.isEmpty, bytes.count - position >= other.count, let start = bytes.baseAddress,
      other.withUnsafeBytes({ $0.baseAddress.map { memcmp(start + position, $0, other.count) == 0 } ?? false })
    else { return false }
    position += other.count
    return true
  }

  /// A value and the bytes that it is written with.
  struct Written<Value> {
    var value: Value
    var bytes: [UInt8] = []
  }

  /// Reads a value that ``skip(_:)`` will recognize.
  mutating func written<Value>(
    _ read: (inout PlainJSON) throws(Unusual) -> Value
  ) throws(Unusual) -> Written<Value> {
    skipSpace()
    let start = position
    let value = try read(&self)
    return Written(value: value, bytes: Array(bytes[start..<position]))
  }

  @inline(__always)
  private mutating func take(_ byte: Unicode.Scalar) throws(Unusual) {
    guard skip(byte) else { throw Unusual() }
  }

  @inline(__always)
  private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  @inline(__always)
  private mutating func skipSpace() {
    while next == 0x20 || next == 0x09 || next == 0x0D || next == 0x0A { position += 1 }
  }

  // MARK: - Texts

  /// Reads a text of ASCII without escapes.
  @inline(__always)
  mutating func plainText() throws(Unusual) -> UnsafeRawBufferPointer {
    try take("\"")
    let start = position
    skipPlain()
    guard next == UInt8(ascii: "\"") else { throw Unusual() }
    position += 1
    return UnsafeRawBufferPointer(rebasing: bytes[start..<position - 1])
  }

  /// Reads a text.
  mutating func text() throws(Unusual) -> String {
    try take("\"")
    let start = position
    skipPlain()
    if next == UInt8(ascii: "\"") {
      position += 1
      return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<position - 1]), as: UTF8.self)
    }
    return try longText(from: start)
  }

  /// Reads the rest of a text that has escapes or other characters than those of ASCII.
  private mutating func longText(from start: Int) throws(Unusual) -> String {
    var utf8 = Array(bytes[start..<position])
    while next != UInt8(ascii: "\"") {
      guard position < bytes.count, next >= 0x20 else { throw Unusual() }
      if next == UInt8(ascii: "\\") {
        position += 1
        try addEscape(to: &utf8)
      } else {
        utf8.append(next)
        position += 1
      }
    }
    position += 1
    guard let text = String(validating: utf8, as: UTF8.self) else { throw Unusual() }
    return text
  }

  private mutating func addEscape(to utf8: inout [UInt8]) throws(Unusual) {
    let letter = next
    position += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): utf8.append(letter)
    case UInt8(ascii: "b"): utf8.append(0x08)
    case UInt8(ascii: "f"): utf8.append(0x0C)
    case UInt8(ascii: "n"): utf8.append(0x0A)
    case UInt8(ascii: "r"): utf8.append(0x0D)
    case UInt8(ascii: "t"): utf8.append(0x09)
    case UInt8(ascii: "u"):
      guard bytes.count - position >= 4,
        let unit = Self.hexadecimal(UnsafeRawBufferPointer(rebasing: bytes[position..<position + 4])),
        let scalar = Unicode.Scalar(UInt32(truncatingIfNeeded: unit))
      else { throw Unusual() }
      position += 4
      utf8.append(contentsOf: Character(scalar).utf8)
    default: throw Unusual()
    }
  }

  /// Moves to the first byte that is a quote, a backslash, a control character or not ASCII, eight bytes at a time.
  @inline(__always)
  private mutating func skipPlain() {
    let every: UInt64 = 0x0101_0101_0101_0101
    while bytes.count - position >= 8 {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      // Each subtraction sets the highest bit of a matching byte. It borrows only from bytes that follow a match.
      let quotes = (word ^ every &* 0x22) &- every
      let backslashes = (word ^ every &* 0x5C) &- every
      let found = (quotes | backslashes | (word &- every &* 0x20) | word) & (every &* 0x80)
      guard found == 0 else {
        position += found.trailingZeroBitCount / 8
        return
      }
      position += 8
    }
    while position < bytes.count, (0x20..<0x80).contains(next), next != 0x22, next != 0x5C { position += 1 }
  }

  // MARK: - Other values

  /// Reads true or false.
  mutating func boolean() throws(Unusual) -> Bool {
    if skip(Self.yes) { return true }
    guard skip(Self.no) else { throw Unusual() }
    return false
  }

  private static let yes = Array("true".utf8)
  private static let no = Array("false".utf8)

  /// Reads a whole number of at most 18 digits.
  mutating func integer() throws(Unusual) -> Int64 {
    skipSpace()
    let isNegative = next == UInt8(ascii: "-")
    if isNegative { position += 1 }
    let start = position
    let number = skipDigits(0)
    // A leading zero is no JSON, and -0 is no whole number for some readers.
    guard (1...18).contains(position - start), position - start == 1 || bytes[start] != UInt8(ascii: "0"),
      !isNegative || number != 0
    else { throw Unusual() }
    return isNegative ? -Int64(number) : Int64(number)
  }

  /// Reads a number.
  mutating func double() throws(Unusual) -> Double {
    skipSpace()
    let start = position
    let isNegative = next == UInt8(ascii: "-")
    if isNegative { position += 1 }
    let whole = position
    var digits = skipDigits(0)
    var count = position - whole
    guard count > 0, count == 1 || bytes[whole] != UInt8(ascii: "0") else { throw Unusual() }
    var fraction = 0
    if next == UInt8(ascii: ".") {
      position += 1
      let point = position
      digits = skipDigits(digits)
      fraction = position - point
      count += fraction
      guard fraction > 0 else { throw Unusual() }
    }
    // Exact: both the digits and the power are doubles, and a division rounds correctly.
    if count <= 15, next | 0x20 != UInt8(ascii: "e") {
      guard !isNegative || digits != 0 else { throw Unusual() }
      let number = Double(digits) / Self.powers[fraction]
      return isNegative ? -number : number
    }
    if next | 0x20 == UInt8(ascii: "e") {
      position += 1
      if next == UInt8(ascii: "-") || next == UInt8(ascii: "+") { position += 1 }
      let exponent = position
      _ = skipDigits(0)
      guard position > exponent else { throw Unusual() }
    }
    // Not what is too large or too small for a double.
    guard let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)), number.isNormal else {
      throw Unusual()
    }
    return number
  }

  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  /// Moves past digits, and returns the number that they continue. It means nothing if there are more than 19.
  @inline(__always)
  private mutating func skipDigits(_ start: UInt64) -> UInt64 {
    var number = start
    while (0x30...0x39).contains(next) {
      number = number &* 10 &+ UInt64(next & 0xF)
      position += 1
    }
    return number
  }

  /// Returns the number of 1 to 16 hexadecimal digits; `nil` for anything else.
  static func hexadecimal(_ digits: UnsafeRawBufferPointer) -> UInt64? {
    guard (1...16).contains(digits.count) else { return nil }
    var number: UInt64 = 0
    for byte in digits {
      switch byte {
      case 0x30...0x39: number = number << 4 | UInt64(byte - 0x30)
      case 0x41...0x46, 0x61...0x66: number = number << 4 | UInt64((byte & 0xF) + 9)
      default: return nil
      }
    }
    return number
  }
}

extension UnsafeRawBufferPointer {
  /// Returns true if the bytes are those of a text.
  @inline(__always)
  func spells(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount, let start = baseAddress else { return false }
    return memcmp(start, text.utf8Start, count) == 0
  }
}
