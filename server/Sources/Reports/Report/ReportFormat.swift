import Foundation

/// How a report is written.
public enum ReportFormat: String, Sendable, CaseIterable {
  /// Aligned columns for a terminal.
  case table
  /// One JSON object.
  case json
  /// RFC 4180, one header line.
  case csv

  /// Finds a format by its name; throws ``ReportError`` that lists the valid names.
  public init(parsing name: String) throws(ReportError) {
    guard let format = ReportFormat(rawValue: name) else {
      let names = ReportFormat.allCases.map(\.rawValue).joined(separator: ", ")
      throw ReportError(
        code: .unknownFormat, message: "There is no format \"\(visible(name))\". Choose one of: \(names).")
    }
    self = format
  }

  /// The media type of the output.
  public var contentType: String {
    switch self {
    case .table: "text/plain; charset=utf-8"
    case .json: "application/json"
    case .csv: "text/csv; charset=utf-8"
    }
  }
}

extension Report {
  /// The report in a format; tables and CSV end with a line break, JSON does not.
  public func text(_ format: ReportFormat) throws -> String {
    switch format {
    case .json: String(decoding: try json(), as: UTF8.self)
    case .table: tables.map { $0.terminalText() }.joined(separator: "\n")
    case .csv: flatTable.csvText()
    }
  }
}
