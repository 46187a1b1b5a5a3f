package import TernEvents

/// How many events left, delivered or for which reason, and the file that remembers it over launches.
///
/// The file has two slots that are written in turn, so that a torn write leaves the count before it.
package struct DropLedger {
  package static let fileName = "drops"
  static let slotBytes = 512
  package static let fileBytes = 2 * slotBytes
  /// "TDRP" in the order of the bytes.
  private static let magic: UInt32 = 0x5052_4454

  /// How the file names the number of delivered events; a name with a colon is no reason of a drop.
  private static let deliveredName = DropReason(":delivered")

  package private(set) var counts: [DropReason: Int] = [:]
  /// Events that left because the server has them.
  package private(set) var delivered = 0
  /// There are counts that the file does not have yet.
  var isDirty = false
  private var sequence: UInt64 = 0

  mutating func add(_ reason: DropReason, _ number: Int) {
    guard number > 0 else { return }
    counts[reason] = (counts[reason] ?? 0).addingSaturated(number)
    isDirty = true
    if Self.isDrop(reason) { countDropped() }
  }

  /// Takes back what was counted before.
  mutating func remove(_ reason: DropReason, _ number: Int) {
    guard number > 0, let count = counts[reason] else { return }
    counts[reason] = count > number ? count - number : nil
    isDirty = true
    countDropped()
  }

  mutating func add(_ other: DropLedger) {
    for (reason, number) in other.counts { add(reason, number) }
    addDelivered(other.delivered)
  }

  mutating func addDelivered(_ number: Int) {
    guard number > 0 else { return }
    delivered = delivered.addingSaturated(number)
    isDirty = true
  }

  /// All events that left without being delivered; kept up to date, since each append asks for it.
  private(set) var dropped = 0

  private mutating func countDropped() {
    dropped = counts.lazy.filter { Self.isDrop($0.key) }.map(\.value).saturatingSum
  }

  /// Whether the name stands for drops, and not for a note that is kept beside them.
  static func isDrop(_ reason: DropReason) -> Bool { !reason.description.utf8.contains(UInt8(ascii: ":")) }

  /// Adds what was stored before, to be stored again behind it.
  mutating func merge(_ stored: DropLedger) {
    let wasDirty = isDirty
    add(stored)
    sequence = max(sequence, stored.sequence)
    isDirty = wasDirty
  }

  /// The bytes of the next slot and where they go; reasons that do not fit are left out, the rarest first.
  mutating func nextSlot() -> (bytes: [UInt8], offset: Int) {
    sequence += 1
    var bytes = [UInt8](repeating: 0, count: Self.slotBytes)
    var position = 20
    var entries: UInt16 = 0
    let all = counts.merging(delivered > 0 ? [Self.deliveredName: delivered] : [:]) { count, _ in count }
    let ordered = all.sorted { ($0.value, $1.key.description) > ($1.value, $0.key.description) }
    bytes.withUnsafeMutableBytes { buffer in
      guard let target = buffer.baseAddress else { return }
      for (reason, number) in ordered {
        let name = Array(reason.description.utf8.prefix(255))
        guard position + 9 + name.count <= Self.slotBytes else { continue }
        target.put(UInt64(number), at: position)
        target.put(UInt8(name.count), at: position + 8)
        for (index, byte) in name.enumerated() { target.put(byte, at: position + 9 + index) }
        position += 9 + name.count
        entries += 1
      }
      target.put(Self.magic, at: 0)
      target.put(sequence, at: 8)
      target.put(entries, at: 16)
      target.put(Self.check(UnsafeRawBufferPointer(buffer)), at: 4)
    }
    return (bytes, Int(sequence & 1) * Self.slotBytes)
  }

  init() {}

  /// Reads the file's bytes: the newer of the slots that check out, nothing when none does.
  package init(file: UnsafeRawBufferPointer) {
    for start in [0, Self.slotBytes] where start + Self.slotBytes <= file.count {
      let slot = UnsafeRawBufferPointer(rebasing: file[start..<start + Self.slotBytes])
      guard let source = slot.baseAddress, source.get(UInt32.self, at: 0) == Self.magic,
        source.get(UInt32.self, at: 4) == Self.check(slot), source.get(UInt64.self, at: 8) > sequence,
        // A number that cannot be counted on from was not written by a log.
        source.get(UInt64.self, at: 8) < UInt64.max / 2
      else { continue }
      sequence = source.get(UInt64.self, at: 8)
      counts = Self.entries(slot, count: Int(source.get(UInt16.self, at: 16)))
      delivered = counts.removeValue(forKey: Self.deliveredName) ?? 0
      countDropped()
    }
  }

  private static func entries(_ slot: UnsafeRawBufferPointer, count: Int) -> [DropReason: Int] {
    guard let source = slot.baseAddress else { return [:] }
    var counts: [DropReason: Int] = [:]
    var position = 20
    for _ in 0..<count where position + 9 <= slotBytes {
      let length = Int(source.get(UInt8.self, at: position + 8))
      guard position + 9 + length <= slotBytes else { break }
      let name = String(decoding: slot[position + 9..<position + 9 + length], as: UTF8.self)
      counts[DropReason(name)] = Int(clamping: source.get(UInt64.self, at: position))
      position += 9 + length
    }
    return counts
  }

  private static func check(_ slot: UnsafeRawBufferPointer) -> UInt32 {
    Checksum.of(UnsafeRawBufferPointer(rebasing: slot[8...]))
  }
}
