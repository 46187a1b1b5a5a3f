/// The rows of a report, from which JSON, CSV, terminal text and pages are made.
public struct ReportContent: Sendable, Hashable {
  /// The lists in reading order.
  public var lists: [ReportList]
  /// JSON members next to the lists.
  public var values: [String: ReportValue]

  /// Creates content.
  public init(_ lists: [ReportList], values: [String: ReportValue] = [:]) {
    self.lists = lists
    self.values = values
  }

  /// The tables of the report's page.
  public var pageTables: [ReportList] { lists.flatMap { $0.tables(for: .page) } }
}

/// A named list of rows with its columns.
public struct ReportList: Sendable, Hashable {
  /// The outputs that include a list.
  public struct Outputs: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int
    /// Creates a set of outputs.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// The JSON object.
    public static let json = Outputs(rawValue: 1)
    /// The CSV file.
    public static let csv = Outputs(rawValue: 2)
    /// The terminal.
    public static let terminal = Outputs(rawValue: 4)
    /// The page.
    public static let page = Outputs(rawValue: 8)
    /// Every output.
    public static let all: Outputs = [.json, .csv, .terminal, .page]
  }

  /// The list's member in JSON, and its name in a CSV file with several lists.
  public var name: String
  /// The heading above it; empty for the report's main list.
  public var title: String
  /// The columns.
  public var columns: [ReportColumn]
  /// The rows, each with as many values as there are columns.
  public var rows: [[ReportValue]]
  /// True for a list of at most one row, which is an object in JSON, or is omitted if there is no row.
  public var isObject: Bool
  /// The outputs that include the list.
  public var outputs: Outputs
  /// True to show long texts in full on terminals.
  public var isWide: Bool
  /// The most rows that the request allows; `nil` for a list that always has all.
  public var limit: Int?

  /// Creates a list.
  public init(
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
public struct ReportColumn: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The member's name in JSON, in camel case.
  public var name: String
  /// The heading on terminals and in CSV.
  public var heading: String
  /// The heading on pages.
  public var title: String
  /// True if only JSON has the column.
  public var isJSONOnly: Bool

  /// Creates a column; by default, the headings derive from the name.
  public init(_ name: String, heading: String? = nil, title: String? = nil, isJSONOnly: Bool = false) {
    self.name = name
    self.heading = heading ?? Self.words(of: name)
    let words = self.heading.replacing("_", with: " ")
    self.title = title ?? words.prefix(1).uppercased() + words.dropFirst()
    self.isJSONOnly = isJSONOnly
  }

  /// Creates a column from its name.
  public init(stringLiteral name: String) { self.init(name) }

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
