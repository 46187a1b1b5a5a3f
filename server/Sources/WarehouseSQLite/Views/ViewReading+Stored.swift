import ServerBase
import Views
import Warehouse

extension ViewReading {
  /// Returns a day as counted when the server was closed, if it was stored.
  func stored(_ day: Int) throws -> LiveDay? {
    let statement = try connection.prepare(
      kept: "SELECT counted FROM view_open_day WHERE view = ? AND day = ? AND rules = ?")
    statement.bind(view.id.rawValue, Int64(day))
    statement.bind(LiveView.Key(view: view, rules: rules).text, at: 3)
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    guard let bounds = calendar.bounds(of: day), let stored = StoredDay(statement.bytes(0), builder(day)),
      stored.day.row <= lastRow
    else { return nil }
    let live = stored.day
    live.places = try scan.places(bounds) { [calendar] id, time, received in
      id <= live.row && calendar.day(of: time) == day && calendar.counts(time: time, received: received)
    }
    let hits = try scan.hits(stored.buyers.elements.flatMap { live.places(of: $0) }[...])
    live.builder.addOrders(of: hits, live.before)
    return live
  }
}

// MARK: - Stored form

extension LiveDay {
  /// The stored form.
  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    builder.encode(into: &bytes)
    UserState.encode(before, into: &bytes)
    bytes.appendZigzag(row)
    bytes.appendZigzag(stateChangesSince)
    for (row, user) in stateChanges {
      bytes.appendZigzag(row)
      bytes.appendVarint(UInt64(user))
    }
    return bytes
  }
}

/// A day whose places and orders have yet to be read from its hits.
private struct StoredDay {
  var day: LiveDay
  var buyers: SlotSet
}

extension StoredDay {
  /// Decodes a day without hits. Returns `nil` if the stored form has another version or is damaged.
  init?(_ bytes: UnsafeRawBufferPointer, _ builder: ViewDayBuilder) {
    var (reader, builder) = (ByteReader(bytes), builder)
    guard let buyers = builder.decode(&reader), let before = UserState.decode(&reader), let row = reader.zigzag(),
      let stateChangesSince = reader.zigzag()
    else { return nil }
    var stateChanges: [(row: Int64, user: UInt32)] = []
    while !reader.isAtEnd {
      guard let row = reader.zigzag(), let user = reader.varint() else { return nil }
      stateChanges.append((row, UInt32(clamping: user)))
    }
    day = LiveDay(builder, row: row, stateChanges: stateChanges, stateChangesSince: stateChangesSince)
    day.before = before
    self.buyers = buyers
  }
}
