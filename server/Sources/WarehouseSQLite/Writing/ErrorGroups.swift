import Ingest
import TernBase
import Warehouse

/// The error groups, numbered in the order in which they first occur.
///
/// An app's key is public, so a flood of errors of different types must not use up the room for later groups: each day
/// of receipt has an allowance of its own. Errors beyond it count in the group "(other)" of their kind.
final class ErrorGroups {
  private struct Key: Hashable {
    var app: Int64
    var kind: Int64
    var fingerprint: Int64
  }

  /// The maximum number of new groups per app and day.
  static let dailyAllowance = 1_000
  private static let maximumCachedGroups = 50_000
  private let find: SQLStatement
  private let add: SQLStatement
  private var cache: [Key: Int64] = [:]
  /// The number of new groups per app today. A rollback keeps the count, so that failing transactions do not renew the
  /// allowance; a restart renews it, which saves storing the count.
  private var spending: [Int64: (day: Int64, groups: Int)] = [:]

  init(_ connection: SQLConnection) throws {
    find = try connection.prepare("SELECT id FROM error_group WHERE app = ? AND kind = ? AND fingerprint = ?")
    add = try connection.prepare(
      """
      INSERT INTO error_group (app, kind, fingerprint, type, place, message) VALUES (?, ?, ?, ?, ?, ?) RETURNING id
      """)
  }

  /// Clears the cache, after a rollback revoked assigned numbers.
  func forget() { cache = [:] }

  /// Returns the number of the group of an error whose event is `row`.
  func id(of error: IncomingError, _ row: EventRow) throws -> Int64 {
    let kind = Int64(row.flags.kind.rawValue)
    let key = Key(app: row.app, kind: kind, fingerprint: error.fingerprint)
    if let known = try known(key) { return known }
    guard spend(app: row.app, received: row.received) else {
      let other = Key(app: row.app, kind: kind, fingerprint: 0)
      return try known(other) ?? insert(other, type: WriterDictionary.other, place: "", message: "")
    }
    return try insert(key, type: error.type, place: error.place, message: error.message.prefix(utf8Bytes: 300))
  }

  /// Uses one group of the allowance for the day of receipt; returns false if it is used up.
  private func spend(app: Int64, received: Int64) -> Bool {
    let day = received / 86_400_000
    let spent = spending[app].flatMap { $0.day == day ? $0.groups : nil } ?? 0
    guard spent < Self.dailyAllowance else { return false }
    spending[app] = (day, spent + 1)
    return true
  }

  private func known(_ key: Key) throws -> Int64? {
    if let known = cache[key] { return known }
    find.bind(key.app, key.kind, key.fingerprint)
    defer { find.reset() }
    guard try find.step() else { return nil }
    let id = find.integer(0)
    remember(id, key)
    return id
  }

  private func insert(_ key: Key, type: String, place: String, message: String) throws -> Int64 {
    add.bind(key.app, key.kind, key.fingerprint)
    add.bind(type, at: 4)
    add.bind(place, at: 5)
    add.bind(message, at: 6)
    let id = try add.insertedID()
    remember(id, key)
    return id
  }

  private func remember(_ id: Int64, _ key: Key) {
    if cache.count >= Self.maximumCachedGroups { cache.removeAll() }
    cache[key] = id
  }
}

extension SQLStatement {
  /// Runs an `INSERT … RETURNING id` and returns the ID.
  func insertedID() throws -> Int64 {
    let id = try step() ? integer(0) : 0
    // The statement must run to its end for the change to count.
    while try step() {}
    return id
  }
}
