import Ingest
import Views
import Warehouse

/// Keys of stored events that aren't in the table `seen` yet, in order of arrival and searchable by hash.
final class PendingKeys {
  private var cells: Memory<UInt32>
  private(set) var keys: [DuplicateKey] = []

  init(capacity: Int) {
    var size = 1_024
    while size < capacity * 2 { size *= 2 }
    cells = Memory(count: size, zero: 0)
    keys.reserveCapacity(capacity)
  }

  var count: Int { keys.count }

  @inline(__always)
  private func start(_ key: DuplicateKey) -> Int {
    let hash = mixed(UInt64(bitPattern: key.hash), UInt64(bitPattern: key.milliseconds))
    return Int(truncatingIfNeeded: hash) & (cells.count - 1)
  }

  func contains(_ key: DuplicateKey) -> Bool {
    var cell = start(key)
    while cells[cell] != 0 {
      if keys[Int(cells[cell]) - 1] == key { return true }
      cell = (cell + 1) & (cells.count - 1)
    }
    return false
  }

  /// Adds a key that isn't present yet.
  func insert(_ key: DuplicateKey) {
    if (keys.count + 1) * 4 > cells.count * 3 { rebuild(size: cells.count * 2) }
    keys.append(key)
    place(keys.count - 1)
  }

  /// Removes all but the first `count` keys, after a rollback.
  func truncate(to count: Int) {
    guard count < keys.count else { return }
    keys.removeSubrange(count...)
    rebuild(size: cells.count)
  }

  private func place(_ ordinal: Int) {
    var cell = start(keys[ordinal])
    while cells[cell] != 0 { cell = (cell + 1) & (cells.count - 1) }
    cells[cell] = UInt32(ordinal + 1)
  }

  private func rebuild(size: Int) {
    cells = Memory(count: size, zero: 0)
    for ordinal in keys.indices { place(ordinal) }
  }

  /// Returns the keys ordered by time. Linear, since comparison sorting of half a million keys would stall the writer.
  func sortedByTime() -> [DuplicateKey] {
    guard let earliest = keys.lazy.map(\.milliseconds).min() else { return [] }
    var sorted = keys
    sorted.withUnsafeMutableBufferPointer { keys in
      keys.radixSort { UInt64(bitPattern: $0.milliseconds &- earliest) }
    }
    return sorted
  }
}
