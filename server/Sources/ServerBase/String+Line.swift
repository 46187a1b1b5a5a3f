extension Unicode.Scalar {
  /// True for a control character, a line separator, and a mark that changes the direction of text: with one, a line reads
  /// differently from what it says, or becomes several.
  package var breaksLine: Bool {
    properties.isBidiControl || [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
  }
}

extension StringProtocol {
  /// The text with spaces in place of characters that break a line.
  package var asLine: String {
    guard unicodeScalars.contains(where: \.breaksLine) else { return String(self) }
    return String(String.UnicodeScalarView(unicodeScalars.map { $0.breaksLine ? " " : $0 }))
  }
}
