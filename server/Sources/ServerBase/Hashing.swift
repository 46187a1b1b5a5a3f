#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Mixes two words into one; each bit of the result depends on all bits of both.
@inlinable @inline(__always)
package func mixed(_ left: UInt64, _ right: UInt64) -> UInt64 {
  let product = (left ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: right ^ 0xD6E8_FEB8_6659_FD93)
  return product.high ^ product.low
}

/// A string's first sixteen bytes as two words, zero-padded, and a hash of all its bytes.
///
/// Most texts in events are that short, so hashing and comparing them needs no loop over bytes.
@usableFromInline
package struct StringKey: BitwiseCopyable, Sendable {
  /// The first eight bytes.
  @usableFromInline package var first: UInt64
  /// The bytes from the ninth to the sixteenth.
  @usableFromInline package var second: UInt64
  /// A hash of all bytes.
  @usableFromInline package var hash: UInt64

  /// - Parameter seed: The hash key, so that clients can't provoke collisions.
  @inlinable @inline(__always)
  package init(_ bytes: UnsafeRawBufferPointer, seed: UInt64) {
    first = Self.word(bytes, at: 0)
    second = Self.word(bytes, at: 8)
    hash = mixed(mixed(first ^ seed, UInt64(bytes.count)), second ^ seed)
    if bytes.count > 16 { hashRest(bytes, seed: seed) }
  }

  @inlinable mutating func hashRest(_ bytes: UnsafeRawBufferPointer, seed: UInt64) {
    var position = 16
    while position < bytes.count {
      hash = mixed(hash, Self.word(bytes, at: position) ^ seed)
      position += 8
    }
  }

  @inlinable @inline(__always)
  static func word(_ bytes: UnsafeRawBufferPointer, at position: Int) -> UInt64 {
    if position + 8 <= bytes.count { return bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self) }
    var word: UInt64 = 0
    var index = bytes.count
    while index > position {
      index -= 1
      word = word << 8 | UInt64(bytes[index])
    }
    return word
  }
}

/// Zero-initialized memory for a fixed number of trivial values.
///
/// `@usableFromInline`, like each type whose members other modules inline: without it, Swift 6.3 ignores `@inlinable` at members
/// with package access.
///
/// A class over raw memory rather than an array: in the writer's inner loops, the uniqueness and exclusivity checks of
/// arrays cost as much as the work itself.
@usableFromInline
package final class Memory<Element: BitwiseCopyable> {
  /// The first value.
  @usableFromInline package let start: UnsafeMutablePointer<Element>
  /// The number of values.
  @usableFromInline package let count: Int

  /// Allocates memory for values, each of them `zero`.
  @inlinable package init(count: Int, zero: Element) {
    self.count = count
    start = .allocate(capacity: count)
    start.initialize(repeating: zero, count: count)
  }

  @inlinable deinit { start.deallocate() }

  /// The value at an index, which is not checked.
  @inlinable @inline(__always)
  package subscript(index: Int) -> Element {
    get { start[index] }
    set { start[index] = newValue }
  }
}

/// A growable list of trivial values.
@usableFromInline
package final class GrowingMemory<Element: BitwiseCopyable> {
  // Unchecked: every access to a variable of a class that other modules inline would be checked for exclusivity.
  @exclusivity(unchecked) @usableFromInline var memory: Memory<Element>
  /// The number of elements.
  @exclusivity(unchecked) @usableFromInline package var count = 0
  @usableFromInline let zero: Element

  /// Creates an empty list.
  package init(zero: Element) {
    self.zero = zero
    memory = Memory(count: 4, zero: zero)
  }

  /// The elements, valid until the next one is appended.
  @inlinable package var elements: UnsafeMutableBufferPointer<Element> {
    UnsafeMutableBufferPointer(start: memory.start, count: count)
  }

  /// Adds an element at the end.
  @inlinable @inline(__always)
  package func append(_ element: Element) {
    if count == memory.count { memory = memory.grown(to: count * 2, zero: zero) }
    memory[count] = element
    count += 1
  }

  /// Removes all but the first elements.
  @inlinable package func truncate(to size: Int) { count = min(count, size) }

  /// Removes all elements and frees their memory.
  @inlinable package func removeAll() {
    count = 0
    memory = Memory(count: 4, zero: zero)
  }
}

