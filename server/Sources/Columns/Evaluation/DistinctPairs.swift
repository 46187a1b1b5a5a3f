import ServerBase

/// Distinct members of numbered sets: a bit per member while that is small, then a table of pairs.
final class DistinctPairs {
  private static let standardBitBytes = 64 << 20

  private let maximumBitBytes: Int
  /// One more than the largest member; `nil` if unknown.
  private let universe: Int?
  private var bits: [Memory<UInt64>?] = []
  /// Where the bits of each set are; `nil` if it has none. Looking there costs less than counting references to the memory.
  private let places = GrowingMemory<UnsafeMutablePointer<UInt64>?>()
  private var bitBytes = 0
  private var table: PairTable?
  private let counts = GrowingMemory<Int>()

  /// - Parameter parts: The number of sets like this that are filled at the same time.
  init(universe: Int?, parts: Int = 1) {
    self.universe = universe
    maximumBitBytes = Self.standardBitBytes / parts
    if universe == nil { table = PairTable() }
  }

  var byteCount: Int { bitBytes + (table?.count ?? 0) * 40 + counts.count * 8 }

  func count(_ set: Int) -> Int { set < counts.count ? counts.elements[set] : 0 }

  /// Adds a member to a set; returns true if it is new.
  @inline(__always)
  func insert(_ set: Int, _ member: UInt32) -> Bool {
    guard set < places.count, let words = places.elements[set] else { return insertSlowly(set, member) }
    let (word, bit) = (Int(member >> 6), UInt64(1) << UInt64(member & 63))
    if words[word] & bit != 0 { return false }
    words[word] |= bit
    counts.elements[set] += 1
    return true
  }

  private func insertSlowly(_ set: Int, _ member: UInt32) -> Bool {
    while set >= counts.count { counts.append(0) }
    if words(of: set) != nil { return insert(set, member) }
    guard let table, table.number(UInt64(set), UInt64(member)).isNew else { return false }
    counts.elements[set] += 1
    return true
  }

  /// The bits of a set; `nil` if members are in a table, as they are from now on if there is no room for more bits.
  private func words(of set: Int) -> Memory<UInt64>? {
    guard table == nil, let universe else { return nil }
    if set < bits.count, let words = bits[set] { return words }
    let count = universe / 64 + 1
    guard bitBytes + count * 8 <= maximumBitBytes else {
      moveToTable()
      return nil
    }
    while set >= bits.count { bits.append(nil) }
    let words = Memory<UInt64>(count: count, zero: 0)
    bits[set] = words
    while set >= places.count { places.append(nil) }
    places.elements[set] = words.start
    bitBytes += count * 8
    return words
  }

  private func moveToTable() {
    let table = PairTable()
    forEach { _ = table.number(UInt64($0), UInt64($1)) }
    bits = []
    places.truncate(to: 0)
    bitBytes = 0
    self.table = table
  }

  /// Calls `body` with each set and member.
  func forEach(_ body: (_ set: Int, _ member: Int) -> Void) {
    if let table {
      for index in 0..<table.count { body(Int(table.pair(index).first), Int(table.pair(index).second)) }
    }
    for (set, words) in bits.enumerated() {
      guard let words else { continue }
      for word in 0..<words.count {
        var rest = words[word]
        while rest != 0 {
          body(set, word * 64 + rest.trailingZeroBitCount)
          rest &= rest - 1
        }
      }
    }
  }

  /// Adds the members of another part.
  ///
  /// - Parameters:
  ///   - sets: The set here of each set there.
  ///   - members: The member here of each member there; `nil` if they are the same.
  ///   - didInsert: Receives each set and new member.
  func merge(
    _ other: DistinctPairs, sets: [Int], members: [Int]? = nil, didInsert: ((_ set: Int, _ member: UInt32) -> Void)?
  ) {
    guard members != nil || other.table != nil else {
      for (set, words) in other.bits.enumerated() {
        if let words { merge(words, into: sets[set], didInsert) }
      }
      return
    }
    other.forEach { set, member in
      let member = UInt32(members.map { $0[member] } ?? member)
      if insert(sets[set], member) { didInsert?(sets[set], member) }
    }
  }

  /// Adds the members with a bit, 64 at a time while this set has bits, too.
  private func merge(
    _ words: Memory<UInt64>, into set: Int, _ didInsert: ((_ set: Int, _ member: UInt32) -> Void)?
  ) {
    while set >= counts.count { counts.append(0) }
    let mine = self.words(of: set)
    for word in 0..<words.count {
      var rest = words[word]
      if let mine {
        rest &= ~mine[word]
        mine[word] |= rest
        counts.elements[set] += rest.nonzeroBitCount
        if didInsert == nil { continue }
      }
      while rest != 0 {
        let member = UInt32(word * 64 + rest.trailingZeroBitCount)
        if mine != nil || insert(set, member) { didInsert?(set, member) }
        rest &= rest - 1
      }
    }
  }
}
