import Ingest
import RowFiles
import TernEvents
package import Warehouse
import WarehouseSQLite

extension WarehouseReader: EventExport {
  /// The bytes after which a part ends: thousands of rows, since each part looks up devices and installs again.
  private static let pageBytes = 4 << 20
  /// The rows after which a part ends even if few of them are exported.
  private static let pageRows = 500_000
  /// The spans that are looked up at a time: an app may have tens of thousands.
  private static let pageSpans: Int64 = 64
  private static let pageLedgers: Int64 = 2_000

  /// Returns the part of an export at a place; see ``EventExport/exportPage(_:at:)``.
  package func exportPage(_ request: ExportRequest, at cursor: ExportCursor) async throws -> ExportPage {
    try await reading { [self] connection in
      let joined: [String]? =
        if case .user(let name) = request.person {
          try identifiers(ofUser: name, app: request.app.id, connection)
        } else {
          nil
        }
      var text = try ExportText(request, joined: joined, connection, dictionary)
      let next: ExportCursor?
      switch cursor {
      case .start:
        text.header()
        next = .rows(after: request.after, through: try StoredSpan.lastRow(connection))
      case .rows(let after, let through):
        let last = try Self.addRows(to: &text, request, connection, after: after, through: through)
        next =
          last.map { .rows(after: $0, through: through) }
          ?? (request.format == .csv ? nil : .attachments(after: request.afterAttachment))
      case .attachments(let after):
        // Lines that belong to no row are exported only with all rows.
        let isWhole = request.person == nil && text.times == nil && request.after == 0
        next = try text.addAttachment(after: after).map { .attachments(after: $0) } ?? (isWhole ? .rejections : nil)
      case .rejections:
        try text.addRejections()
        next = .ledgers(after: -1)
      case .ledgers(let after):
        next = try text.addLedgers(after: after, limit: Self.pageLedgers).map { .ledgers(after: $0) }
      }
      if next == nil, request.format == .ndjson { text.end() }
      return ExportPage(bytes: text.json.bytes, next: next)
    }
  }

  /// Adds rows until the part is large; returns the last one read, or `nil` at the end.
  private static func addRows(
    to text: inout ExportText, _ request: ExportRequest, _ connection: SQLConnection, after: Int64, through: Int64
  ) throws -> Int64? {
    let app = request.app.id.rawValue
    let times = text.times
    var (known, read) = (after, 0)
    while known < through {
      let spans = try StoredSpan.all(connection, after: known, through: through, limit: pageSpans)
      guard let end = spans.last?.ids.upperBound else { return nil }
      let wanted = spans.filter { span in
        guard span.apps.contains(app) else { return false }
        return times.map { $0.lowerBound <= span.times.upperBound && $0.upperBound > span.times.lowerBound } ?? true
      }
      let scan = EventScan(connection, wanted, after: known, through: through)
      while let row = try scan.next() {
        read += 1
        if row.app == app, times?.contains(row.time) ?? true, text.isOfPerson(row, scan) {
          try text.add(row, scan)
        }
        if text.json.bytes.count >= pageBytes || read >= pageRows { return row.id }
      }
      known = end
    }
    return nil
  }
}
