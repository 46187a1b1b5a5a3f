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
      // Signs outside the strings of JSON are those of numbers.
      var (isInString, isEscaped) = (!isJSON, false)
      var index = 0
      while index < text.count {
        if needsEscapes, let control = Self.control(in: text, at: index) {
          bytes.append(contentsOf: Self.escape(UInt32(control), isJSON: isJSON).utf8)
          index += control < 0x80 ? 1 : 2
          continue
        }
        let byte = text[index]
        if byte == Self.quote { bytes.append(Self.quote) }
        bytes.append(byte)
        index += 1
        if isJSON {
          if byte == Self.quote, !isEscaped { isInString.toggle() }
          isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
        // A program that separates fields by another byte heeds no quotation marks within a field.
        guard isProtected, isInString, Self.separates(byte) else { continue }
        if !isJSON, Self.isFormula(text[index...]) {
          bytes.append(Self.apostrophe)
        } else if isJSON, let sign = Self.sign(text[index...]) {
          bytes.append(contentsOf: Self.escape(sign.value, isJSON: true).utf8)
          index += sign.utf8.count
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
  private static func escape(_ character: UInt32, isJSON: Bool) -> String {
    let digits = String(character, radix: 16, uppercase: true)
    return isJSON ? "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)" : "\\u{\(digits)}"
  }

  // MARK: - Formulas

  /// The sign at the beginning of a text with which formulas begin; some spreadsheets take the full-width forms, too.
  private static func sign(_ text: Slice<UnsafeRawBufferPointer>) -> Unicode.Scalar? {
    switch text.first {
    case UInt8(ascii: "="): "="
    case UInt8(ascii: "+"): "+"
    case UInt8(ascii: "-"): "-"
    case UInt8(ascii: "@"): "@"
    case 0xEF: "＝＋－＠".unicodeScalars.first { text.starts(with: $0.utf8) }
    default: nil
    }
  }

  /// True if some spreadsheet takes the beginning of the text for a formula. A sign before nothing but digits, points and
  /// commas computes nothing: it belongs to a number or to a pair of coordinates.
  private static func isFormula(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard let sign = sign(text) else { return false }
    guard sign == "+" || sign == "-" else { return true }
    let number = text.dropFirst().prefix { $0 == UInt8(ascii: ",") || !separates($0) }
    return number.isEmpty || !number.allSatisfy(isOfNumber)
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",")
  }

  /// True for a tab or a line break, which some spreadsheets skip before a formula.
  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x09 || byte == 0x0A || byte == 0x0D }
}
