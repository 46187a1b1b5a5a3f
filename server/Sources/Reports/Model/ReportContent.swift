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
  /// The picture of the list on pages.
  package var picture: ReportPicture

  /// Creates a list.
  package init(
    _ name: String, title: String = "", columns: [ReportColumn], rows: [[ReportValue]], isObject: Bool = false,
    outputs: Outputs = .all, isWide: Bool = false, limit: Int? = nil, picture: ReportPicture = .days()
  ) {
    self.name = name
    self.title = title
    self.columns = columns
    self.rows = rows
    self.isObject = isObject
    self.outputs = outputs
    self.isWide = isWide
    self.limit = limit
    self.picture = picture
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
