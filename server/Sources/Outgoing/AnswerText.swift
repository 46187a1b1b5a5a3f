import TernBase

/// Makes texts from other servers safe to show and store.
enum AnswerText {
  /// The longest text, in bytes.
  static let maximumBytes = 300

  /// Returns bytes as one short line without control characters.
  static func line(_ bytes: some Sequence<UInt8>) -> String { line(String(decoding: Array(bytes), as: UTF8.self)) }

  static func line(_ text: String) -> String { whole(text).prefix(utf8Bytes: maximumBytes) }

  /// Returns a text as one line of any length.
  static func whole(_ text: String) -> String {
    let visible = text.unicodeScalars.map { scalar -> Character in
      switch scalar.properties.generalCategory {
      // Marks of text direction could make the line read differently.
      case .control, .format, .lineSeparator, .paragraphSeparator: " "
      default: Character(scalar)
      }
    }
    return String(visible).split(separator: " ").joined(separator: " ")
  }
}
