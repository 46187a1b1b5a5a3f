import Ingest
import TernEvents
import Views
import Warehouse

extension Writer {
  /// A row with a name counted as "(other)" because there was no room.
  private struct NameLimitedRow {
    var id: Int64
    var app: Int64
    var device: Int64
    var flags: EventRow.Flags
    var name: Int64
    var properties: [UInt8]
  }

  private static let repairedRows: Int64 = 2_000

  /// Replaces texts in rows by IDs, where they have one by now or today's allowance has room. The rollups must be
  /// rebuilt afterwards.
  func restoreNames(now: Timestamp) throws {
    for month in try WarehouseSchema.months(connection) {
      var last: Int64 = 0
      while let next = try restoreNames(table: WarehouseSchema.table(month), after: last, now) { last = next }
    }
  }

  /// - Returns: The last row examined; `nil` at the end.
  private func restoreNames(table: String, after id: Int64, _ now: Timestamp) throws -> Int64? {
    let rows = try nameLimitedRows(table, after: id)
    guard let last = rows.last else { return nil }
    try transact {
      let update = try connection.prepare("UPDATE \(table) SET device = ?, kind = ?, name = ?, props = ? WHERE id = ?")
      for row in rows {
        let row = try restored(row, now.millisecondsSince1970)
        update.bind(row.device, row.flags.rawValue, row.name)
        update.bind(row.properties, at: 4)
        update.bind(row.id, at: 5)
        try update.run()
      }
    }
    return last.id
  }

  private func nameLimitedRows(_ table: String, after id: Int64) throws -> [NameLimitedRow] {
    let statement = try connection.prepare(
      """
      SELECT id, app, device, kind, name, props FROM \(table)
      WHERE id > ? AND kind & \(EventRow.Flags.nameLimitBit) ORDER BY id LIMIT ?
      """)
    statement.bind(id, Self.repairedRows)
    var rows: [NameLimitedRow] = []
    while try statement.step() {
      rows.append(
        NameLimitedRow(
          id: statement.integer(0), app: statement.integer(1), device: statement.integer(2),
          flags: EventRow.Flags(rawValue: statement.integer(3)), name: statement.integer(4),
          properties: Array(statement.bytes(5))))
    }
    return rows
  }

  private func restored(_ row: NameLimitedRow, _ now: Int64) throws -> NameLimitedRow {
    let names = try dictionary.names(app: row.app)
    let device = try restoredDevice(row, received: now)
    var row = row
    row.device = device.id
    let (properties, eventName) = try row.properties.withUnsafeBytes { bytes in
      (
        try PropertyCoding.renumbered(bytes) { try names.id(.property, $0, received: now) },
        PropertyCoding.eventName(bytes)
      )
    }
    row.properties = properties.bytes
    row.flags.isNameLimited = properties.isNameLimited || device.isNameLimited
    guard row.name == 0, let eventName else { return row }
    row.name = try names.id(row.flags.kind.nameKind, eventName, received: now)
    if row.name == 0 {
      row.flags.isNameLimited = true
      PropertyCoding.append(eventName: eventName, to: &row.properties)
    }
    return row
  }

  private func restoredDevice(_ row: NameLimitedRow, received: Int64) throws -> DeviceKeys {
    let keys = try devices.keys(id: row.device)
    guard keys.isNameLimited else { return keys }
    let texts = ReaderDictionary()
    let load = try connection.prepare("SELECT facts FROM device WHERE id = ?")
    load.bind(row.device)
    guard try load.step() else { return keys }
    let device = try WriterDevices.decode(load.bytes(0)) { try texts.text($0, connection) }
    return try devices.keys(app: row.app, device, received: received)
  }
}
