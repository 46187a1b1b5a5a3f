import Ingest
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
      try rawHits(times, from: slot) { statement in
        let (id, time, owner) = (statement.integer(0), statement.integer(1), UInt32(clamping: statement.integer(3)))
        guard owner < next ?? .max, isWanted(id, time, time + statement.integer(2)) else { return }
        try add(statement, to: portion)
        guard portion.hits.count % 1_024 == 0, portion.byteCount > capacity else { return }
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

  private func rawHits(_ times: Range<Int64>, from slot: UInt32, _ body: (SQLStatement) throws -> Void) throws {
    for span in spans(in: times) {
      let statement = try connection.prepare(
        "\(selectRows(span.month)) WHERE e.id BETWEEN ? AND ? AND e.app = ? AND e.t >= ? AND e.t < ? AND e.slot >= ?")
      statement.bind(
        span.ids.lowerBound, span.ids.upperBound, app, times.lowerBound, times.upperBound, Int64(slot))
      month = Int32(span.month)
      while try statement.step() { try body(statement) }
    }
  }

  private func add(_ statement: SQLStatement, to raw: RawHits) throws {
    let flags = EventRow.Flags(rawValue: statement.integer(5))
    let device = statement.integer(4)
    // Rows of one device mostly follow each other.
    if device != raw.hits.last?.device { _ = try self.device(device) }
    let hit = RawHits.Hit(
      id: statement.integer(0), time: statement.integer(1), device: device, month: month,
      slot: UInt32(clamping: statement.integer(3)))
    switch flags.kind {
    case .drops, .attachment, .attachmentPart: return
    case .event, .screen, .sessionStart, .handledError, .crash, .other: break
    }
    guard statement.isNull(9) else { return raw.add(hit, user: statement.bytes(7), parameters: statement.bytes(9)) }
    var bytes: [UInt8] = []
    for (name, value) in try eventParameters(statement, flags).sorted(by: { $0.key < $1.key }) {
      bytes.append(text: name)
      bytes.append(text: value)
    }
    bytes.withUnsafeBytes { raw.add(hit, user: statement.bytes(7), parameters: $0) }
  }
}

extension RawHits {
  /// The places of the hits.
  var places: [ViewPlace] { hits.map { ViewPlace(slot: $0.slot, month: $0.month, id: $0.id) } }
}
