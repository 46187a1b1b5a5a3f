import Ingest
import Views
import Warehouse

/// Dense numbers for user IDs: 0, 1, 2, … per app, in the order in which they were first stored.
///
/// They are separate from the slots of installs: a `uid` that equals another client's `cid` is a different user.
final class WriterMembers {
  private struct Key: Hashable {
    var app: Int64
    var name: ExactText
  }

  /// The maximum number of users in memory.
  private static let maximumCached = 100_000
  private let insert: SQLStatement
  private let find: SQLStatement
  private let loadCount: SQLStatement
  private let storeCount: SQLStatement
  private let limit: Int
  private var cached: Set<Key> = []
  private var last: Key?
  private var counts: [Int64: Int64] = [:]
  private var changed: Set<Int64> = []

  /// - Parameter limit: The number of users cached in memory; others are looked up on disk.
  init(_ connection: SQLConnection, limit: Int) throws {
    insert = try connection.prepare("INSERT INTO member (app, name, number) VALUES (?, ?, ?)")
    find = try connection.prepare("SELECT 1 FROM member WHERE app = ? AND name = ?")
    loadCount = try connection.prepare("SELECT members FROM member_count WHERE app = ?")
    storeCount = try connection.prepare("INSERT OR REPLACE INTO member_count (app, members) VALUES (?, ?)")
    self.limit = min(max(limit, 1), Self.maximumCached)
  }

  func forget() {
    cached = []
    last = nil
    counts = [:]
    changed = []
  }

  /// Assigns a number to a user who has none.
  func add(_ name: String, app: Int64) throws {
    let key = Key(app: app, name: ExactText(name))
    // A batch usually has a single user.
    guard key != last else { return }
    last = key
    guard !cached.contains(key) else { return }
    if cached.count >= limit { cached.removeAll(keepingCapacity: true) }
    if try !isStored(key) { try store(key) }
    cached.insert(key)
  }

  /// Stores the number of users per app. Must be called once per transaction.
  func storeCounts() throws {
    guard !changed.isEmpty else { return }
    for app in changed { try storeCount.bind(app, counts[app] ?? 0).run() }
    changed.removeAll(keepingCapacity: true)
  }

  private func isStored(_ key: Key) throws -> Bool {
    find.bind(key.app)
    find.bind(key.name.text, at: 2)
    defer { find.reset() }
    return try find.step()
  }

  private func store(_ key: Key) throws {
    let number = try counts[key.app] ?? storedCount(key.app)
    insert.bind(key.app)
    insert.bind(key.name.text, at: 2)
    insert.bind(number, at: 3)
    try insert.run()
    counts[key.app] = number + 1
    changed.insert(key.app)
  }

  private func storedCount(_ app: Int64) throws -> Int64 {
    loadCount.bind(app)
    defer { loadCount.reset() }
    return try loadCount.step() ? loadCount.integer(0) : 0
  }
}

/// Looks up user numbers for views. Not thread-safe.
final class ReaderMembers {
  private let app: Int64
  private let find: SQLStatement
  private var cached: [ExactText: UInt32?] = [:]

  init(_ connection: SQLConnection, app: AppID) throws {
    self.app = app.rawValue
    find = try connection.prepare("SELECT number FROM member WHERE app = ? AND name = ?")
  }

  /// Returns the number of a user, or `nil` if there is none.
  func number(_ name: String) throws -> UInt32? {
    let key = ExactText(name)
    if let number = cached[key] { return number }
    find.bind(app)
    find.bind(name, at: 2)
    defer { find.reset() }
    let number = try find.step() ? UInt32(clamping: find.integer(0)) : nil
    cached[key] = .some(number)
    return number
  }
}
