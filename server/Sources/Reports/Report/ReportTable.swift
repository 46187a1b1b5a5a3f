/// A report's figures as rows and columns, for terminals and spreadsheets.
struct ReportTable: Sendable, Hashable {
  /// One cell.
  enum Cell: Sendable, Hashable {
    /// Text from a client or of our own.
    case text(String)
    /// A number of things.
    case count(Int)
    /// A number of ours with a point, as it is written.
    case number(String)
    /// A part of a whole, from 0 to 1.
    case share(Double)
  }

  /// A heading above the table; empty for none.
  var title = ""
  /// The columns' names.
  var columns: [String]
  /// The rows, each with as many cells as there are columns.
  var rows: [[Cell]]
  /// Whether long texts are shown whole on a terminal.
  var isWide = false
}

extension ReportTable {
  /// The table as RFC 4180 text: a header line, CRLF after each line, fields quoted where needed.
  func csvText() -> String {
    ([columns.map(Cell.text)] + rows).map { row in
      row.map(Self.field).joined(separator: ",") + "\r\n"
    }.joined()
  }

  private static func field(_ cell: Cell) -> String {
    switch cell {
    case .count(let number): return String(number)
    case .number(let text): return text
    case .share(let part): return String(part)
    case .text(let text):
      // A spreadsheet would run a cell that begins like a formula; an apostrophe makes it text.
      let starts: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r"]
      let safe = text.unicodeScalars.first.map(starts.contains) == true ? "'" + text : text
      let special: Set<Unicode.Scalar> = [",", "\"", "\r", "\n"]
      // By scalar: as characters, CR LF is one that equals neither, and a quote before a combining mark is no quote.
      guard safe.unicodeScalars.contains(where: special.contains) else { return safe }
      var quoted = "\""
      for scalar in safe.unicodeScalars {
        quoted.unicodeScalars.append(scalar)
        if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
      }
      return quoted + "\""
    }
  }
}

extension ReportTable {
  /// The table as aligned text: numbers to the right with thousands separators, control characters written out.
  ///
  /// A text that other columns follow is cut, or one long name would push all the figures out of sight.
  func terminalText() -> String {
    let texts = rows.map { row in
      row.enumerated().map { column, cell in
        let text = Self.terminalCell(cell)
        return isWide || column == columns.count - 1 ? text : shortened(text, to: Self.maximumTextWidth)
      }
    }
    let widths = columns.indices.map { column in
      texts.reduce(displayWidth(columns[column])) { max($0, displayWidth($1[column])) }
    }
    let isNumeric = columns.indices.map { column in
      !rows.isEmpty && rows.allSatisfy { if case .text = $0[column] { false } else { true } }
    }
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
    let heading = title.isEmpty ? "" : visible(title) + "\n"
    let body = texts.isEmpty ? "(nothing in this range)\n" : texts.map(line).joined()
    return heading + line(columns) + line(rule) + body
  }

  private static let maximumTextWidth = 60

  private static func terminalCell(_ cell: Cell) -> String {
    switch cell {
    case .text(let text): visible(text)
    case .count(let number): grouped(number)
    case .number(let text): text
    case .share(let part): percentage(part)
    }
  }
}

/// The number with a comma between thousands.
public func grouped(_ number: Int) -> String {
  let digits = Array(String(number.magnitude))
  var text = number < 0 ? "-" : ""
  for (index, digit) in digits.enumerated() {
    if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
    text.append(digit)
  }
  return text
}

/// The part of a whole in percent with one decimal, for example `12.5 %`.
public func percentage(_ part: Double) -> String {
  let tenths = Int((part * 1_000).rounded().clamped(to: -1e15...1e15))
  return "\(tenths < 0 ? "-" : "")\(grouped(abs(tenths) / 10)).\(abs(tenths) % 10) %"
}

extension Double {
  /// The nearest value of a range; the lower end for what is not a number.
  fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
    self > range.lowerBound ? min(self, range.upperBound) : range.lowerBound
  }
}

/// The number of terminal columns that text takes: two for East Asian wide characters and emoji, none for marks.
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

/// The text cut to a number of terminal columns, an ellipsis included.
private func shortened(_ text: String, to limit: Int) -> String {
  // Most are short: what takes no more bytes takes no more columns.
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