/// Numbers distinct byte strings 0, 1, 2, … in the order of their arrival.
///
/// Several times faster than `Dictionary<String, Int>` for short texts. Every event has five to ten of them.
@usableFromInline
package final class ByteTable {
  @usableFromInline struct Entry: BitwiseCopyable, Sendable {
    @usableFromInline var key: StringKey
    @usableFromInline var start: Int
    @usableFromInline var count: Int

    @inlinable init(key: StringKey, start: Int, count: Int) {
      (self.key, self.start, self.count) = (key, start, count)
    }
  }

  @usableFromInline static let none = Entry(
    key: StringKey(UnsafeRawBufferPointer(start: nil, count: 0), seed: 0), start: 0, count: 0)

  /// Each cell holds the number of a string plus one and, above it, half of its hash; 0 if it is free. The number of
  /// cells is a power of two.
  @exclusivity(unchecked) @usableFromInline var cells = Memory<UInt64>(count: 8, zero: 0)
  @exclusivity(unchecked) @usableFromInline var entries = Memory<Entry>(count: 4, zero: ByteTable.none)
  @exclusivity(unchecked) @usableFromInline var bytes = Memory<UInt8>(count: 32, zero: 0)
  @exclusivity(unchecked) @usableFromInline var byteCount = 0
  /// The number of strings.
  @exclusivity(unchecked) @usableFromInline package var count = 0
  @usableFromInline let seed: UInt64

  /// Creates an empty table.
  package init(seed: UInt64) { self.seed = seed }

  /// The size in bytes.
  @inlinable package var size: Int { cells.count * 8 + entries.count * MemoryLayout<Entry>.stride + bytes.count }

  /// Returns the key of a string for ``find(_:_:)`` and ``insert(_:_:)``.
  @inlinable @inline(__always)
  package func key(_ string: UnsafeRawBufferPointer) -> StringKey { StringKey(string, seed: seed) }

  /// Returns the string with a number, valid until the next insertion.
  @inlinable package func string(_ number: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: bytes.start + entries[number].start, count: entries[number].count)
  }

  /// Returns the number of a string, or `nil` if it isn't in the table.
  @inlinable @inline(__always)
  package func find(_ string: UnsafeRawBufferPointer, _ key: StringKey) -> Int? {
    let mask = cells.count - 1
    var cell = Int(truncatingIfNeeded: key.hash) & mask
    while cells[cell] != 0 {
      if cells[cell] >> 32 == key.hash >> 32 {
        let number = Int(cells[cell] & 0xFFFF_FFFF) - 1
        if isEqual(entries[number], string, key) { return number }
      }
      cell = (cell + 1) & mask
    }
    return nil
  }

  @inlinable @inline(__always)
  func isEqual(_ entry: Entry, _ string: UnsafeRawBufferPointer, _ key: StringKey) -> Bool {
    guard entry.count == string.count, entry.key.first == key.first, entry.key.second == key.second else {
      return false
    }
    guard string.count > 16, let start = string.baseAddress else { return true }
    return isEqual(entry, start)
  }

  @usableFromInline
  func isEqual(_ entry: Entry, _ string: UnsafeRawPointer) -> Bool {
    memcmp(bytes.start + entry.start, string, entry.count) == 0
  }

  /// Adds a string that isn't in the table yet and returns its number.
  @inlinable package func insert(_ string: UnsafeRawBufferPointer, _ key: StringKey) -> Int {
    reserve(bytes: byteCount + string.count)
    UnsafeMutableRawPointer(bytes.start + byteCount).copyMemory(from: string)
    entries[count] = Entry(key: key, start: byteCount, count: string.count)
    byteCount += string.count
    count += 1
    place(count - 1)
    return count - 1
  }

  @inlinable func place(_ number: Int) {
    let hash = entries[number].key.hash
    let mask = cells.count - 1
    var cell = Int(truncatingIfNeeded: hash) & mask
    while cells[cell] != 0 { cell = (cell + 1) & mask }
    cells[cell] = hash & 0xFFFF_FFFF_0000_0000 | UInt64(number + 1)
  }

  @inlinable func reserve(bytes size: Int) {
    if size > bytes.count { bytes = bytes.grown(to: max(size, bytes.count * 2), zero: 0) }
    guard count == entries.count else { return }
    entries = entries.grown(to: count * 2, zero: Self.none)
    cells = Memory(count: count * 4, zero: 0)
    for number in 0..<count { place(number) }
  }
}

