import Ingest
package import Questions
import TernEvents
import Views
package import Warehouse

extension WarehouseReader: TrailSource {
  /// Returns the latest rows of a person; see ``TrailSource/trail(of:app:before:limit:)``.
  package func trail(
    of person: TrailPerson, app: AppID, before: PersonsCursor?, limit: Int
  ) async throws -> [TrailRow]? {
    try await reading { [self] connection in
      let key: TrailKey
      switch person {
      case .install(let name):
        guard let slot = try Self.slot(of: name, app, connection) else { return nil }
        key = .slot(slot)
      case .user(let name):
        let known = try connection.prepare("SELECT 1 FROM member WHERE app = ? AND name = ?")
        known.bind(app.rawValue, at: 1)
        known.bind(name, at: 2)
        guard try known.exists() else { return nil }
        key = .user(Array(name.utf8))
      }
      return try rows(of: key, app, before ?? PersonsCursor(time: .max, row: .max), limit, connection)
    }
  }

  private enum TrailKey {
    case slot(UInt32)
    case user([UInt8])
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

  /// Reads spans from the latest on, until no other span can have a later row than those found.
  private func rows(
    of key: TrailKey, _ app: AppID, _ end: PersonsCursor, _ limit: Int, _ connection: SQLConnection
  ) throws -> [TrailRow] {
    let spans = try StoredSpan.all(connection).filter {
      $0.apps.contains(app.rawValue) && $0.times.lowerBound <= end.time
    }
    .sorted { $0.times.upperBound > $1.times.upperBound }
    let devices = try Self.devices(connection)
    var found: [TrailRow] = []
    for span in spans {
      if found.count >= limit, found[limit - 1].cursor.time > span.times.upperBound { break }
      let scan = EventScan(connection, [span])
      while let row = try scan.next() {
        guard row.app == app.rawValue, (row.time, row.id) < (end.time, end.row), row.flags.kind.isInTrails else {
          continue
        }
        switch key {
        case .slot(let slot): guard row.slot == slot else { continue }
        case .user(let name): guard scan.userBytes.elementsEqual(name) else { continue }
        }
        found.append(
          TrailRow(
            try stored(row, scan, devices, connection), session: row.session == 0 ? nil : row.session,
            startsSession: row.flags.startsSession))
        if found.count >= 4 * limit { found = Self.latest(limit, of: found) }
      }
      found = Self.latest(limit, of: found)
    }
    return found
  }

  private static func latest(_ limit: Int, of rows: [TrailRow]) -> [TrailRow] {
    Array(
      rows.sorted { ($0.cursor.time, $0.cursor.row) > ($1.cursor.time, $1.cursor.row) }.prefix(limit))
  }
}

extension StoredKind {
  /// True for the kinds of rows that questions see, without the pieces of attachments.
  fileprivate var isInTrails: Bool {
    switch self {
    case .event, .screen, .sessionStart, .handledError, .crash: true
    case .attachment, .attachmentPart, .drops, .other: false
    }
  }
}
