/// A JSON value as sent, parsed lazily.
///
/// `CTernJSON` has already validated the text. Reading stays within its bounds, doesn't recurse, and copies text only
/// on request.
struct RawJSON {
  /// The value, without surrounding white space.
  let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isObject: Bool { bytes.first == UInt8(ascii: "{") }
  var isText: Bool { bytes.count >= 2 && bytes.first == UInt8(ascii: "\"") }

  /// The bytes between the quotes, including escapes, or `nil` if the value is not a string.
  var escapedText: UnsafeRawBufferPointer? {
    isText ? UnsafeRawBufferPointer(rebasing: bytes[1..<bytes.count - 1]) : nil
  }

  /// Returns the string, truncated to `limit` bytes, or `nil` if the value is not a string.
  func text(limit: Int) -> String? {
    guard let escaped = escapedText else { return nil }
    // A long text is not read beyond what is kept of it.
    guard escaped.prefix(max(limit, 0)).contains(UInt8(ascii: "\\")) else { return Ingest.text(escaped, limit: limit) }
    return Self.unescaped(escaped, limit: limit)
  }

  /// Returns the string, or the digits of a number; empty for any other value.
  func lenientText(limit: Int) -> String {
    if isText { return text(limit: limit) ?? "" }
    guard let first = bytes.first, first == UInt8(ascii: "-") || Self.isDigit(first) else { return "" }
    return Ingest.text(bytes, limit: limit)
  }

  /// The integer, or `nil` for any other value.
  var integer: Int? { bytes.count <= 20 ? Int(String(decoding: bytes, as: UTF8.self)) : nil }

  /// Returns a member of an object; if a name is repeated, the last one.
  func member(_ name: StaticString) -> RawJSON? {
    var found: RawJSON?
    forEachMember { if RawJSON.spells($0, name) { found = $1 } }
    return found
  }

  /// Calls `body` with the name, as written between its quotes, and the value of each member. Does nothing for other
  /// values.
  func forEachMember(_ body: (UnsafeRawBufferPointer, RawJSON) -> Void) {
    guard isObject else { return }
    var position = 1
    while let name = value(at: &position, "\""), let value = value(at: &position, nil) {
      body(name.escapedText ?? name.bytes, value)
    }
  }

  /// Returns a name that ``forEachMember(_:)`` passes, without escapes.
  static func name(_ escaped: UnsafeRawBufferPointer, limit: Int) -> String {
    escaped.contains(UInt8(ascii: "\\")) ? unescaped(escaped, limit: limit) : Ingest.text(escaped, limit: limit)
  }

  /// Calls `body` with the first elements of an array; does nothing for other values.
  func forEachElement(atMost limit: Int, _ body: (RawJSON) -> Void) {
    guard bytes.first == UInt8(ascii: "[") else { return }
    var position = 1
    var count = 0
    while count < limit, let value = value(at: &position, nil) {
      body(value)
      count += 1
    }
  }

  /// Returns the value after the next separators, or `nil` at the closing bracket.
  private func value(at position: inout Int, _ opening: Unicode.Scalar?) -> RawJSON? {
    while position < bytes.count, Self.isSeparator(bytes[position]) { position += 1 }
    guard position < bytes.count else { return nil }
    let start = position
    let first = bytes[start]
    if first == UInt8(ascii: "}") || first == UInt8(ascii: "]") { return nil }
    if let opening, first != UInt8(ascii: opening) { return nil }
    position = end(of: start)
    return RawJSON(UnsafeRawBufferPointer(rebasing: bytes[start..<position]))
  }

  /// Returns the end of the value that starts at a position.
  private func end(of start: Int) -> Int {
    var position = start
    var depth = 0
    repeat {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position = endOfText(position)
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default:
        if depth == 0 {
          while position < bytes.count, !Self.endsScalar(bytes[position]) { position += 1 }
          return max(position, start + 1)
        }
      }
      position += 1
    } while depth > 0 && position < bytes.count
    return position
  }

  private func endOfText(_ start: Int) -> Int {
    var position = start + 1
    while position < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
      guard let quote = rest.firstIndex(of: UInt8(ascii: "\"")) else { return bytes.count }
      let end = position + quote
      var backslashes = 0
      while backslashes < end - start - 1, bytes[end - 1 - backslashes] == UInt8(ascii: "\\") { backslashes += 1 }
      position = end + 1
      if backslashes.isMultiple(of: 2) { return position }
    }
    return bytes.count
  }

  /// Returns true if a name in its written form, including escapes, is equal to `name`.
  static func spells(_ escaped: UnsafeRawBufferPointer, _ name: StaticString) -> Bool {
    if equals(escaped, name) { return true }
    // An escape takes at most six bytes for one byte of the name.
    guard escaped.count <= name.utf8CodeUnitCount * 6, escaped.contains(UInt8(ascii: "\\")) else { return false }
    return unescaped(escaped, limit: name.utf8CodeUnitCount + 4).utf8.elementsEqual(
      UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") || byte <= 0x20
  }

  private static func endsScalar(_ byte: UInt8) -> Bool {
    isSeparator(byte) || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func unescaped(_ escaped: UnsafeRawBufferPointer, limit: Int) -> String {
    var result: [UInt8] = []
    var position = 0
    // An escape yields at most four bytes, so the result exceeds the limit slightly and is truncated below at a
    // character.
    while position < escaped.count, result.count <= limit {
      let byte = escaped[position]
      position += 1
      guard byte == UInt8(ascii: "\\"), position < escaped.count else {
        result.append(byte)
        continue
      }
      let letter = escaped[position]
      position += 1
      switch letter {
      case UInt8(ascii: "b"): result.append(8)
      case UInt8(ascii: "f"): result.append(12)
      case UInt8(ascii: "n"): result.append(10)
      case UInt8(ascii: "r"): result.append(13)
      case UInt8(ascii: "t"): result.append(9)
      case UInt8(ascii: "u"): result += Array(scalar(escaped, &position).utf8)
      default: result.append(letter)
      }
    }
    return result.withUnsafeBytes { Ingest.text($0, limit: limit) }
  }

  /// Returns the character after `\u`. Unpaired surrogates, sent by clients that truncate strings, and NUL, which ends
  /// strings in C libraries, are replaced.
  private static func scalar(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> String {
    guard let unit = hexadecimal(bytes, position) else { return "\u{FFFD}" }
    position += 4
    if (0xD800..<0xDC00).contains(unit), position + 6 <= bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u"), let low = hexadecimal(bytes, position + 2),
      (0xDC00..<0xE000).contains(low), let pair = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    {
      position += 6
      return String(Character(pair))
    }
    guard unit != 0, let scalar = Unicode.Scalar(unit) else { return "\u{FFFD}" }
    return String(Character(scalar))
  }

  private static func hexadecimal(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> UInt32? {
    guard start + 4 <= bytes.count else { return nil }
    var value: UInt32 = 0
    for position in start..<start + 4 {
      guard let digit = hexadecimalDigit(bytes[position]) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}
