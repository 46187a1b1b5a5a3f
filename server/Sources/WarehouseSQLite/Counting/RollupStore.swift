import ServerBase
import Warehouse

/// The tables `daily_count` and `daily_users`, for the thread that counts.
final class RollupStore {
  private let addCount: SQLStatement
  private let loadSlots: SQLStatement
  private let storeSlots: SQLStatement
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
    storeCursor = try connection.prepare("UPDATE counted SET row = ?")
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
      .first { try SlotSet.stored($0.bytes(0)) } ?? SlotSet()
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

  /// Records that the counts include all rows up to `cursor`.
  func store(cursor: Int64) throws { try storeCursor.bind(cursor).run() }
}
