import Columns
import Ingest
package import Questions
import TernEvents
package import Warehouse

extension WarehouseReader: TrailSource {
  /// Returns the latest rows of a person; see ``TrailSource/trail(of:app:before:limit:)``.
  package func trail(
    of person: Person, app: AppID, before: PersonsCursor?, limit: Int
  ) async throws -> [TrailRow]? {
    try await reading { [self] connection in
      let key: PersonTrail.Person
      switch person {
      case .install(let name):
        guard let slot = try Self.slot(of: name, app, connection) else { return nil }
        key = .install(slot)
      case .user(let name):
        let find = try connection.prepare("SELECT number FROM member WHERE app = ? AND name = ?")
        find.bind(app.rawValue, at: 1)
        find.bind(name, at: 2)
        guard let number = try find.first({ UInt32(truncatingIfNeeded: $0.integer(0)) }) else { return nil }
        key = .user(number)
      }
      let chunks = try columns.chunks(
        app: app.rawValue, connection, dictionary: dictionary, checkCancellation: columns.checkOpen)
      // The columns may have newer rows than this transaction.
      let ids = try PersonTrail(key, before: before, through: WarehouseSchema.lastRow(connection))
        .latestRows(limit, in: chunks)
      return try rows(ids, connection)
    }
  }

  /// Returns the name of an install; see ``TrailSource/installName(number:app:)``.
  package func installName(number: Int, app: AppID) async throws -> String? {
    try await reading { connection in
      let find = try connection.prepare(
        "SELECT name, typeof(name) = 'blob' FROM install WHERE app = ? AND slot = ?")
      return try find.bind(app.rawValue, Int64(number)).first { StoredNames.installName($0, at: 0) }
    }
  }

  private static func slot(of name: String, _ app: AppID, _ connection: SQLConnection) throws -> UInt32? {
    let find = try connection.prepare("SELECT slot FROM install WHERE app = ? AND name = ?")
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
