/// A table of a mail, with bars and sparklines that are made of characters.
///
/// Every client shows characters, with or without styles, in light and dark mode, and screen readers skip them in HTML.
/// Many clients would hide pictures, and plain text can't have any.
package struct MailSection: Sendable, Hashable, Codable {
  /// A row. The first cell is its heading.
  package struct Row: Sendable, Hashable, Codable {
    package var cells: [String]
    /// The length of the row's bar, from 0 to 1; `nil` for none.
    package var share: Double?

    package init(_ cells: [String], share: Double? = nil) { (self.cells, self.share) = (cells, share) }
  }

  /// The figures of some days, as one line of blocks.
  package struct Sparkline: Sendable, Hashable, Codable {
    /// The figure and the days in words.
    package var caption: String
    /// The figures; `nil` where there is none.
    package var values: [Double?]

    package init(_ caption: String, _ values: [Double?]) { (self.caption, self.values) = (caption, values) }

    /// The blocks: full height for the highest figure, the lowest for zero or less, and a dot where there is none. `nil` if all
    /// would be the same: blocks of equal height say no more than the caption.
    package var blocks: String? {
      let highest = values.compactMap(\.self).filter(\.isFinite).max() ?? 0
      let blocks = values.map { value -> String in
        guard let value, value.isFinite else { return "·" }
        let part = highest > 0 ? max(value, 0) / highest : 0
        // Only zero has the lowest block.
        let level = part == 0 ? 0 : max(1, Int((part * 7).rounded()))
        return Self.heights[min(level, 7)]
      }
      return Set(blocks).count > 1 ? blocks.joined() : nil
    }

    private static let heights = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
  }

  package var heading: String
  /// The headings of the columns, as many as the rows have cells.
  package var columns: [String]
  package var rows: [Row]
  package var sparklines: [Sparkline]
  /// A sentence about the rows, or instead of them.
  package var note: String?

  package init(
    _ heading: String, columns: [String] = [], rows: [Row] = [], sparklines: [Sparkline] = [], note: String? = nil
  ) {
    (self.heading, self.columns, self.rows) = (heading, columns, rows)
    (self.sparklines, self.note) = (sparklines, note)
  }

  /// The length of a full bar, in characters.
  private static let barLength = 12.0

  static func bar(_ share: Double) -> String {
    let eighths = Int((min(max(share.isFinite ? share : 0, 0), 1) * barLength * 8).rounded())
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
  }
}

extension MailSection {
  /// The width, in characters, up to which a column is padded; longer cells push the rest of their row to the right.
  private static let maximumPadding = 40

  /// The section as plain text, with aligned columns.
  var plainText: String {
    var lines = [heading, String(repeating: "-", count: min(heading.count, Self.maximumPadding))]
    let table = rows.isEmpty ? [] : [columns] + rows.map(\.cells)
    let widths = columns.indices.map { column in
      table.map { $0.indices.contains(column) ? min($0[column].count, Self.maximumPadding) : 0 }.max() ?? 0
    }
    for (index, cells) in table.enumerated() where index > 0 || columns.contains(where: { !$0.isEmpty }) {
      let padded = zip(cells, widths).enumerated().map { column, pair in
        let space = String(repeating: " ", count: max(0, pair.1 - pair.0.count))
        return column == 0 ? pair.0 + space : space + pair.0
      }
      let bar = index == 0 ? nil : rows[index - 1].share.map { Self.bar($0) }
      let line = (padded + [bar].compactMap(\.self)).joined(separator: "  ")
      lines.append(String(line.reversed().drop { $0 == " " }.reversed()))
    }
    lines += sparklines.map { line in line.blocks.map { "\(line.caption): \($0)" } ?? line.caption }
    if let note { lines.append(note) }
    return lines.joined(separator: "\n")
  }

  private static let mark = "style=\"color:#3b78c3;white-space:nowrap\""
  /// Quiet on a light and on a dark ground.
  private static let line = "style=\"border-bottom:1px solid #999\""

  var html: String {
    var html = "<h2 style=\"font-size:1.1em;margin:1.5em 0 .3em\">\(MailMessage.escaped(heading))</h2>\n"
    if !rows.isEmpty {
      let heads = columns.enumerated().map { index, column in
        "<th scope=\"col\" align=\"\(index == 0 ? "left" : "right")\">\(MailMessage.escaped(column))</th>"
      }
      html += "<table cellpadding=\"4\" style=\"border-collapse:collapse\">\n<tr \(Self.line)>\(heads.joined())</tr>\n"
      html += rows.map { row in
        let cells = row.cells.enumerated().map { index, cell in
          index == 0
            ? "<th scope=\"row\" align=\"left\" style=\"font-weight:normal\">\(MailMessage.escaped(cell))</th>"
            : "<td align=\"right\">\(MailMessage.escaped(cell))</td>"
        }
        let bar = row.share.map { "<td aria-hidden=\"true\" \(Self.mark)>\(Self.bar($0))</td>" } ?? ""
        return "<tr \(Self.line)>\(cells.joined())\(bar)</tr>\n"
      }.joined()
      html += "</table>\n"
    }
    html += sparklines.map { line in
      let blocks = line.blocks.map { ": <span aria-hidden=\"true\" \(Self.mark)>\($0)</span>" } ?? ""
      return "<p style=\"margin:.6em 0\">\(MailMessage.escaped(line.caption))\(blocks)</p>\n"
    }.joined()
    if let note { html += "<p>\(MailMessage.escaped(note))</p>\n" }
    return html
  }
}
