package import RowFiles
import ServerBase
import Warehouse

/// Consecutive rows in a segment, about 8,000, as the table `span` describes them.
///
/// The table is the zone map of the rows and tells where they are. A row exists only if a span has its ID: what a
/// transaction sees of this table is what it sees of the rows. Spans leave no gap between them; deleted rows leave gaps
/// within a span, which may even be empty.
package struct StoredSpan {
  package var ids: ClosedRange<Int64>
  package var times: ClosedRange<Int64>
  package let apps: Set<Int64>
  /// One of them; usually there are no others.
  private let firstApp: Int64?
  package var segment: Int64
  /// The part of the segment with the blocks of these rows.
  package var bytes: Range<Int>
  /// True if no more rows will be added.
  package var isComplete: Bool

  package var rows: Int { Int(ids.upperBound - ids.lowerBound) + 1 }

  /// False if the row lies outside the bounds.
  package func mayContain(_ row: EventRow) -> Bool {
    ids.contains(row.id) && times.contains(row.time) && (row.app == firstApp || apps.contains(row.app))
  }

  private static let columns = "first_id, last_id, segment, offset, bytes, min_t, max_t, apps"

  /// Returns the spans with rows after one ID and up to another, in order. They may have other rows, too.
  ///
  /// - Parameter limit: The most spans to read; negative for no limit.
  package static func all(
    _ connection: SQLConnection, after: Int64 = 0, through: Int64 = .max, limit: Int64 = -1
  ) throws -> [StoredSpan] {
    let stored = try connection.prepare(
      """
      SELECT \(columns), first_id = (SELECT max(first_id) FROM span) FROM span
      WHERE first_id <= ?2 AND first_id >= coalesce((SELECT max(first_id) FROM span WHERE first_id <= ?1), 0)
      ORDER BY first_id LIMIT ?3
      """)
    stored.bind(after, through, limit)
    return try stored.all(Self.init).filter { $0.ids.upperBound > after }
  }

  /// Returns the last span; `nil` if there are no rows.
  package static func last(_ connection: SQLConnection) throws -> StoredSpan? {
    try connection.prepare("SELECT \(columns), 1 FROM span ORDER BY first_id DESC LIMIT 1").first(Self.init)
  }

  /// Returns the ID of the last row stored; 0 if there are no rows.
  package static func lastRow(_ connection: SQLConnection) throws -> Int64 {
    try connection.integer("SELECT last_id FROM span ORDER BY first_id DESC LIMIT 1") ?? 0
  }

  /// Returns the segment that has a row, or had it before it was deleted; `nil` if no span has its ID.
  ///
  /// All spans of a segment move together, so a row finds its segment again.
  package static func segment(of id: Int64, _ connection: SQLConnection) throws -> Int64? {
    try all(connection, after: id - 1, through: id).first { $0.ids.contains(id) }?.segment
  }

  /// Returns the numbers of all segments with rows.
  package static func segments(_ connection: SQLConnection) throws -> Set<Int64> {
    Set(try connection.prepare(kept: "SELECT DISTINCT segment FROM span WHERE bytes > 0").all { $0.integer(0) })
  }

  /// Far more than there will be, and far from where sums of such numbers overflow.
  private static let maximumID: Int64 = 1 << 62
  /// Far more than the rows of a span, whose deletion leaves gaps.
  private static let maximumIDs: Int64 = 1 << 40
  /// Far more than the few MiB at which a span ends.
  private static let maximumBytes: Int64 = 256 << 20
  /// Far more than the size at which a segment ends.
  private static let maximumOffset: Int64 = 1 << 40

  private init(_ row: SQLStatement) throws {
    let (first, last, offset, count) = (row.integer(0), row.integer(1), row.integer(3), row.integer(4))
    guard first > 0, last >= first, last < Self.maximumID, last - first < Self.maximumIDs,
      (0...Self.maximumOffset).contains(offset),
      (0...Self.maximumBytes).contains(count)
    else {
      throw WarehouseError(
        .damaged, "The table of rows in warehouse.sqlite is damaged. Restore the data directory from a backup.")
    }
    ids = first...last
    segment = row.integer(2)
    bytes = Int(offset)..<Int(offset + count)
    let (earliest, latest) = (row.time(5), row.time(6))
    times = earliest.milliseconds...max(earliest, latest).milliseconds
    var apps: Set<Int64> = []
    var reader = ByteReader(row.bytes(7))
    while let app = reader.varint() { apps.insert(Int64(bitPattern: app)) }
    self.apps = apps
    firstApp = apps.first
    // Only the last one grows.
    isComplete = row.integer(8) == 0
  }
}
