import Views
import Warehouse

/// The writer's access to the tables `daily_count`, `daily_users` and `hit`.
final class RollupStore {
  private let addCount: SQLStatement
  private let loadSlots: SQLStatement
  private let storeSlots: SQLStatement
  private let storeHit: SQLStatement
  private let loadHit: SQLStatement
  private let storeCursor: SQLStatement

  init(_ connection: SQLConnection) throws {
    addCount = try connection.prepare(
      """
      INSERT INTO daily_count VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET n = min(n, \(Int64.max) - excluded.n) + excluded.n
      """)
    loadSlots = try connection.prepare(
      "SELECT slots FROM daily_users WHERE app = ? AND dim = ? AND day = ? AND key = ?")
    storeSlots = try connection.prepare("INSERT OR REPLACE INTO daily_users VALUES (?, ?, ?, ?, ?, ?)")
    storeHit = try connection.prepare("INSERT OR REPLACE INTO hit VALUES (?, ?, ?)")
    loadHit = try connection.prepare("SELECT t FROM hit WHERE app = ? AND slot = ?")
    storeCursor = try connection.prepare("INSERT OR REPLACE INTO state (name, value) VALUES ('rolled', ?)")
  }

  func add(_ entry: RollupAccumulator.Entry, _ slots: UnsafeBufferPointer<UInt32>) throws {
    if entry.count > 0 {
      try addCount.bind(entry.app, entry.dimension, Int64(entry.day), entry.key, entry.count).run()
    }
    if !slots.isEmpty { try addUsers(entry, slots) }
  }

  private func addUsers(_ entry: RollupAccumulator.Entry, _ slots: UnsafeBufferPointer<UInt32>) throws {
    let set =
      try loadSlots.bind(entry.app, entry.dimension, Int64(entry.day), entry.key)
      .first { try WarehouseReader.slots($0.bytes(0)) } ?? SlotSet()
    let before = set.count
    set.insert(slots)
    let count = set.count
    guard count > before else { return }
    var bytes: [UInt8] = []
    set.encode(into: &bytes)
    storeSlots.bind(entry.app, entry.dimension, Int64(entry.day), entry.key, Int64(count))
    try bytes.withUnsafeBytes { bytes in
      storeSlots.bind(borrowing: bytes, at: 6)
      try storeSlots.run()
    }
  }

  func store(hit time: Int64, app: Int64, slot: Int64) throws { try storeHit.bind(app, slot, time).run() }

  func hit(app: Int64, slot: Int64) throws -> Int64? {
    try loadHit.bind(app, slot).first { $0.integer(0) }
  }

  /// Records that the rollups cover all rows up to `cursor`.
  func store(cursor: Int64) throws { try storeCursor.bind(cursor).run() }
}

/// The last hit of each Measurement Protocol install, from which sessions are derived.
final class LastHits {
  /// The pause, in milliseconds, after which a hit begins a new session.
  static let pause: Int64 = 30 * 60_000
  private static let limit = 500_000

  private struct Key: Hashable {
    var app: Int64
    var slot: UInt32
  }

  private let store: RollupStore
  private var times: [Key: Int64] = [:]
  private var dirty: Set<Key> = []

  init(store: RollupStore) { self.store = store }

  /// Returns true if a hit at this time begins a session.
  func startsSession(app: Int64, slot: UInt32, at time: Int64) throws -> Bool {
    guard let last = try last(Key(app: app, slot: slot)) else { return true }
    return time - last > Self.pause
  }

  func note(app: Int64, slot: UInt32, at time: Int64) throws {
    let key = Key(app: app, slot: slot)
    if let last = try last(key), last >= time { return }
    times[key] = time
    dirty.insert(key)
  }

  private func last(_ key: Key) throws -> Int64? {
    if let time = times[key] { return time }
    guard let stored = try store.hit(app: key.app, slot: Int64(key.slot)) else { return nil }
    times[key] = stored
    return stored
  }

  /// Stores all changes, in the open transaction.
  func flush() throws {
    for key in dirty { try store.store(hit: times[key] ?? 0, app: key.app, slot: Int64(key.slot)) }
    dirty.removeAll(keepingCapacity: true)
    if times.count > Self.limit { times.removeAll() }
  }

  func removeAll() {
    times = [:]
    dirty = []
  }
}
