import ErrorGrouping
import Ingest
import RowFiles
import TernBase
import Warehouse

/// The signatures of errors, numbered in the order in which they first occur, and with them the groups of errors.
///
/// Each row of `error_group` is a signature: all that can decide on the group of an error. A group is all signatures of an app
/// and kind with the same `key`, and its number is the lowest of theirs. So symbols, an app's rules and people change
/// keys, while errors and their counts stay as they are, and every number that a group ever had leads to the group.
///
/// An app's key is public, so a flood of errors of different types must not use up the room for later groups: each day
/// of receipt has an allowance of its own. Errors beyond it count in the group "(other)" of their kind.
package final class ErrorGroups {
  private struct Key: Hashable {
    var app: Int64
    var kind: Int64
    var fingerprint: Int64
  }

  /// Version 7. `frame` is the place after rules and symbols, while `place` stays as it was sent to a cluster. `own_key` is what
  /// signature, rules and symbols say, and `key` what holds: that of the group into which people merged it, one of its own if they
  /// took it out, or else its own key. `is_symbolized` is 1 if symbols named functions of it. `is_pending` is 1 until rules, symbols
  /// and decisions have been applied for the first time, 2 while they are to be applied again, and 3 if symbols could not be read.
  /// `regrouped` has the state of an app's rules, decisions and symbols by which its keys were made.
  ///
  /// Errors of earlier versions stay in the groups that they were in.
  static let keySchema = """
    ALTER TABLE error_group ADD COLUMN signature TEXT NOT NULL DEFAULT '';
    ALTER TABLE error_group ADD COLUMN frame TEXT NOT NULL DEFAULT '';
    ALTER TABLE error_group ADD COLUMN own_key INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE error_group ADD COLUMN key INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE error_group ADD COLUMN is_pending INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE error_group ADD COLUMN is_symbolized INTEGER NOT NULL DEFAULT 0;
    UPDATE error_group SET frame = place, own_key = fingerprint, key = fingerprint;
    CREATE INDEX error_group_key ON error_group (app, kind, key);
    CREATE INDEX error_group_own_key ON error_group (app, kind, own_key);
    CREATE INDEX error_group_moved ON error_group (app) WHERE key <> own_key;
    CREATE INDEX error_group_pending ON error_group (app, is_pending) WHERE is_pending <> 0;
    CREATE TABLE regrouped (app INTEGER PRIMARY KEY, symbols TEXT NOT NULL, decisions TEXT NOT NULL);
    """

  /// Version 9. `shown_type` is the name of the type in the source, if a mapping has it; `type` stays as it was sent to a cluster.
  static let typeSchema = "ALTER TABLE error_group ADD COLUMN shown_type TEXT NOT NULL DEFAULT '';"

  /// The type that people see.
  static func shownType(of signature: String) -> String {
    "coalesce(nullif(\(signature).shown_type, ''), \(signature).type)"
  }

  /// The condition that a signature `m` is of the same group as the signature `g`.
  static let isSameGroup = "m.app = g.app AND m.kind = g.kind AND m.key = g.key"

  /// A query of a group by any of its numbers: kind, type, the first frame of the app, and the first message that is left. Of
  /// a signature whose errors were deleted, nothing but the number is left.
  static let facts = """
    SELECT m.kind, \(shownType(of: "m")), m.frame, m.message FROM error_group g JOIN error_group m ON \(isSameGroup)
    WHERE g.id = ? ORDER BY m.type = '', m.message = '', m.id LIMIT 1
    """

  /// The maximum number of new signatures per app and day.
  static let dailyAllowance = 1_000
  private static let maximumCachedGroups = 50_000
  private let find: SQLStatement
  private let findGroup: SQLStatement
  private let add: SQLStatement
  private let complete: SQLStatement
  private var cache: [Key: Int64] = [:]
  /// The number of new signatures per app today. A rollback keeps the count, so that failing transactions do not renew the
  /// allowance; a restart renews it, which saves storing the count.
  private var spending: [Int64: (day: Int64, groups: Int)] = [:]

  init(_ connection: SQLConnection) throws {
    find = try connection.prepare(
      "SELECT id, signature = '' FROM error_group WHERE app = ? AND kind = ? AND fingerprint = ?")
    findGroup = try connection.prepare("SELECT min(id) FROM error_group WHERE app = ? AND kind = ? AND own_key = ?")
    complete = try connection.prepare(Self.completion)
    add = try connection.prepare(
      """
      INSERT INTO error_group (app, kind, fingerprint, own_key, is_pending, type, place, message, signature, frame, key)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?4)
      RETURNING id
      """)
  }

  /// Gives a signature to a row whose first error had no texts any more when it was imported or restored.
  package static let completion = """
    UPDATE error_group SET own_key = ?2, key = ?2, is_pending = 1, signature = ?3, frame = ?4 WHERE id = ?1 AND signature = ''
    """

  /// Clears the cache, after a rollback revoked assigned numbers.
  func forget() { cache = [:] }

  /// Returns the number of the signature of an error whose event is `row`.
  func id(of error: IncomingError, _ row: EventRow) throws -> Int64 {
    let kind = Int64(row.flags.kind.rawValue)
    let key = Key(app: row.app, kind: kind, fingerprint: error.fingerprint)
    if let known = try known(key, error.signature) { return known }
    guard spend(app: row.app, received: row.received) else {
      // A stack without room counts in its group, if there is one.
      if let signature = error.signature, let group = try group(GroupKey(signature).value, of: key) { return group }
      let other = Key(app: row.app, kind: kind, fingerprint: 0)
      return try known(other, nil) ?? insert(other, type: Dimension.otherKey)
    }
    return try insert(
      key, error.signature, type: error.type, place: error.place, message: error.message.prefix(utf8Bytes: 300))
  }

  /// Uses one signature of the allowance for the day of receipt; returns false if it is used up.
  private func spend(app: Int64, received: Int64) -> Bool {
    let day = received / 86_400_000
    let spent = spending[app].flatMap { $0.day == day ? $0.groups : nil } ?? 0
    guard spent < Self.dailyAllowance else { return false }
    spending[app] = (day, spent + 1)
    return true
  }

  private func known(_ key: Key, _ signature: Signature?) throws -> Int64? {
    if let known = cache[key] { return known }
    find.bind(key.app, key.kind, key.fingerprint)
    guard let (id, isBare) = try find.first({ ($0.integer(0), $0.integer(1) != 0) }) else { return nil }
    if isBare, let signature {
      let group = GroupKey(signature)
      complete.bind(id, group.value)
      complete.bind(signature.text, at: 3)
      complete.bind(group.place, at: 4)
      try complete.run()
    }
    // A later error may bring the signature that a row lacks.
    if !isBare || signature != nil { remember(id, key) }
    return id
  }

  private func group(_ own: Int64, of key: Key) throws -> Int64? {
    findGroup.bind(key.app, key.kind, own)
    return try findGroup.first { $0.isNull(0) ? nil : $0.integer(0) } ?? nil
  }

  private func insert(
    _ key: Key, _ signature: Signature? = nil, type: String, place: String = "", message: String = ""
  ) throws -> Int64 {
    // One that can't be read again would stay pending for ever.
    let signature = signature.flatMap { Signature(text: $0.text) }
    let group = signature.map { GroupKey($0) }
    // With the app's rules and symbols, the key may be another one.
    add.bind(key.app, key.kind, key.fingerprint, group?.value ?? key.fingerprint, signature == nil ? 0 : 1)
    let frame = group.flatMap { $0.place.isEmpty ? nil : $0.place } ?? place
    for (index, text) in [type, place, message, signature?.text ?? "", frame].enumerated() {
      add.bind(text, at: Int32(index + 6))
    }
    let id = try add.insertedID()
    if signature != nil || key.fingerprint == 0 { remember(id, key) }
    return id
  }

  private func remember(_ id: Int64, _ key: Key) {
    if cache.count >= Self.maximumCachedGroups { cache.removeAll() }
    cache[key] = id
  }
}

extension SQLStatement {
  /// Runs an `INSERT … RETURNING id` and returns the ID.
  package func insertedID() throws -> Int64 {
    let id = try step() ? integer(0) : 0
    // The statement must run to its end for the change to count.
    while try step() {}
    return id
  }
}
