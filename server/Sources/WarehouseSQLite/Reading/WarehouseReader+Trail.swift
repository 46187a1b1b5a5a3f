import Columns
import Ingest
package import Questions
import RowFiles
import TernEvents
package import Warehouse

extension WarehouseReader: TrailSource {
  /// Returns a page of the rows of a person; see ``TrailSource/trail(of:app:_:limit:)``.
  package func trail(
    of person: Person, app: AppID, _ page: TrailPage, limit: Int
  ) async throws -> [TrailRow]? {
    try await reading { [self] connection in
      let chunks = try chunks(app, connection)
      guard let key = try Self.key(of: person, app, chunks, connection) else { return nil }
      // The columns may have newer rows than this transaction.
      let trail = PersonTrail(key, page, through: try StoredSpan.lastRow(connection))
      return try rows(trail.rows(limit, in: chunks), connection)
    }
  }

  /// Returns the totals, times and devices of a person; see ``TrailSource/summary(of:app:)``.
  package func summary(of person: Person, app: AppID) async throws -> PersonSummary? {
    try await reading { [self] connection in
      let chunks = try chunks(app, connection)
      guard let key = try Self.key(of: person, app, chunks, connection) else { return nil }
      var tally = PersonTally(key)
      for chunk in chunks { tally.add(chunk) }
      var summary = try tally.summary { number in
        guard case .install = key else {
          return .install(try Self.installName(Int64(number), app, connection) ?? "")
        }
        let find = try connection.prepare(kept: "SELECT name FROM member WHERE app = ? AND number = ?")
        return .user(try find.bind(app.rawValue, Int64(number)).first { $0.text(0) } ?? "")
      }
      if case .joined = key, case .user(let name) = person {
        let identifiers = try Self.joinedIdentifiers(chunks, app, connection).identifiers(with: name) ?? []
        summary?.identifiers = identifiers.filter { !$0.hasBytes(of: name) }.sorted()
      }
      return summary
    }
  }

  func chunks(_ app: AppID, _ connection: SQLConnection) throws -> [Chunk] {
    try columns.chunks(
      app: app.rawValue, connection, dictionary: dictionary, checkCancellation: columns.checkOpen)
  }

  private static func key(
    of person: Person, _ app: AppID, _ chunks: [Chunk], _ connection: SQLConnection
  ) throws -> PersonNumber? {
    switch person {
    case .install(let name): return try slot(of: name, app, connection).map { .install($0) }
    case .user(let name):
      if let identifiers = try joinedIdentifiers(chunks, app, connection).identifiers(with: name) {
        return .joined(try IdentifierLookup(app: app.rawValue, connection).numbers(of: identifiers))
      }
      let find = try connection.prepare(kept: "SELECT number FROM member WHERE app = ? AND name = ?")
      find.bind(app.rawValue, at: 1)
      find.bind(name, at: 2)
      return try find.first { UInt32(truncatingIfNeeded: $0.integer(0)) }.map { .user($0) }
    }
  }

  /// Returns the name of an install; see ``TrailSource/installName(number:app:)``.
  package func installName(number: Int, app: AppID) async throws -> String? {
    try await reading { connection in try Self.installName(Int64(number), app, connection) }
  }

  private static func installName(_ slot: Int64, _ app: AppID, _ connection: SQLConnection) throws -> String? {
    let find = try connection.prepare(
      kept: "SELECT name, typeof(name) = 'blob' FROM install WHERE app = ? AND slot = ?")
    return try find.bind(app.rawValue, slot).first { StoredNames.installName($0, at: 0) }
  }

  private static func slot(of name: String, _ app: AppID, _ connection: SQLConnection) throws -> UInt32? {
    let find = try connection.prepare(kept: "SELECT slot FROM install WHERE app = ? AND name = ?")
    find.bind(app.rawValue, at: 1)
    if let id = UniqueID(name) {
      find.bind(
        [id.high, id.low].flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } },
        at: 2)
    } else {
      find.bind(name, at: 2)
    }
    return try find.first { UInt32(truncatingIfNeeded: $0.integer(0)) }
  }

  /// Reads rows by their IDs, in the same order.
  private func rows(_ ids: [Int64], _ connection: SQLConnection) throws -> [TrailRow] {
    guard let first = ids.min(), let last = ids.max() else { return [] }
    let devices = try Self.devices(connection)
    let scan = try EventScan(connection, ids: first...last)
    var rows: [Int64: TrailRow] = [:]
    for id in ids.sorted() {
      guard let row = try scan.find(id) else { continue }
      rows[id] = TrailRow(
        try stored(row, scan, devices, connection), session: row.session == 0 ? nil : row.session,
        startsSession: row.flags.startsSession)
    }
    return ids.compactMap { rows[$0] }
  }
}
