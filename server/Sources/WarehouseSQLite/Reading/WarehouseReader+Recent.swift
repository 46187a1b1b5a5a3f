public import Ingest
import TernEvents
import Views
public import Warehouse

extension WarehouseReader {
  /// Returns the newest rows of some kinds; see ``MetricsStore/recent(app:kinds:limit:)``.
  public func recent(app: AppID, kinds: Set<StoredKind>, limit: Int) async throws -> [StoredEvent] {
    guard limit > 0, !kinds.isEmpty else { return [] }
    return try await reading { [self] connection in
      let spans = try StoredSpan.all(connection, through: .max).filter { $0.apps?.contains(app.rawValue) ?? true }
      var events: [StoredEvent] = []
      // Newest first: once there are enough rows, older spans can be skipped.
      for span in spans.sorted(by: { $0.ids.upperBound > $1.ids.upperBound }) {
        if events.count >= limit, let last = events.last, span.ids.upperBound < last.id { break }
        events += try self.events(of: app, kinds, in: span, limit: limit, connection)
        events.sort { $0.id > $1.id }
        if events.count > limit { events.removeLast(events.count - limit) }
      }
      return events
    }
  }

  private func events(
    of app: AppID, _ kinds: Set<StoredKind>, in span: StoredSpan, limit: Int, _ connection: SQLConnection
  ) throws -> [StoredEvent] {
    let list = kinds.map { String($0.rawValue) }.joined(separator: ",")
    let statement = try connection.prepare(
      """
      SELECT \(Self.storedColumns) FROM \(WarehouseSchema.table(span.month))
      WHERE id BETWEEN ? AND ? AND app = ? AND kind & 15 IN (\(list))
      ORDER BY id DESC LIMIT ?
      """)
    statement.bind(span.ids.lowerBound, span.ids.upperBound, app.rawValue, Int64(limit))
    let devices = try Self.devices(connection)
    return try statement.all { try stored($0, devices, connection) }
  }

  static let storedColumns = "id, kind, name, t, lag, slot, user, device, props"

  /// Returns the current row of a statement over ``storedColumns``.
  func stored(_ statement: SQLStatement, _ devices: SQLStatement, _ connection: SQLConnection) throws -> StoredEvent {
    let time = Timestamp(millisecondsSince1970: statement.integer(3))
    return StoredEvent(
      id: statement.integer(0), kind: EventRow.Flags(rawValue: statement.integer(1)).kind,
      name: try name(statement.integer(2), statement.bytes(8), connection), time: time,
      received: Timestamp(millisecondsSince1970: time.millisecondsSince1970 + statement.integer(4)),
      install: Int(statement.integer(5)), user: statement.text(6),
      device: try device(statement.integer(7), devices, connection),
      properties: try PropertyCoding.decode(statement.bytes(8)) { try dictionary.text($0, connection) })
  }

  /// Returns the name of an event. If the name has no ID, the row itself contains it.
  private func name(_ id: Int64, _ properties: UnsafeRawBufferPointer, _ connection: SQLConnection) throws -> String {
    try (id == 0 ? PropertyCoding.eventName(properties) : nil) ?? dictionary.text(id, connection)
  }
}
