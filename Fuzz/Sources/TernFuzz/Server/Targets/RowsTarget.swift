import Ingest
import ServerBase
import Warehouse

@testable import RowFiles
@testable import WarehouseSQLite

extension FuzzTarget {
  /// Blocks of stored rows, as they are behind the checksum.
  static var rows: FuzzTarget {
    guard let calendar = ZoneCalendar("Europe/Berlin") else { fatalError("There is no such zone") }
    return FuzzTarget { input in
      let rollups = RollupAccumulator(maximumPairs: 1_000)
      let properties = PropertyAccumulator(seed: 1, store: nil)
      let sessions = SessionBounds()
      let again = RowBlockWriter()
      var writer = again
      var reader = RowBlockReader(input, firstID: 1)
      while let row = reader.next() {
        let day = calendar.day(of: row.time)
        rollups.add(
          row, day: day,
          device: { DeviceKeys(id: row.device, version: 1, system: 2, model: 3, country: 4, language: 5) },
          properties: reader.properties)
        do { try properties.add(row, day: day, properties: reader.properties) } catch { fatalError("\(error)") }
        sessions.add(app: row.app, slot: row.slot, session: row.session, time: row.time, flags: row.flags)
        PropertyCoding.forEach(reader.properties) { _, value in _ = PropertyText.text(value) }
        let parameters = reader.parameters.map { HitCoding.decode($0) } ?? []
        _ = HitParameter.isKnownAndKept(parameters.first?.name ?? "")
        writer.append(row, user: reader.user, properties: reader.properties, parameters: reader.parameters)
      }
      rollups.forEach { entry, users in _ = (entry, users.count) }
      properties.takePending { _ = $0.pending.count }
      sessions.forEach { _ = ($0, $1) }
      check(writer, of: input)
    }
  }

  /// Reads rows that were written again: as many as before.
  private static func check(_ writer: RowBlockWriter, of input: UnsafeRawBufferPointer) {
    var reader = RowBlockReader(writer.bytes.bytes, firstID: 1)
    var count = 0
    while reader.next() != nil { count += 1 }
    precondition(count == writer.rows && !reader.isDamaged, "rows are not read as they were stored")
  }
}
