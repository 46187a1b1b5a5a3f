/// Texts as fields of RFC 4180.
extension CSVStyle {
  private static let quote = UInt8(ascii: "\"")

  /// Appends a text in UTF-8, quoted where needed. Unless texts are raw, an apostrophe keeps spreadsheets from running a
  /// formula, and control characters, which could steer a terminal, are escaped.
  package func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    append(text, isJSON: false, to: &bytes)
  }

  /// Appends an object or a list in JSON, whose control characters and formulas get the escapes of JSON.
  package func append(json: UnsafeRawBufferPointer, to bytes: inout [UInt8]) { append(json, isJSON: true, to: &bytes) }

  private func append(_ text: UnsafeRawBufferPointer, isJSON: Bool, to bytes: inout [UInt8]) {
    let isProtected = texts == .protected
    let needsQuotes = text.isEmpty || text.contains(where: Self.separates)
    let needsEscapes = isProtected && text.contains(where: Self.beginsControl)
    if needsQuotes { bytes.append(Self.quote) }
    if isProtected, !isJSON, Self.isFormula(text[...]) || text.first.map(Self.isBlank) == true {
      bytes.append(Self.apostrophe)
    }
    if needsQuotes || needsEscapes {
      var index = 0
      while index < text.count {
        if needsEscapes, let control = Self.control(in: text, at: index) {
          bytes.append(contentsOf: Self.escape(control, isJSON: isJSON).utf8)
          index += control < 0x80 ? 1 : 2
          continue
        }
        let byte = text[index]
        if byte == Self.quote { bytes.append(Self.quote) }
        bytes.append(byte)
        index += 1
        // A program that separates fields by another byte heeds no quotation marks within a field.
        guard isProtected, byte != Self.quote, Self.separates(byte) else { continue }
        if !isJSON, Self.isFormula(text[index...]) {
          bytes.append(Self.apostrophe)
        } else if isJSON, index < text.count, Self.isSign(text[index], inJSONAfter: byte) {
          bytes.append(contentsOf: Self.escape(text[index], isJSON: true).utf8)
          index += 1
        }
      }
    } else {
      bytes.append(contentsOf: text)
    }
    if needsQuotes { bytes.append(Self.quote) }
  }

  private static let apostrophe = UInt8(ascii: "'")

  /// True for a byte that ends a field or line for some reader; some spreadsheets separate fields by `;` or tab.
  private static func separates(_ byte: UInt8) -> Bool {
    switch byte {
    case quote, UInt8(ascii: ","), UInt8(ascii: ";"), 0x09, 0x0A, 0x0D: true
    default: false
    }
  }

  // MARK: - Control characters

  /// True for a byte with which a control character may begin; tabs and line breaks are data.
  private static func beginsControl(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x0A, 0x0D: false
    case 0..<0x20, 0x7F, 0xC2: true
    default: false
    }
  }

  /// The control character that begins at a place: of C0, DEL, or of C1, whose two bytes begin with C2.
  private static func control(in text: UnsafeRawBufferPointer, at index: Int) -> UInt8? {
    guard beginsControl(text[index]) else { return nil }
    guard text[index] == 0xC2 else { return text[index] }
    guard index + 1 < text.count, (0x80...0x9F).contains(text[index + 1]) else { return nil }
    return text[index + 1]
  }

  /// Returns the escape of a character, such as `\u{9B}`, or `\u009B` in JSON.
  private static func escape(_ control: UInt8, isJSON: Bool) -> String {
    let digits = String(control, radix: 16, uppercase: true)
    return isJSON ? "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)" : "\\u{\(digits)}"
  }

  // MARK: - Formulas

  /// True if some spreadsheet takes the text up to the next separator for a formula. A number with a sign is none.
  private static func isFormula(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    switch text.first {
    case UInt8(ascii: "="), UInt8(ascii: "@"): true
    case UInt8(ascii: "+"), UInt8(ascii: "-"): !isNumber(text.dropFirst().prefix { !separates($0) })
    // The full-width forms of the four signs, U+FF1D, U+FF0B, U+FF0D and U+FF20.
    case 0xEF: ["＝", "＋", "－", "＠"].contains { text.starts(with: $0.utf8) }
    default: false
    }
  }

  /// True for a tab or a line break, which some spreadsheets skip before a formula.
  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x09 || byte == 0x0A || byte == 0x0D }

  /// True for a sign of a formula that stands in a text of JSON; only a negative number may follow a comma between values.
  private static func isSign(_ byte: UInt8, inJSONAfter separator: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "@"): true
    case UInt8(ascii: "-"): separator != UInt8(ascii: ",")
    default: false
    }
  }

  /// True for digits, with a point between them or without.
  private static func isNumber(_ text: some Sequence<UInt8>) -> Bool {
    let parts = Array(text).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count <= 2
      && parts.allSatisfy { part in
        !part.isEmpty && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      }
  }
}
