/// A JSON value in a collector's response.
enum ResponseValue: Equatable {
  case null
  case boolean(Bool)
  case number(Double)
  case string(String)
  case array([ResponseValue])
  case object([String: ResponseValue])

  subscript(name: String) -> ResponseValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The value as a non-negative integer.
  var index: Int? {
    guard case .number(let value) = self, value >= 0, value <= 1e9, value.rounded() == value else { return nil }
    return Int(value)
  }

  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  var elements: [ResponseValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }
}

/// A JSON parser without Foundation: delivery must work where only the standard library is available.
///
/// The input is untrusted: depth is bounded, and anything unexpected is `nil`.
struct JSONReader {
  private let bytes: [UInt8]
  private var position = 0
  private static let maximumDepth = 32

  /// Reads one value; returns `nil` if the bytes are not exactly one valid value.
  static func read(_ bytes: [UInt8]) -> ResponseValue? {
    var reader = JSONReader(bytes: bytes)
    guard let value = reader.value(depth: 0) else { return nil }
    reader.skipSpace()
    return reader.position == bytes.count ? value : nil
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = current, byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
  }

  private mutating func take(_ expected: UInt8) -> Bool {
    skipSpace()
    guard current == expected else { return false }
    position += 1
    return true
  }

  private mutating func word(_ text: StaticString, _ value: ResponseValue) -> ResponseValue? {
    let matches = text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    guard matches else { return nil }
    position += text.utf8CodeUnitCount
    return value
  }

  private mutating func value(depth: Int) -> ResponseValue? {
    guard depth < Self.maximumDepth else { return nil }
    skipSpace()
    switch current {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return array(depth: depth)
    case UInt8(ascii: "\""): return string().map(ResponseValue.string)
    case UInt8(ascii: "t"): return word("true", .boolean(true))
    case UInt8(ascii: "f"): return word("false", .boolean(false))
    case UInt8(ascii: "n"): return word("null", .null)
    default: return number()
    }
  }

  private mutating func object(depth: Int) -> ResponseValue? {
    position += 1
    var members: [String: ResponseValue] = [:]
    if take(UInt8(ascii: "}")) { return .object(members) }
    repeat {
      skipSpace()
      guard current == UInt8(ascii: "\""), let name = string(), take(UInt8(ascii: ":")),
        let value = value(depth: depth + 1)
      else { return nil }
      members[name] = value
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "}")) ? .object(members) : nil
  }

  private mutating func array(depth: Int) -> ResponseValue? {
    position += 1
    var elements: [ResponseValue] = []
    if take(UInt8(ascii: "]")) { return .array(elements) }
    repeat {
      guard let value = value(depth: depth + 1) else { return nil }
      elements.append(value)
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "]")) ? .array(elements) : nil
  }

  private mutating func number() -> ResponseValue? {
    let start = position
    while let byte = current, (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte) { position += 1 }
    guard let value = Double(String(decoding: bytes[start..<position], as: UTF8.self)) else { return nil }
    return .number(value)
  }

  private mutating func string() -> String? {
    position += 1
    var text: [UInt8] = []
    while let byte = current {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = escaped() else { return nil }
        text.append(contentsOf: String(scalar).utf8)
      default: text.append(byte)
      }
    }
    return nil
  }

  private mutating func escaped() -> Unicode.Scalar? {
    guard let byte = current else { return nil }
    position += 1
    switch byte {
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return unicode()
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    default: return nil
    }
  }

  private mutating func unicode() -> Unicode.Scalar? {
    guard let high = fourHexDigits() else { return nil }
    guard (0xD800..<0xDC00).contains(high) else { return Unicode.Scalar(high) ?? "\u{FFFD}" }
    guard bytes[position...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else { return "\u{FFFD}" }
    position += 2
    guard let low = fourHexDigits() else { return nil }
    guard (0xDC00..<0xE000).contains(low) else { return "\u{FFFD}" }
    return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
  }

  private mutating func fourHexDigits() -> UInt32? {
    guard position + 4 <= bytes.count else { return nil }
    defer { position += 4 }
    return UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
  }
}
