import Ingest
import Warehouse

/// Dense numbers for user IDs: 0, 1, 2, … per app, in the order in which they were first stored.
///
/// They are separate from the slots of installs: a `uid` that equals another client's `cid` is a different user.
package final class WriterUsers {
  private struct Key: Hashable {
    var app: Int64
    var name: ExactText
  }

  /// The maximum number of users in memory.
  private static let maximumCached = 100_000
  private let insert: SQLStatement
  private let find: SQLStatement
  private let limit: Int
  private var cached: Set<Key> = []
  private var last: Key?
  private let counts: AppCounts

  /// - Parameter limit: The number of users cached in memory; others are looked up on disk.
  init(_ connection: SQLConnection, limit: Int) throws {
    insert = try connection.prepare("INSERT INTO member (app, name, number) VALUES (?, ?, ?)")
    find = try connection.prepare("SELECT 1 FROM member WHERE app = ? AND name = ?")
    counts = try AppCounts(connection, table: "member_count", column: "members")
    self.limit = min(max(limit, 1), Self.maximumCached)
  }

  func forget() {
    cached = []
    last = nil
    counts.forget()
  }

  /// Assigns a number to a user who has none.
  func add(_ name: String, app: Int64) throws {
    let key = Key(app: app, name: ExactText(name))
    // A batch usually has a single user.
    guard key != last else { return }
    last = key
    guard !cached.contains(key) else { return }
    if cached.count >= limit { cached.removeAll(keepingCapacity: true) }
    if try !find.bind(app, name).exists() {
      try insert.bind(app, name, counts.next(app)).run()
      counts.add(app)
    }
    cached.insert(key)
  }

  /// Stores the number of users per app. Must be called once per transaction.
  package func storeCounts() throws { try counts.store() }
}

/// Looks up user numbers for views. Not thread-safe.
final class ReaderUsers {
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
    let number = try find.bind(app, name).first { UInt32(clamping: $0.integer(0)) }
    cached[key] = .some(number)
    return number
  }
}