extension Memory {
  /// Returns a larger copy.
  @inlinable package func grown(to size: Int, zero: Element) -> Memory {
    let larger = Memory(count: size, zero: zero)
    larger.start.update(from: start, count: count)
    return larger
  }
}

extension UnsafeMutableRawPointer {
  @inlinable func copyMemory(from bytes: UnsafeRawBufferPointer) {
    if let start = bytes.baseAddress { copyMemory(from: start, byteCount: bytes.count) }
  }
}

/// Numbers distinct pairs of words 0, 1, 2, … in the order of their arrival.
@usableFromInline
package final class PairTable {
  @usableFromInline static let initialCells = 1_024

  @exclusivity(unchecked) @usableFromInline var cells = Memory<UInt32>(count: PairTable.initialCells, zero: 0)
  @exclusivity(unchecked) @usableFromInline var pairs = Memory<Pair>(
    count: PairTable.initialCells / 2, zero: Pair(first: 0, second: 0))
  /// The number of pairs.
  @exclusivity(unchecked) @usableFromInline package var count = 0

  /// Creates an empty table.
  package init() {}

  /// A pair of words.
  @usableFromInline
  package struct Pair: BitwiseCopyable {
    /// The first word.
    @usableFromInline package var first: UInt64
    /// The second word.
    @usableFromInline package var second: UInt64

    /// Creates a pair.
    @inlinable package init(first: UInt64, second: UInt64) { (self.first, self.second) = (first, second) }
  }

  /// Returns the pair with a number.
  @inlinable package func pair(_ number: Int) -> Pair { pairs[number] }

  /// Returns the number of a pair, and true if it is new.
  @inlinable @inline(__always)
  package func number(_ first: UInt64, _ second: UInt64) -> (Int, isNew: Bool) {
    let mask = cells.count - 1
    var cell = Int(truncatingIfNeeded: mixed(first, second)) & mask
    while cells[cell] != 0 {
      let number = Int(cells[cell]) - 1
      if pairs[number].second == second, pairs[number].first == first { return (number, false) }
      cell = (cell + 1) & mask
    }
    return (insert(Pair(first: first, second: second)), true)
  }

  /// Returns the number of a pair; `nil` if it isn't in the table.
  @inlinable @inline(__always)
  package func find(_ first: UInt64, _ second: UInt64) -> Int? {
    let mask = cells.count - 1
    var cell = Int(truncatingIfNeeded: mixed(first, second)) & mask
    while cells[cell] != 0 {
      let number = Int(cells[cell]) - 1
      if pairs[number].second == second, pairs[number].first == first { return number }
      cell = (cell + 1) & mask
    }
    return nil
  }

  /// Removes all pairs.
  @inlinable package func removeAll() {
    guard count > 0 else { return }
    count = 0
    if cells.count > 1 << 16 {
      // Clearing a table that a burst made huge would cost too much every half second.
      cells = Memory(count: Self.initialCells, zero: 0)
      pairs = Memory(count: Self.initialCells / 2, zero: Pair(first: 0, second: 0))
    } else {
      cells.start.update(repeating: 0, count: cells.count)
    }
  }

  @inlinable func insert(_ pair: Pair) -> Int {
    if count == pairs.count {
      pairs = pairs.grown(to: count * 2, zero: Pair(first: 0, second: 0))
      cells = Memory(count: count * 4, zero: 0)
      for number in 0..<count { place(number) }
    }
    pairs[count] = pair
    count += 1
    place(count - 1)
    return count - 1
  }

  @inlinable func place(_ number: Int) {
    let mask = cells.count - 1
    var cell = Int(truncatingIfNeeded: mixed(pairs[number].first, pairs[number].second)) & mask
    while cells[cell] != 0 { cell = (cell + 1) & mask }
    cells[cell] = UInt32(number + 1)
  }
}
