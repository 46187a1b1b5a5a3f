/// The rows of a report, from which JSON, CSV, terminal text and pages are made.
package struct ReportContent: Sendable, Hashable {
  /// The lists in reading order.
  package var lists: [ReportList]
  /// JSON members next to the lists.
  package var values: [String: ReportValue]

  package init(_ lists: [ReportList], values: [String: ReportValue] = [:]) {
    self.lists = lists
    self.values = values
  }

  /// The tables of the report's page.
  package var pageTables: [ReportList] { lists.flatMap { $0.tables(for: .page) } }
}

/// A named list of rows with its columns.
package struct ReportList: Sendable, Hashable {
  /// The outputs that include a list.
  package struct Outputs: OptionSet, Sendable, Hashable {
    /// The bits.
    package let rawValue: Int
    /// Creates a set of outputs.
    package init(rawValue: Int) { self.rawValue = rawValue }
    /// The JSON object.
    package static let json = Outputs(rawValue: 1)
    /// The CSV file.
    package static let csv = Outputs(rawValue: 2)
    package static let terminal = Outputs(rawValue: 4)
    package static let page = Outputs(rawValue: 8)
    package static let all: Outputs = [.json, .csv, .terminal, .page]
  }

  /// The list's member in JSON, and its name in a CSV file with several lists.
  package var name: String
  /// The heading above it; empty for the report's main list.
  package var title: String
  package var columns: [ReportColumn]
  /// The rows, each with as many values as there are columns.
  package var rows: [[ReportValue]]
  /// True for a list of at most one row, which is an object in JSON, or is omitted if there is no row.
  package var isObject: Bool
  /// The outputs that include the list.
  package var outputs: Outputs
  /// True to show long texts in full on terminals.
  package var isWide: Bool
  /// The most rows that the request allows; `nil` for a list that always has all.
  package var limit: Int?

  /// Creates a list.
  package init(
    _ name: String, title: String = "", columns: [ReportColumn], rows: [[ReportValue]], isObject: Bool = false,
    outputs: Outputs = .all, isWide: Bool = false, limit: Int? = nil
  ) {
    self.name = name
    self.title = title
    self.columns = columns
    self.rows = rows
    self.isObject = isObject
    self.outputs = outputs
    self.isWide = isWide
    self.limit = limit
  }

  /// The names of the list and of those in it that end at their limit.
  var fullLists: Set<String> {
    let nested = rows.flatMap { row in
      row.flatMap { value in if case .list(let list) = value { Array(list.fullLists) } else { [] as [String] } }
    }
    return Set(nested + (rows.count == limit ? [name] : []))
  }

  /// The list as a table: without JSON-only columns and nested lists.
  var table: ReportList {
    let shown = columns.indices.filter { column in
      !columns[column].isJSONOnly && !rows.contains { if case .list = $0[column] { true } else { false } }
    }
    var table = self
    table.columns = shown.map { columns[$0] }
    table.rows = rows.map { row in shown.map { row[$0] } }
    return table
  }

  /// Returns the table and those of the nested lists; tables without columns are omitted.
  func tables(for output: Outputs) -> [ReportList] {
    guard outputs.contains(output) else { return [] }
    let nested = rows.flatMap { row in
      row.flatMap { value in if case .list(let list) = value { list.tables(for: output) } else { [] as [ReportList] } }
    }
    let table = table
    return (table.columns.isEmpty ? [] : [table]) + nested
  }
}

/// A column of a list.
package struct ReportColumn: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The member's name in JSON, in camel case.
  package var name: String
  /// The heading on terminals and in CSV.
  package var heading: String
  /// The heading on pages.
  package var title: String
  /// True if only JSON has the column.
  package var isJSONOnly: Bool

  /// Creates a column; by default, the headings derive from the name.
  package init(_ name: String, heading: String? = nil, title: String? = nil, isJSONOnly: Bool = false) {
    self.name = name
    self.heading = heading ?? Self.words(of: name)
    let words = self.heading.replacing("_", with: " ")
    self.title = title ?? words.prefix(1).uppercased() + words.dropFirst()
    self.isJSONOnly = isJSONOnly
  }

  /// Creates a column from its name.
  package init(stringLiteral name: String) { self.init(name) }

  /// The words and numbers of a name in camel case, with underscores: `below100Ms` becomes `below_100_ms`.
  private static func words(of name: String) -> String {
    var (words, previous) = ("", Character("_"))
    for character in name {
      let begins = character.isUppercase || (character.isNumber && previous.isLetter)
      if begins, previous != "_" { words.append("_") }
      words += character.lowercased()
      previous = character
    }
    return words
  }
}
