import Ingest
import RowFiles
import ServerBase
import Views
import Warehouse

extension ViewScan {
  /// Passes on the wanted hits of a time range in their stored form, in portions of whole users, ordered by user
  /// number.
  ///
  /// - Parameters:
  ///   - bytes: The approximate number of bytes held in memory. The rows are read again for users who were left out.
  ///   - isWanted: Receives the row, the hit's time and the time of its receipt.
  func rawPortions(
    _ times: Range<Int64>, bytes: Int, where isWanted: (Int64, Int64, Int64) -> Bool, body: (RawHits) throws -> Void
  ) throws {
    var first: UInt32? = 0
    while let slot = first {
      var portion = RawHits()
      var next: UInt32?
      var capacity = 2 * max(1, bytes)
      let rows = EventScan(connection, spans(in: times))
      while let row = try rows.next() {
        guard row.app == app, times.contains(row.time), row.slot >= slot, row.slot < next ?? .max,
          isWanted(row.id, row.time, row.received)
        else { continue }
        do {
          try add(row, rows, to: portion)
        } catch let error as WarehouseError where error.code == .damaged {
          throw RowFailure(row: row.id, work: "counting it for a view", cause: error)
        }
        guard portion.hits.count % 1_024 == 0, portion.byteCount > capacity else { continue }
        let (kept, rest) = portion.limited(to: bytes)
        portion = kept
        // A single user may have more.
        capacity = max(capacity, 2 * kept.byteCount)
        next = rest ?? next
      }
      portion.sort()
      portion.devices = devices
      try body(portion)
      first = next
    }
  }

  private func add(_ row: EventRow, _ rows: EventScan, to raw: RawHits) throws {
    // Rows of one device mostly follow each other.
    if row.device != raw.hits.last?.device { _ = try device(row.device) }
    guard row.flags.kind.isHit else { return }
    InjectedFault.view.trap(rows.userBytes)
    let hit = RawHits.Hit(id: row.id, time: row.time, device: row.device, slot: row.slot)
    if let parameters = rows.parameters { return raw.add(hit, user: rows.userBytes, parameters: parameters) }
    var bytes: [UInt8] = []
    for (name, value) in try eventParameters(row, rows).sorted(by: { $0.key < $1.key }) {
      bytes.append(text: name)
      bytes.append(text: value)
    }
    bytes.withUnsafeBytes { raw.add(hit, user: rows.userBytes, parameters: $0) }
  }
}

extension RawHits {
  /// The places of the hits.
  var places: [ViewPlace] { hits.map { ViewPlace(slot: $0.slot, id: $0.id) } }
}
