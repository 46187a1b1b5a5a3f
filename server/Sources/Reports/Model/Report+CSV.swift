extension Report {
  /// The report as one table. With several lists, each row names its list, and columns that a list lacks are empty.
  var csvTable: ReportList {
    let tables = content.lists.flatMap { $0.tables(for: .csv) }
    guard tables.count > 1 else { return tables.first ?? ReportList("", columns: [], rows: []) }
    var names: [String] = []
    for column in tables.flatMap(\.columns) where !names.contains(column.name) { names.append(column.name) }
    let rows = tables.flatMap { table in
      let places = names.map { name in table.columns.firstIndex { $0.name == name } }
      return table.rows.map { row in [.text(table.name)] + places.map { $0.map { row[$0] } ?? .none } }
    }
    return ReportList("", columns: [ReportColumn("list")] + names.map { ReportColumn($0) }, rows: rows)
  }
}

extension ReportList {
  /// The table as RFC 4180 text: a header line, CRLF after each line, fields quoted where needed.
  func csvText() -> String {
    ([columns.map { .text($0.heading) }] + rows).map { row in
      row.map(Self.field).joined(separator: ",") + "\r\n"
    }.joined()
  }

  private static func field(_ value: ReportValue) -> String {
    let text = value.plainText
    return value.isNumeric ? text : CSVText.field(text)
  }
}

/// Texts as fields of RFC 4180.
enum CSVText {
  /// Returns a text as a field that no spreadsheet or terminal executes, quoted where needed.
  static func field(_ text: String) -> String { quoted(disarmed(text)) }

  /// Scalars that start a formula in some spreadsheet, including full-width forms.
  private static let formulaStarts: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠",
  ]

  /// Scalars that end a field or line for some reader; some spreadsheets separate fields by `;` or tab.
  private static let separators: Set<Unicode.Scalar> = [",", ";", "\t", "\"", "\r", "\n"]

  /// Returns the text without anything that a program showing the file would execute: an apostrophe before a formula
  /// makes spreadsheets treat it as text, and control characters, which could steer a terminal, are escaped.
  private static func disarmed(_ text: String) -> String {
    let isFormula = text.unicodeScalars.first.map(formulaStarts.contains) == true
    guard isFormula || text.unicodeScalars.contains(where: isControl) else { return text }
    return text.unicodeScalars.reduce(into: isFormula ? "'" : "") { result, scalar in
      if isControl(scalar) { result += escapedScalar(scalar) } else { result.unicodeScalars.append(scalar) }
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control && !["\t", "\r", "\n"].contains(scalar)
  }

  private static func quoted(_ text: String) -> String {
    // By scalar: CR LF is a single character equal to neither, and so is a quote with a combining mark.
    guard text.unicodeScalars.contains(where: separators.contains) else { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      quoted.unicodeScalars.append(scalar)
      if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
    }
    return quoted + "\""
  }
}
