import RowFiles
import ServerBase
import Warehouse

/// The table `span_session`: the sessions of each complete span, by app.
///
/// The sessions of a complete span never change, so they are stored once, each stretch without a pause for itself. Session durations of a month can then be read
/// from its spans instead of all its rows.
package final class SpanSessions {
  private let insert: SQLStatement

  package init(_ connection: SQLConnection) throws {
    insert = try connection.prepare("INSERT INTO span_session (app, first_id, sessions) VALUES (?, ?, ?)")
  }

  /// Stores the sessions of the span that begins with the row `firstID`.
  package func store(_ sessions: SessionBounds, firstID: Int64) throws {
    var coded: [Int64: SessionCoding] = [:]
    sessions.forEachStretch { coded[$0.app, default: SessionCoding()].append($0) }
    for (app, coding) in coded {
      insert.bind(app, firstID)
      insert.bind(coding.bytes, at: 3)
      try insert.run()
    }
  }

  /// Recomputes and stores the sessions of all complete spans, in the open transaction.
  static func rebuild(_ connection: SQLConnection, damage: DamagedRows) throws {
    // Rows that have left were verified, and so are complete.
    try connection.execute(
      """
      DELETE FROM span_session WHERE first_id NOT IN
        (SELECT first_id FROM span WHERE segment IN (SELECT segment FROM retired_unit))
      """)
    let retired = try RetiredTable.segments(connection)
    let store = try SpanSessions(connection)
    for span in try StoredSpan.all(connection) where span.isComplete && !retired.contains(span.segment) {
      let sessions = SessionBounds()
      try sessions.add(rowsOf: span, app: nil, connection, damage: damage)
      try store.store(sessions, firstID: span.ids.lowerBound)
    }
  }
}

/// A reader of the table `span_session`.
package struct StoredSessions {
  private let load: SQLStatement

  package init(_ connection: SQLConnection) throws {
    load = try connection.prepare("SELECT sessions FROM span_session WHERE app = ? AND first_id = ?")
  }

  /// Adds an app's sessions in a complete span to `sessions`.
  package func add(_ app: Int64, _ span: StoredSpan, to sessions: SessionBounds) throws {
    load.bind(app, span.ids.lowerBound)
    defer { load.reset() }
    guard try load.step() else { return }
    guard SessionCoding.forEach(load.bytes(0), app: app, { sessions.merge($0) }) else {
      throw WarehouseError(
        .damaged, "The stored sessions of some rows are damaged. Stop the server and run `tern rebuild`."
      )
    }
  }
}

/// The stored form of one app's sessions: install, session, and the three times as differences, about twenty bytes in
/// all.
struct SessionCoding {
  private(set) var bytes: [UInt8] = []
  private var previous: Int64 = 0

  mutating func append(_ span: SessionSpan) {
    bytes.appendVarint(span.owner & 0xFFFF_FFFF)
    withUnsafeBytes(of: span.session.littleEndian) { bytes.append(contentsOf: $0) }
    bytes.appendZigzag(span.first &- previous)
    bytes.appendVarint(UInt64(bitPattern: span.last &- span.first))
    bytes.appendVarint(span.firstEvent == .max ? 0 : UInt64(bitPattern: span.firstEvent &- span.first) &+ 1)
    previous = span.first
  }

  /// Calls `body` with each session; returns false if the bytes are damaged.
  static func forEach(_ bytes: UnsafeRawBufferPointer, app: Int64, _ body: (SessionSpan) -> Void) -> Bool {
    var reader = ByteReader(bytes)
    var first: Int64 = 0
    while !reader.isAtEnd {
      guard let slot = reader.varint().flatMap(UInt32.init(exactly:)), let session = reader.bytes(8),
        let step = reader.zigzag(), let length = reader.varint(), let event = reader.varint()
      else { return false }
      first &+= step
      let last = first &+ Int64(bitPattern: length)
      let firstEvent = event == 0 ? .max : first &+ Int64(bitPattern: event &- 1)
      guard TimeBounds.contains(first), TimeBounds.contains(last), first <= last,
        firstEvent == .max || (first...last).contains(firstEvent)
      else { return false }
      body(
        SessionSpan(
          owner: SessionSpan.owner(app: app, slot: slot),
          session: Int64(littleEndian: session.loadUnaligned(as: Int64.self)), first: first,
          last: last, firstEvent: firstEvent))
    }
    return true
  }
}
