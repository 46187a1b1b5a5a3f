import Ingest
import RowFiles
package import TernBase
import Warehouse

/// The last hit of each Measurement Protocol install, from which sessions are derived.
///
/// Hits in memory are stored from time to time, with the ID of the last row that they include: the table `hit` and the
/// rows after that one are always complete.
package final class LastHits {
  /// The pause, in milliseconds, after which a hit begins a new session.
  package static let pause: SaturatingInt64 = 30 * 60_000
  private static let limit = 500_000

  private struct Key: Hashable {
    var app: Int64
    var slot: UInt32
  }

  private let storeHit: SQLStatement
  private let loadHit: SQLStatement
  private let removeHit: SQLStatement
  private let storeCursor: SQLStatement
  private let loadCursor: SQLStatement
  private var times: [Key: Int64] = [:]
  private var dirty: Set<Key> = []

  init(_ connection: SQLConnection) throws {
    storeHit = try connection.prepare("INSERT OR REPLACE INTO hit VALUES (?, ?, ?)")
    loadHit = try connection.prepare("SELECT t FROM hit WHERE app = ? AND slot = ?")
    removeHit = try connection.prepare("DELETE FROM hit WHERE app = ? AND slot = ?")
    storeCursor = try connection.prepare("INSERT OR REPLACE INTO state (name, value) VALUES ('hits', ?)")
    loadCursor = try connection.prepare("SELECT value FROM state WHERE name = 'hits'")
  }

  /// Returns the ID of the last row that the stored hits include.
  func storedRow() throws -> Int64 { try loadCursor.first { $0.integer(0) } ?? 0 }

  /// Returns true if a hit at this time begins a session.
  func startsSession(app: Int64, slot: UInt32, at time: Int64) throws -> Bool {
    guard let last = try last(Key(app: app, slot: slot)) else { return true }
    return EventTime(time) - EventTime(last) > Self.pause
  }

  /// Registers a stored row, which may be the install's last hit.
  @inline(__always)
  func note(_ row: EventRow) throws {
    if row.flags.isMeasurement, row.flags.kind != .drops { try note(Key(app: row.app, slot: row.slot), row.time) }
  }

  private func note(_ key: Key, _ time: Int64) throws {
    if let last = try last(key), last >= time { return }
    times[key] = time
    dirty.insert(key)
  }

  private func last(_ key: Key) throws -> Int64? {
    if let time = times[key] { return time }
    guard let stored = try loadHit.bind(key.app, Int64(key.slot)).first({ $0.time(0).milliseconds })
    else { return nil }
    times[key] = stored
    return stored
  }

  /// Stores all changes by the rows up to one, in the open transaction.
  func store(through row: Int64) throws {
    for key in dirty { try storeHit.bind(key.app, Int64(key.slot), times[key] ?? 0).run() }
    try storeCursor.bind(row).run()
    dirty.removeAll(keepingCapacity: true)
    if times.count > Self.limit { times.removeAll() }
  }

  /// Forgets the last hit of an install, in the open transaction: the next one begins a session.
  package func remove(app: Int64, slot: UInt32) throws {
    try removeHit.bind(app, Int64(slot)).run()
    times[Key(app: app, slot: slot)] = nil
    dirty.remove(Key(app: app, slot: slot))
  }

  package func removeAll() {
    times = [:]
    dirty = []
  }
}
