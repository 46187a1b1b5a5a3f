/// Makes texts of providers safe for a line of the log.
enum SignOnText {
  /// Returns printable ASCII up to a length.
  static func line(_ text: String) -> String {
    String(text.unicodeScalars.prefix(100).map { (0x20...0x7E).contains($0.value) ? Character($0) : "?" })
  }
}
