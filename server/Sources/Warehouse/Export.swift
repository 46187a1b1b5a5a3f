package import ServerBase

/// The rows to export, and their format (docs/export-format.md).
package struct ExportRequest: Sendable, Hashable {
  package enum Format: String, Sendable, CaseIterable {
    /// One JSON object a line, with everything that another server needs.
    case ndjson
    /// A table of rows, without the texts of errors and without attachments.
    case csv

    /// The media type.
    package var contentType: String {
      switch self {
      case .ndjson: "application/x-ndjson"
      case .csv: "text/csv; charset=utf-8"
      }
    }
  }

  package var app: App
  package var format: Format
  /// The form of CSV.
  package var csv = CSVStyle()
  /// The first day of the rows, in the app's time zone; `nil` for no limit.
  package var from: Day?
  /// The last day of the rows; `nil` for no limit.
  package var to: Day?
  /// Only rows after this one are exported.
  package var after: Int64 = 0
  /// Only attachments after the one with this number are exported.
  package var afterAttachment: Int64 = 0
  /// The person whose rows are exported; `nil` for everyone.
  package var person: Person?
  /// A text that identifies the server, by which it recognizes its own rows.
  package var server: String

  /// Creates a request.
  package init(
    app: App, format: Format, from: Day? = nil, to: Day? = nil, after: Int64 = 0, person: Person? = nil,
    server: String
  ) {
    self.app = app
    self.format = format
    self.from = from
    self.to = to
    self.after = after
    self.person = person
    self.server = server
  }
}

/// The place at which an export continues.
package enum ExportCursor: Sendable, Hashable {
  /// The header.
  case start
  /// The rows after one ID and up to another.
  case rows(after: Int64, through: Int64)
  /// The attachments after a number.
  case attachments(after: Int64)
  /// The rejected events.
  case rejections
  /// The devices' own counts, after those of an install.
  case ledgers(after: Int64)
}

/// A part of an export.
package struct ExportPage: Sendable {
  /// Whole lines; possibly none.
  package var bytes: [UInt8]
  /// The place at which the export continues; `nil` at its end.
  package var next: ExportCursor?

  /// Creates a part.
  package init(bytes: [UInt8], next: ExportCursor?) {
    self.bytes = bytes
    self.next = next
  }
}

/// A store whose rows can be taken out.
package protocol EventExport: Sendable {
  /// Returns the part of an export at a place. Memory and time for one part are bounded.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if the person or the time zone is unknown.
  func exportPage(_ request: ExportRequest, at cursor: ExportCursor) async throws -> ExportPage
}
