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
    guard let earliest = keys.lazy.map(\.milliseconds).min(), let latest = keys.lazy.map(\.milliseconds).max() else {
      return []
    }
    var sorted = keys
    var scratch = keys
    let span = UInt64(bitPattern: latest &- earliest)
    var shift: UInt64 = 0
    while shift < 64, span >> shift > 0 {
      Self.sortByDigit(sorted, into: &scratch, earliest: earliest, shift: shift)
      swap(&sorted, &scratch)
      shift += 11
    }
    return sorted
  }

  private static func sortByDigit(
    _ keys: [DuplicateKey], into output: inout [DuplicateKey], earliest: Int64, shift: UInt64
  ) {
    var starts = [Int](repeating: 0, count: 2_049)
    for key in keys { starts[digit(key, earliest, shift) + 1] += 1 }
    for index in 1..<starts.count { starts[index] += starts[index - 1] }
    output.withUnsafeMutableBufferPointer { output in
      for key in keys {
        let digit = digit(key, earliest, shift)
        output[starts[digit]] = key
        starts[digit] += 1
      }
    }
  }

  @inline(__always)
  private static func digit(_ key: DuplicateKey, _ earliest: Int64, _ shift: UInt64) -> Int {
    Int(truncatingIfNeeded: UInt64(bitPattern: key.milliseconds &- earliest) >> shift) & 2_047
  }
}
