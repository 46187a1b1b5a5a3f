extension ReportList {
  /// Formats the table as aligned text: numbers on the right with thousands separators, control characters escaped.
  ///
  /// Long text in any column but the last is truncated; otherwise, one long name would push the numbers off the screen.
  func terminalText() -> String {
    let texts = rows.map { row in
      row.enumerated().map { column, value in
        let text = value.displayText
        return isWide || column == columns.count - 1 ? text : shortened(text, to: Self.maximumTextWidth)
      }
    }
    let headings = columns.map(\.heading)
    let widths = headings.indices.map { column in
      texts.reduce(displayWidth(headings[column])) { max($0, displayWidth($1[column])) }
    }
    let isNumeric = columns.indices.map { column in !rows.isEmpty && rows.allSatisfy { $0[column].isNumeric } }
    func line(_ cells: [String]) -> String {
      let padded = cells.indices.map { column in
        let padding = String(repeating: " ", count: widths[column] - displayWidth(cells[column]))
        return isNumeric[column] ? padding + cells[column] : cells[column] + padding
      }
      var text = padded.joined(separator: "  ")
      while text.last == " " { text.removeLast() }
      return text + "\n"
    }
    let rule = widths.map { String(repeating: "─", count: $0) }
    let caption = title.isEmpty ? "" : visible(title) + "\n"
    let body = texts.isEmpty ? "(nothing in this range)\n" : texts.map(line).joined()
    return caption + line(headings) + line(rule) + body
  }

  private static let maximumTextWidth = 60
}

/// The number of terminal columns of a text: two for East Asian wide characters and emoji, none for combining marks.
func displayWidth(_ text: String) -> Int {
  text.reduce(0) { width, character in
    guard let scalar = character.unicodeScalars.first else { return width }
    if scalar.properties.generalCategory == .nonspacingMark { return width }
    let isWide =
      switch scalar.value {
      case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x1F1E6...0x1FAFF, 0x20000...0x3FFFD:
        true
      default: scalar.properties.isEmojiPresentation
      }
    return width + (isWide ? 2 : 1)
  }
}

/// Returns the text, truncated to a number of terminal columns including an ellipsis.
private func shortened(_ text: String, to limit: Int) -> String {
  // Most texts are short: with few enough bytes, they cannot take more columns.
  guard text.utf8.count > limit, displayWidth(text) > limit else { return text }
  var result = ""
  var width = 0
  for character in text {
    width += displayWidth(String(character))
    if width >= limit { break }
    result.append(character)
  }
  return result + "…"
}
