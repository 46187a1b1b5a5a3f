import Ingest
import TernEvents
import Views
import Warehouse

extension WarehouseReader {
  /// The time before an error that is searched for events of its session.
  private static let reach: Int64 = 24 * 3_600_000
  /// The maximum number of rows read, so that a page stays fast on a busy server.
  private static let maximumRows = 3_000_000

  /// Returns the last `limit` records of a session before an error, oldest first.
  func events(
    before error: ErrorOccurrence, app: AppID, session: Int64, limit: Int, _ connection: SQLConnection
  ) throws -> [StoredEvent] {
    guard session != 0 else { return [] }
    let end = error.time.millisecondsSince1970
    let start = end - Self.reach
    var rows = 0
    var records: [StoredEvent] = []
    let devices = try Self.devices(connection)
    for span in try StoredSpan.all(connection, through: .max).sorted(by: { $0.ids.upperBound > $1.ids.upperBound }) {
      guard span.apps?.contains(app.rawValue) ?? true, span.times?.overlaps(start...end) ?? true else { continue }
      rows += span.rows
      guard rows <= Self.maximumRows else { break }
      let statement = try connection.prepare(
        """
        SELECT \(Self.storedColumns) FROM \(WarehouseSchema.table(span.month))
        WHERE id BETWEEN ? AND ? AND app = ? AND slot = ? AND session = ? AND t BETWEEN ? AND ? AND id != ?
          AND kind & 15 NOT IN (\(StoredKind.attachment.rawValue), \(StoredKind.attachmentPart.rawValue))
        ORDER BY t DESC, id DESC LIMIT ?
        """)
      statement.bind(
        span.ids.lowerBound, span.ids.upperBound, app.rawValue, Int64(error.install), session, start, end, error.id,
        Int64(limit))
      records += try statement.all { try stored($0, devices, connection) }
    }
    records.sort { ($0.time.millisecondsSince1970, $0.id) < ($1.time.millisecondsSince1970, $1.id) }
    return Array(records.suffix(limit))
  }
}
