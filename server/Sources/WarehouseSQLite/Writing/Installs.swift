import Ingest
import TernEvents
import Views
import Warehouse

/// Dense numbers for installs (slots): 0, 1, 2, … per app, which keeps sets of installs small.
final class WriterInstalls {
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
  private let loadCount: SQLStatement
  private let storeCount: SQLStatement
  private let generationLimit: Int
  // An approximate LRU cache in two generations: used entries move to the young one; when that is full, the old one is
  // dropped. SQLite has them all.
  private var young: [Key: UInt32] = [:]
  private var old: [Key: UInt32] = [:]
  private var counts: [Int64: UInt32] = [:]
  private var changedCounts: Set<Int64> = []

  init(_ connection: SQLConnection, limit: Int) throws {
    insert = try connection.prepare("INSERT INTO install (app, name, slot, first_day) VALUES (?, ?, ?, ?)")
    find = try connection.prepare("SELECT slot FROM install WHERE app = ? AND name = ?")
    loadCount = try connection.prepare("SELECT installs FROM app WHERE app = ?")
    storeCount = try connection.prepare("INSERT OR REPLACE INTO app (app, installs) VALUES (?, ?)")
    generationLimit = max(limit / 2, 1)
  }

  func forget() {
    young = [:]
    old = [:]
    counts = [:]
    changedCounts = []
  }

  /// Returns the slot of an install, assigning one if it is new.
  func slot(app: Int64, install: String, day: Int) throws -> UInt32 {
    let key = Key(app: app, name: UniqueID(install).map { .identifier($0) } ?? .text(ExactText(truncated(install))))
    if let slot = young[key] { return slot }
    let slot = try old[key] ?? stored(key) ?? add(key, day: day)
    if young.count >= generationLimit {
      old = young
      young = [:]
    }
    young[key] = slot
    return slot
  }

  /// Stores the number of slots assigned per app. Must be called once per transaction.
  func storeCounts() throws {
    guard !changedCounts.isEmpty else { return }
    for app in changedCounts { try storeCount.bind(app, Int64(counts[app] ?? 0)).run() }
    changedCounts.removeAll(keepingCapacity: true)
  }

  private func truncated(_ text: String) -> String {
    withUTF8(text) { String(decoding: prefix($0, atMost: Self.maximumBytes), as: UTF8.self) }
  }

  private func bind(_ key: Key, to statement: SQLStatement) {
    statement.bind(key.app)
    switch key.name {
    case .text(let name): statement.bind(name.text, at: 2)
    case .identifier(let identifier):
      withUnsafeBytes(of: (identifier.high.bigEndian, identifier.low.bigEndian)) { statement.bind(copying: $0, at: 2) }
    }
  }

  private func stored(_ key: Key) throws -> UInt32? {
    bind(key, to: find)
    guard try find.step() else { return nil }
    defer { find.reset() }
    return UInt32(clamping: find.integer(0))
  }

  private func add(_ key: Key, day: Int) throws -> UInt32 {
    let slot = try counts[key.app] ?? storedCount(key.app)
    bind(key, to: insert)
    insert.bind(Int64(slot), at: 3)
    insert.bind(Int64(day), at: 4)
    try insert.run()
    counts[key.app] = slot + 1
    changedCounts.insert(key.app)
    return slot
  }

  private func storedCount(_ app: Int64) throws -> UInt32 {
    loadCount.bind(app)
    guard try loadCount.step() else { return 0 }
    defer { loadCount.reset() }
    return UInt32(clamping: loadCount.integer(0))
  }
}
