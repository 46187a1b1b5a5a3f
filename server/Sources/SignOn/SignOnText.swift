/// Makes text from providers safe for a line of the log.
enum SignOnText {
  /// Returns the first 100 characters, with `?` for each that isn't printable ASCII.
  static func line(_ text: String) -> String {
    String(text.unicodeScalars.prefix(100).map { (0x20...0x7E).contains($0.value) ? Character($0) : "?" })
  }
}
