import Ingest
import RowFiles
import TernEvents
import Warehouse

extension WarehouseReader {
  /// The time before an error that is searched for events of its session.
  private static let reach: Int64 = 24 * 3_600_000
  /// The maximum number of rows read, so that a page stays fast on a busy server.
  private static let maximumRows = 3_000_000

  /// A record with its place in the session.
  private typealias Placed = (event: StoredEvent, moment: UInt16)

  /// Returns the last `limit` records of a session before an error, oldest first.
  func events(
    before error: ErrorOccurrence, app: AppID, session: Int64, limit: Int, _ connection: SQLConnection
  ) throws -> [StoredEvent] {
    guard session != 0 else { return [] }
    let end = EventTime(error.time.millisecondsSince1970).milliseconds
    let start = end - Self.reach
    var rows = 0
    var records: [Placed] = []
    let devices = try Self.devices(connection)
    for span in try StoredSpan.all(connection).reversed() {
      guard span.apps.contains(app.rawValue), span.times.overlaps(start...end) else { continue }
      rows += span.rows
      guard rows <= Self.maximumRows else { break }
      let scan = EventScan(connection, [span])
      while let row = try scan.next() {
        guard row.session == session, Int(row.slot) == error.install, row.app == app.rawValue, row.id != error.id,
          (start...end).contains(row.time), row.flags.kind != .attachment, row.flags.kind != .attachmentPart
        else { continue }
        records.append((try stored(row, scan, devices, connection), row.flags.momentInMillisecond))
        if records.count > 2 * limit { records = Self.latest(limit, of: records) }
      }
    }
    return Self.latest(limit, of: records).map(\.event)
  }

  private static func latest(_ limit: Int, of records: [Placed]) -> [Placed] {
    let sorted = records.sorted {
      ($0.event.time.millisecondsSince1970, $0.moment, $0.event.id)
        < ($1.event.time.millisecondsSince1970, $1.moment, $1.event.id)
    }
    return Array(sorted.suffix(limit))
  }
}
