package import ServerBase

/// An output format of reports.
package enum ReportFormat: String, Sendable, CaseIterable {
  /// Aligned columns for a terminal.
  case table
  /// One JSON object.
  case json
  /// RFC 4180, one header line.
  case csv

  /// Finds a format by its name; throws ``ReportError`` with the valid names.
  package init(parsing name: String) throws(ReportError) {
    self = try Self.allCases.named(name, by: \.rawValue, code: .unknownFormat) {
      "There is no format \($0). Choose one of: \($1)."
    }
  }

  /// The media type of the output.
  package var contentType: String {
    switch self {
    case .table: "text/plain; charset=utf-8"
    case .json: "application/json"
    case .csv: "text/csv; charset=utf-8"
    }
  }
}

extension Report {
  /// Formats the report; tables and CSV end with a line break, JSON does not.
  package func text(_ format: ReportFormat, _ csv: CSVStyle = CSVStyle()) throws -> String {
    switch format {
    case .json: String(decoding: try json(), as: UTF8.self)
    case .table: content.lists.flatMap { $0.tables(for: .terminal) }.map { $0.terminalText() }.joined(separator: "\n")
    case .csv: try csvTable.csvText(csv)
    }
  }
}
