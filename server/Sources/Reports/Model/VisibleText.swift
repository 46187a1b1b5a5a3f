/// Escapes characters that could steer a terminal or be invisible on a page, for example as `\u{202E}`.
///
/// Names come from clients: an escape sequence could repaint the reader's terminal, and a bidirectional override could
/// make one name look like another. Text that would be entirely invisible, such as a space, is escaped completely,
/// because an invisible link cannot be clicked.
package func visible(_ text: String) -> String {
  let isBlank = !text.isEmpty && text.unicodeScalars.allSatisfy(isInvisible)
  guard isBlank || text.unicodeScalars.contains(where: isUnsafe) else { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\n": result += "\\n"
    case "\r": result += "\\r"
    case "\t": result += "\\t"
    case _ where isBlank || isUnsafe(scalar): result += escapedScalar(scalar)
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// The character as an escape, for example `\u{202E}`.
func escapedScalar(_ scalar: Unicode.Scalar) -> String {
  "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
}

/// True if the character is invisible on its own.
private func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
  let properties = scalar.properties
  // U+2800 is the Braille pattern without dots.
  return isUnsafe(scalar) || properties.isWhitespace || properties.isDefaultIgnorableCodePoint
    || properties.generalCategory == .nonspacingMark || scalar.value == 0x2800
}

private func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F...0x9F: true  // C0, DEL, C1
  case 0x061C, 0x200B...0x200C, 0x200E...0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF: true  // bidi, zero width
  case 0x2028, 0x2029, 0xE0000...0xE007F: true  // line separators, invisible tags
  default: false
  }
}
