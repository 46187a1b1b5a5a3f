/// The form of the CSV files that a reader asks for.
package struct CSVStyle: Sendable, Hashable {
  /// The sign between a number's whole part and its fraction.
  package enum Decimal: String, Sendable, CaseIterable {
    /// `0.5`, with commas between fields.
    case point
    /// `0,5`, with semicolons between fields and a byte order mark before the first one, as spreadsheets in languages
    /// with a decimal comma expect it.
    case comma
  }

  /// The form of texts.
  package enum Texts: String, Sendable, CaseIterable {
    /// No spreadsheet executes a text, and no control character reaches a terminal.
    case protected
    /// The texts themselves, for programs.
    case raw
  }

  package var decimal: Decimal
  package var texts: Texts

  /// Creates a form.
  package init(decimal: Decimal = .point, texts: Texts = .protected) {
    self.decimal = decimal
    self.texts = texts
  }

  /// The byte between two fields.
  package var separator: UInt8 {
    switch decimal {
    case .point: UInt8(ascii: ",")
    case .comma: UInt8(ascii: ";")
    }
  }

  /// The bytes before the header line.
  package var start: [UInt8] { decimal == .comma ? [0xEF, 0xBB, 0xBF] : [] }
}

/// A field of a CSV file.
package enum CSVField: Sendable, Hashable {
  /// No value: an empty field, while an empty text is `""`.
  case none
  case text(String)
  /// Digits, with a point before a fraction.
  case number(String)
  /// A list or an object in JSON.
  case json([UInt8])
}

extension CSVStyle {
  /// Returns a line with its end.
  package func line(_ fields: [CSVField]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, field) in fields.enumerated() {
      if index > 0 { bytes.append(separator) }
      switch field {
      case .none: break
      case .text(let text): withUTF8(text) { append($0, to: &bytes) }
      case .number(let digits):
        bytes.append(contentsOf: (decimal == .comma ? digits.replacing(".", with: ",") : digits).utf8)
      case .json(let json): json.withUnsafeBytes { append(json: $0, to: &bytes) }
      }
    }
    return bytes + [0x0D, 0x0A]
  }

  /// Returns a text as a field.
  package func field(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    withUTF8(text) { append($0, to: &bytes) }
    return bytes
  }
}
