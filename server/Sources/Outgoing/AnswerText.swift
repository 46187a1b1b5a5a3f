import TernBase

/// Texts of other servers, made fit to be shown and stored.
enum AnswerText {
  /// The longest text, in bytes.
  static let maximumBytes = 300

  /// Returns bytes as one short line without control characters.
  static func line(_ bytes: some Sequence<UInt8>) -> String { line(String(decoding: Array(bytes), as: UTF8.self)) }

  static func line(_ text: UnsafePointer<CChar>) -> String { line(String(cString: text)) }

  static func line(_ text: String) -> String {
    let visible = text.unicodeScalars.map { scalar -> Character in
      switch scalar.properties.generalCategory {
      // Marks of direction could make the line read as something else.
      case .control, .format, .lineSeparator, .paragraphSeparator: " "
      default: Character(scalar)
      }
    }
    return String(visible).split(separator: " ").joined(separator: " ").prefix(utf8Bytes: maximumBytes)
  }
}
