import CTernJSON
import TernEvents

/// The JSON body of another system's client, checked as a whole.
enum ClientDocument {
  /// A list of any values.
  private static let format = WireFormat(list: "d", record: [], block: [])

  /// Checks a body and passes its value to `body`; the value is only valid during the call.
  ///
  /// The words NaN, Infinity and -Infinity, which many of these clients write, are read as null.
  static func read<Result>(
    _ bytes: UnsafeRawBufferPointer, limits: IngestLimits, _ body: (RawJSON) throws(IngestError) -> Result
  ) throws(IngestError) -> Result {
    do throws(IngestError) {
      return try readStrictly(bytes, limits, body)
    } catch {
      guard error.code == .malformed, let plain = withoutNotANumber(bytes) else { throw error }
      return try withBytes(of: plain) { (plain) throws(IngestError) in try readStrictly(plain, limits, body) }
    }
  }

  private static func readStrictly<Result>(
    _ bytes: UnsafeRawBufferPointer, _ limits: IngestLimits, _ body: (RawJSON) throws(IngestError) -> Result
  ) throws(IngestError) -> Result {
    let value = trimmed(bytes)
    // The reader walks lists of values: the body is the only one.
    let list = Array("{\"d\":[".utf8) + value + Array("]}".utf8)
    return try withBytes(of: list) { (list) throws(IngestError) in
      try withRecords(of: list, format: format, limits: limits) { (result) throws(IngestError) in
        // A body such as `1],"d":[2` would be no value on its own.
        guard let record = result.recordList.first, record.raw.length == value.count else { throw notJSON }
        return try body(RawJSON(record.raw.bytes))
      }
    }
  }

  private static let notJSON = IngestError(.malformed, "The body is not one JSON value.")

  /// Returns a body without white space and a byte order mark around its value.
  private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
    let rest = bytes[start...].drop(while: isSpace)
    let end = rest.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? rest.startIndex
    return rest[..<end]
  }

  /// Returns a body with null instead of the three words outside of texts; `nil` if it has none.
  private static func withoutNotANumber(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    var (plain, position, isInText, hasWords) = ([UInt8](), 0, false, false)
    plain.reserveCapacity(bytes.count + 64)
    while position < bytes.count {
      let byte = bytes[position]
      if isInText, byte == UInt8(ascii: "\\"), position + 1 < bytes.count {
        plain.append(byte)
        plain.append(bytes[position + 1])
        position += 2
        continue
      }
      if byte == UInt8(ascii: "\"") { isInText.toggle() }
      let word = isInText || !beginsWord(byte) ? nil : words.first { bytes[position...].starts(with: $0) }
      if word == nil { plain.append(byte) } else { plain += "null".utf8 }
      position += word?.count ?? 1
      hasWords = hasWords || word != nil
    }
    return hasWords ? plain : nil
  }

  private static func beginsWord(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "N") || byte == UInt8(ascii: "I") || byte == UInt8(ascii: "-")
  }

  private static let words = ["NaN", "Infinity", "-Infinity"].map { Array($0.utf8) }
}

extension RawJSON {
  /// True for null, and so for a value that says nothing.
  var isNull: Bool { equals(bytes, "null") }

  var isList: Bool { bytes.first == UInt8(ascii: "[") }

  /// The text, or the digits of a number; `nil` for an empty text and any other value. Clients write one identifier in either form.
  func identifier(limit: Int = 1 << 10) -> String? {
    let text = lenientText(limit: limit)
    return text.isEmpty ? nil : text
  }

  /// The value of a number.
  var number: Double? {
    guard let first = bytes.first, first == UInt8(ascii: "-") || first &- UInt8(ascii: "0") < 10, bytes.count <= 400
    else { return nil }
    return Double(String(decoding: bytes, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
  }

  /// The value as that of a property: objects and lists are JSON text; `nil` for null.
  ///
  /// Whole numbers beyond 64 bits are numbers with a fraction.
  func property(limit: Int) -> PropertyValue? {
    switch bytes.first {
    case UInt8(ascii: "\""): .string(text(limit: limit) ?? "")
    case UInt8(ascii: "t"): .boolean(true)
    case UInt8(ascii: "f"): .boolean(false)
    case UInt8(ascii: "n"), nil: nil
    case UInt8(ascii: "{"), UInt8(ascii: "["): .string(Ingest.text(bytes, limit: limit))
    default: numberProperty(limit: limit)
    }
  }

  private func numberProperty(limit: Int) -> PropertyValue {
    let digits = Ingest.text(bytes, limit: limit)
    if let integer = Int64(digits) { return .integer(integer) }
    return Double(digits).flatMap { $0.isFinite ? .double($0) : nil } ?? .string(digits)
  }
}

extension ClientDocument {
  /// The value of a body that may be no JSON, to tell protocols apart.
  static func unchecked(_ bytes: UnsafeRawBufferPointer) -> RawJSON {
    RawJSON(UnsafeRawBufferPointer(rebasing: trimmed(bytes)))
  }

  /// Returns true if the first byte that is no white space is this one.
  static func begins(_ bytes: UnsafeRawBufferPointer, with scalar: Unicode.Scalar) -> Bool {
    trimmed(bytes).first.map { UInt32($0) == scalar.value } ?? false
  }
}
