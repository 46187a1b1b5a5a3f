import Ingest
import RowFiles
import ServerBase
import TernEvents
import Warehouse

/// Dense numbers for installs (slots): 0, 1, 2, … per app, which keeps sets of installs small.
package final class WriterInstalls {
  private enum Name: Hashable {
    case identifier(UniqueID)
    case text(ExactText)
  }

  private struct Key: Hashable {
    var app: Int64
    var name: Name
  }

  /// The maximum length of a client ID, in UTF-8 bytes.
  private static let maximumBytes = 512
  private let insert: SQLStatement
  private let find: SQLStatement
  private let generationLimit: Int
  // An approximate LRU cache in two generations: used entries move to the young one; when that is full, the old one is
  // dropped. SQLite has them all.
  private var young: [Key: UInt32] = [:]
  private var old: [Key: UInt32] = [:]
  private let counts: AppCounts

  init(_ connection: SQLConnection, limit: Int) throws {
    insert = try connection.prepare("INSERT INTO install (app, name, slot, first_day) VALUES (?, ?, ?, ?)")
    find = try connection.prepare("SELECT slot FROM install WHERE app = ? AND name = ?")
    counts = try AppCounts(connection, table: "app", column: "installs")
    generationLimit = max(limit / 2, 1)
  }

  func forget() {
    young = [:]
    old = [:]
    counts.forget()
  }

  /// Returns the slot of an install, assigning one if it is new.
  package func slot(app: Int64, install: String, day: Int) throws -> UInt32 {
    let key = Key(app: app, name: Self.name(install))
    if let slot = young[key] { return slot }
    let slot = try old[key] ?? stored(key) ?? add(key, day: day)
    if young.count >= generationLimit {
      old = young
      young = [:]
    }
    young[key] = slot
    return slot
  }

  /// Returns the slot of an install that is stored.
  package static func storedSlot(app: Int64, install: String, _ connection: SQLConnection) throws -> UInt32? {
    let find = try connection.prepare("SELECT slot FROM install WHERE app = ? AND name = ?")
    bind(Key(app: app, name: name(install)), to: find)
    return try find.first { UInt32(clamping: $0.integer(0)) }
  }

  /// Returns the one form of an install's name.
  package static func canonical(_ install: String) -> String { UniqueID(install)?.description ?? truncated(install) }

  /// Deletes the name of an install.
  package static func delete(app: Int64, install: String, _ connection: SQLConnection) throws {
    let delete = try connection.prepare("DELETE FROM install WHERE app = ? AND name = ?")
    bind(Key(app: app, name: name(install)), to: delete)
    try delete.run()
  }

  /// Reads an install's name from a column.
  package static func name(_ row: SQLStatement, _ column: Int32) -> String {
    let bytes = row.bytes(column)
    guard row.isBlob(column), bytes.count == 16 else { return row.text(column) }
    return UniqueID(
      high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    ).description
  }

  /// Returns the number of an app's installs.
  func count(app: Int64) throws -> Int64 { try counts.next(app) }

  /// Stores the number of slots assigned per app. Must be called once per transaction.
  package func storeCounts() throws { try counts.store() }

  private static func name(_ install: String) -> Name {
    UniqueID(install).map { .identifier($0) } ?? .text(ExactText(truncated(install)))
  }

  private static func truncated(_ text: String) -> String {
    withUTF8(text) { String(decoding: prefix($0, atMost: maximumBytes), as: UTF8.self) }
  }

  /// Binds an app and the name of an install to the first two parameters of a statement.
  package static func bind(app: Int64, install: String, to statement: SQLStatement) {
    bind(Key(app: app, name: name(install)), to: statement)
  }

  private static func bind(_ key: Key, to statement: SQLStatement) {
    statement.bind(key.app)
    switch key.name {
    case .text(let name): statement.bind(name.text, at: 2)
    case .identifier(let identifier):
      withUnsafeBytes(of: (identifier.high.bigEndian, identifier.low.bigEndian)) { statement.bind(copying: $0, at: 2) }
    }
  }

  private func stored(_ key: Key) throws -> UInt32? {
    Self.bind(key, to: find)
    return try find.first { UInt32(clamping: $0.integer(0)) }
  }

  private func add(_ key: Key, day: Int) throws -> UInt32 {
    let slot = try counts.next(key.app)
    Self.bind(key, to: insert)
    insert.bind(slot, at: 3)
    insert.bind(Int64(day), at: 4)
    try insert.run()
    counts.add(key.app)
    return UInt32(clamping: slot)
  }
}

/// The next dense number of each app, kept in a table of counts.
final class AppCounts {
  private let load: SQLStatement
  private let save: SQLStatement
  private var counts: [Int64: Int64] = [:]
  private var changed: Set<Int64> = []

  init(_ connection: SQLConnection, table: String, column: String) throws {
    load = try connection.prepare("SELECT \(column) FROM \(table) WHERE app = ?")
    save = try connection.prepare("INSERT OR REPLACE INTO \(table) (app, \(column)) VALUES (?, ?)")
  }

  func forget() {
    counts = [:]
    changed = []
  }

  /// Returns the number that the next entry of the app gets.
  func next(_ app: Int64) throws -> Int64 {
    if let count = counts[app] { return count }
    let count = try load.bind(app).first { $0.integer(0) } ?? 0
    counts[app] = count
    return count
  }

  /// Counts an entry whose number ``next(_:)`` returned.
  func add(_ app: Int64) {
    counts[app, default: 0] += 1
    changed.insert(app)
  }

  /// Stores the changed counts.
  func store() throws {
    guard !changed.isEmpty else { return }
    for app in changed { try save.bind(app, counts[app] ?? 0).run() }
    changed.removeAll(keepingCapacity: true)
  }
}
