/// A JSON document in memory. Members keep their order, and texts their bytes.
package enum JSONTree: Equatable, Sendable {
  case null
  case boolean(Bool)
  case number(Double)
  case text(String)
  case array([JSONTree])
  case object([Member])

  /// One member of an object.
  package struct Member: Equatable, Sendable {
    package var name: String
    package var value: JSONTree

    package init(name: String, value: JSONTree) { (self.name, self.value) = (name, value) }
  }

  /// The most bytes of a document.
  package static let maximumBytes = 65_536
  /// The most brackets that may be open at one place.
  package static let maximumDepth = 24

  /// Parses a whole document.
  package init(parsing bytes: [UInt8], atMost maximum: Int = maximumBytes) throws(JSONFault) {
    guard bytes.count <= maximum else {
      throw JSONFault("The document has \(bytes.count) bytes; at most \(maximum) are allowed.", at: "$")
    }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw JSONFault("The document is not valid UTF-8.", at: "$")
    }
    // Some programs begin texts with a byte order mark.
    var parser = JSONTreeParser(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes)
    self = try parser.document()
  }
}

/// A strict parser of JSON (RFC 8259). Its errors name the byte at which the document stops being JSON.
private struct JSONTreeParser {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func document() throws(JSONFault) -> JSONTree {
    let value = try value(depth: 0)
    skipSpace()
    guard position == bytes.count else { throw invalid("end of the document") }
    return value
  }

  private func invalid(_ expected: String) -> JSONFault {
    JSONFault("This is not JSON: expected \(expected) at byte \(position).", at: "$")
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSONFault) -> JSONTree {
    guard depth <= JSONTree.maximumDepth else {
      throw JSONFault("The document is nested more than \(JSONTree.maximumDepth) levels deep.", at: "$")
    }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func object(depth: Int) throws(JSONFault) -> JSONTree {
    position += 1
    var members: [JSONTree.Member] = []
    if take("}") { return .object(members) }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw invalid("the name of a member") }
      let name = try text()
      guard take(":") else { throw invalid("\":\"") }
      members.append(JSONTree.Member(name: name, value: try value(depth: depth + 1)))
    } while take(",")
    guard take("}") else { throw invalid("\",\" or \"}\"") }
    return .object(members)
  }

  private mutating func array(depth: Int) throws(JSONFault) -> JSONTree {
    position += 1
    var elements: [JSONTree] = []
    if take("]") { return .array(elements) }
    repeat { elements.append(try value(depth: depth + 1)) } while take(",")
    guard take("]") else { throw invalid("\",\" or \"]\"") }
    return .array(elements)
  }

  private mutating func word(_ word: StaticString, _ value: JSONTree) throws(JSONFault) -> JSONTree {
    let isEqual = word.withUTF8Buffer { bytes[position...].starts(with: $0) }
    guard isEqual else { throw invalid("a value") }
    position += word.utf8CodeUnitCount
    return value
  }

  private mutating func number() throws(JSONFault) -> JSONTree {
    let start = position
    if next == UInt8(ascii: "-") { position += 1 }
    let whole = digits()
    guard whole > 0, whole == 1 || bytes[position - whole] != UInt8(ascii: "0") else { throw invalid("a value") }
    if next == UInt8(ascii: ".") {
      position += 1
      guard digits() > 0 else { throw invalid("a digit") }
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      position += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
      guard digits() > 0 else { throw invalid("a digit") }
    }
    guard let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)), number.isFinite else {
      throw invalid("a number that fits into 64 bits")
    }
    return .number(number)
  }

  private mutating func digits() -> Int {
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position - start
  }

  private mutating func text() throws(JSONFault) -> String {
    position += 1
    var output: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: output, as: UTF8.self)
      case UInt8(ascii: "\\"): output.append(contentsOf: String(try escape()).utf8)
      case 0x20...: output.append(byte)
      default: throw invalid("an escaped control character")
      }
    }
    throw invalid("the end of a text")
  }

  private mutating func escape() throws(JSONFault) -> Character {
    guard let byte = next else { throw invalid("an escape") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Character(Unicode.Scalar(byte))
    case UInt8(ascii: "b"): return "\u{08}"
    case UInt8(ascii: "f"): return "\u{0C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      var code = try hexadecimal()
      if (0xD800..<0xDC00).contains(code), bytes[position...].starts(with: "\\u".utf8) {
        position += 2
        let low = try hexadecimal()
        guard (0xDC00..<0xE000).contains(low) else { throw invalid("the second half of a surrogate pair") }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw invalid("a surrogate pair") }
      // It would end the text in C libraries, and so make it a shorter one.
      guard code != 0 else { throw invalid("a character other than NUL") }
      return Character(scalar)
    default: throw invalid("an escape")
    }
  }

  private mutating func hexadecimal() throws(JSONFault) -> UInt32 {
    guard position + 4 <= bytes.count else { throw invalid("four hexadecimal digits") }
    var code: UInt32 = 0
    for byte in bytes[position..<position + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw invalid("four hexadecimal digits")
      }
      code = code << 4 | UInt32(digit)
    }
    position += 4
    return code
  }
}
