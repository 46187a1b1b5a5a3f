import Ingest
import RowFiles
import TernEvents
import Warehouse
import WarehouseSQLite

extension Writer {
  /// Replaces texts in rows by IDs, where they have one by now or today's allowance has room, and removes what can't be
  /// read. The counts must be made again afterwards.
  func repairRows(now: Timestamp) throws {
    let segments = Dictionary(grouping: try StoredSpan.all(connection), by: \.segment)
    for first in segments.values.compactMap({ $0.first?.ids.lowerBound }).sorted() {
      try mendRows(inSegmentOf: first)
      let segment = try StoredSpan.segment(of: first, connection)
      let spans = try StoredSpan.all(connection).filter { $0.segment == segment }
      guard try needsRepair(spans) else { continue }
      try prepareRewriting()
      try transact {
        try rows.rewrite(spans) { row, scan in
          guard row.flags.isNameLimited else { return .keep }
          let (row, properties) = try restored(row, scan.properties, now.millisecondsSince1970)
          return .replace(row, properties)
        }
      }
    }
    try rows.deleteUnused()
  }

  /// Rewrites a segment if some of its rows can't be read: with those that the cluster has, and without the others.
  private func mendRows(inSegmentOf row: Int64) throws {
    guard let number = try StoredSpan.segment(of: row, connection),
      let segment = try UnreadableSegment(number, connection)
    else { return }
    for ids in segment.ids { damage.note(ids, in: segment.path) }
    let cache = RetiredRowCache.of(rows.directory)
    let copies = try cache.pin(segment.copies(cache).units)
    defer { cache.unpin(copies) }
    try prepareRewriting()
    _ = try mend(segment, copies)
    cache.discard(copies)
  }

  /// Returns true if rows of a segment have a name that had no room, or lie outside the bounds of their span.
  private func needsRepair(_ spans: [StoredSpan]) throws -> Bool {
    for span in spans {
      let scan = EventScan(connection, [span])
      while let row = try scan.next() { if row.flags.isNameLimited || !span.mayContain(row) { return true } }
    }
    return false
  }

  /// Returns a row with a name counted as "(other)" with IDs for its names, if there is room now.
  private func restored(
    _ row: EventRow, _ bytes: UnsafeRawBufferPointer, _ now: Int64
  ) throws -> (EventRow, [UInt8]) {
    let names = try dictionary.names(app: row.app)
    let device = try restoredDevice(row, received: now)
    var row = row
    row.device = device.id
    var properties = try PropertyCoding.renumbered(bytes) { try names.id(.property, $0, received: now) }
    row.flags.isNameLimited = properties.isNameLimited || device.isNameLimited
    guard row.name == 0, let eventName = PropertyCoding.eventName(bytes) else { return (row, properties.bytes) }
    row.name = try names.id(row.flags.kind.nameKind, eventName, received: now)
    if row.name == 0 {
      row.flags.isNameLimited = true
      PropertyCoding.append(eventName: eventName, to: &properties.bytes)
    }
    return (row, properties.bytes)
  }

  private func restoredDevice(_ row: EventRow, received: Int64) throws -> DeviceKeys {
    let keys = try StoredDevices(connection).keys(id: row.device)
    guard keys.isNameLimited else { return keys }
    let texts = ReaderDictionary()
    let load = try connection.prepare("SELECT facts FROM device WHERE id = ?")
    load.bind(row.device)
    guard try load.step() else { return keys }
    let device = try WriterDevices.decode(load.bytes(0)) { try texts.text($0, connection) }
    return try devices.keys(app: row.app, device, received: received)
  }
}
