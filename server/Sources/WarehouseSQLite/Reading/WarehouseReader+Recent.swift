package import Ingest
import RowFiles
import TernEvents
package import Warehouse

extension WarehouseReader {
  /// Returns the newest rows of some kinds; see ``MetricsStore/recent(app:kinds:limit:)``.
  package func recent(app: AppID, kinds: Set<StoredKind>, limit: Int) async throws -> [StoredEvent] {
    guard limit > 0, !kinds.isEmpty else { return [] }
    return try await reading { [self] connection in
      var events: [StoredEvent] = []
      let devices = try Self.devices(connection)
      for span in try StoredSpan.all(connection).reversed() where span.apps.contains(app.rawValue) {
        guard events.count < limit else { break }
        var ids: [Int64] = []
        let scan = EventScan(connection, [span])
        while let row = try scan.next() {
          if row.app == app.rawValue, kinds.contains(row.flags.kind) { ids.append(row.id) }
        }
        let newest = EventScan(connection, [span])
        events += try ids.suffix(limit - events.count).compactMap { id in
          try newest.find(id).map { try stored($0, newest, devices, connection) }
        }.reversed()
      }
      return events
    }
  }

  /// Returns a row just read.
  func stored(
    _ row: EventRow, _ scan: EventScan, _ devices: SQLStatement, _ connection: SQLConnection
  ) throws -> StoredEvent {
    StoredEvent(
      id: row.id, kind: row.flags.kind, name: try name(row.name, scan.properties, connection),
      time: Timestamp(millisecondsSince1970: row.time),
      received: Timestamp(millisecondsSince1970: row.received), install: Int(row.slot), user: scan.user,
      device: try device(row.device, devices, connection),
      properties: try PropertyCoding.decode(scan.properties) { try dictionary.text($0, connection) })
  }

  /// Returns the name of an event. If the name has no ID, the row itself contains it.
  private func name(_ id: Int64, _ properties: UnsafeRawBufferPointer, _ connection: SQLConnection) throws -> String {
    try (id == 0 ? PropertyCoding.eventName(properties) : nil) ?? dictionary.text(id, connection)
  }
}
