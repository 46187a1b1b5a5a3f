package import Ingest
import ServerBase
import Warehouse

/// Keys of stored events that aren't in a run yet, in order of arrival and searchable by hash.
///
/// `@unchecked Sendable`: confined to the writer thread until no more keys are added, and only read afterwards.
package final class PendingKeys: @unchecked Sendable {
  /// Each cell holds the ordinal of a key plus one and, above it, a part of its hash; 0 if it is free.
  @exclusivity(unchecked) private var cells: Memory<UInt64>
  private let keys = GrowingMemory<DuplicateKey>(zero: DuplicateKey(milliseconds: 0, hash: 0))
  private static let ordinalBits: UInt64 = 28
  private static let ordinalMask: UInt64 = (1 << ordinalBits) - 1

  package init(capacity: Int) {
    var size = 1_024
    while size < capacity * 2 { size *= 2 }
    cells = Memory(count: size, zero: 0)
  }

  package var count: Int { keys.count }

  @inline(__always)
  func contains(_ key: DuplicateKey, _ hash: UInt64) -> Bool { cells[cell(key, hash)] != 0 }

  /// Adds a key; returns false if it is present.
  @inline(__always)
  package func insert(_ key: DuplicateKey, _ hash: UInt64) -> Bool {
    let cell = cell(key, hash)
    guard cells[cell] == 0 else { return false }
    keys.append(key)
    cells[cell] = Self.entry(hash, ordinal: keys.count - 1)
    if keys.count * 2 > cells.count { rebuild(size: cells.count * 2) }
    return true
  }

  /// Returns the cell of a key, or the free one where it belongs.
  @inline(__always)
  private func cell(_ key: DuplicateKey, _ hash: UInt64) -> Int {
    let mask = cells.count - 1
    var cell = Int(truncatingIfNeeded: hash) & mask
    while cells[cell] != 0 {
      if cells[cell] >> Self.ordinalBits == hash >> Self.ordinalBits {
        let ordinal = Int(cells[cell] & Self.ordinalMask) - 1
        if keys.elements[ordinal] == key { break }
      }
      cell = (cell + 1) & mask
    }
    return cell
  }

  @inline(__always)
  private static func entry(_ hash: UInt64, ordinal: Int) -> UInt64 {
    (hash & ~ordinalMask) | UInt64(ordinal + 1)
  }

  /// Removes all but the first `count` keys, after a rollback.
  func truncate(to count: Int) {
    guard count < keys.count else { return }
    keys.truncate(to: count)
    rebuild(size: cells.count)
  }

  private func rebuild(size: Int) {
    cells = Memory(count: size, zero: 0)
    for (ordinal, key) in keys.elements.enumerated() {
      let hash = key.mixedHash
      cells[cell(key, hash)] = Self.entry(hash, ordinal: ordinal)
    }
  }

  /// Returns the keys in order. Linear unless many have the same time, since comparison sorting is several times
  /// slower.
  func sorted() -> Memory<DuplicateKey> {
    let sorted = Memory(count: keys.count, zero: DuplicateKey(milliseconds: 0, hash: 0))
    guard let earliest = keys.elements.lazy.map(\.milliseconds).min() else { return sorted }
    sorted.start.update(from: UnsafePointer(keys.elements.baseAddress ?? sorted.start), count: keys.count)
    let all = UnsafeMutableBufferPointer(start: sorted.start, count: keys.count)
    all.radixSort { UInt64(bitPattern: $0.milliseconds &- earliest) }
    var start = 0
    while start < all.count {
      var end = start + 1
      while end < all.count, all[end].milliseconds == all[start].milliseconds { end += 1 }
      if end - start > 1 { all[start..<end].sort() }
      start = end
    }
    return sorted
  }
}
