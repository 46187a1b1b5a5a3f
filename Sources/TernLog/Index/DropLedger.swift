import TernBase
package import TernEvents

/// The numbers of delivered events, of dropped ones by reason, and of drops that the server knows, and the file that keeps
/// them across launches.
///
/// The file has two slots that are written in turn, so that a torn write leaves the previous counts.
package struct DropLedger {
  package static let fileName = "drops"
  static let slotBytes = 512
  package static let fileBytes = 2 * slotBytes
  /// "TDRP" in the order of the bytes.
  private static let magic: UInt32 = 0x5052_4454

  /// The name of the number of delivered events in the file. Names of reasons have no colon.
  private static let deliveredName = ":delivered"
  /// The prefix of a reason's name in the file if its number counts reported drops.
  private static let reportedPrefix = "reported:"

  /// The drops by reason.
  package private(set) var counts: [DropReason: Int] = [:]
  /// The drops that have been reported to the server, by reason. They are kept here so that a process that adopts
  /// another's drops does not report them again.
  package private(set) var reported: [DropReason: Int] = [:]
  /// The number of events delivered to the server.
  package private(set) var delivered = 0
  /// True if the file is not up to date.
  var isDirty = false
  private var sequence: UInt64 = 0

  mutating func add(_ reason: DropReason, _ number: Int) {
    guard number > 0 else { return }
    counts[reason] = (counts[reason] ?? 0).addingSaturated(number)
    isDirty = true
    countDropped()
  }

  mutating func addReported(_ reason: DropReason, _ number: Int) {
    guard number > 0 else { return }
    reported[reason] = (reported[reason] ?? 0).addingSaturated(number)
    isDirty = true
  }

  /// Subtracts events that were counted before.
  mutating func remove(_ reason: DropReason, _ number: Int) {
    guard number > 0, let count = counts[reason] else { return }
    counts[reason] = count > number ? count - number : nil
    isDirty = true
    countDropped()
  }

  /// Subtracts drops that were counted as reported.
  mutating func removeReported(_ reason: DropReason, _ number: Int) {
    guard number > 0, let count = reported[reason] else { return }
    reported[reason] = count > number ? count - number : nil
    isDirty = true
  }

  mutating func add(_ other: DropLedger) {
    for (reason, number) in other.counts { add(reason, number) }
    for (reason, number) in other.reported { addReported(reason, number) }
    addDelivered(other.delivered)
  }

  mutating func addDelivered(_ number: Int) {
    guard number > 0 else { return }
    delivered = delivered.addingSaturated(number)
    isDirty = true
  }

  /// All events that left without being delivered; kept up to date, since each append reads it.
  private(set) var dropped = 0

  private mutating func countDropped() { dropped = counts.values.saturatingSum }

  /// Adds the stored counts and continues their sequence.
  mutating func merge(_ stored: DropLedger) {
    let wasDirty = isDirty
    add(stored)
    sequence = max(sequence, stored.sequence)
    isDirty = wasDirty
  }

  /// Returns the counts to write to the next slot; they count as saved from now on.
  mutating func beginSave() -> DropLedger {
    sequence += 1
    isDirty = false
    return self
  }

  /// The bytes and the offset of the slot; if not all reasons fit, the rarest are left out.
  var slot: (bytes: [UInt8], offset: Int) {
    var bytes = [UInt8](repeating: 0, count: Self.slotBytes)
    var position = 20
    var entries: UInt16 = 0
    var all = counts.map { (name: $0.key.description, number: $0.value) }
    all += reported.map { (Self.reportedPrefix + $0.key.description, $0.value) }
    if delivered > 0 { all.append((Self.deliveredName, delivered)) }
    let ordered = all.sorted { ($0.number, $1.name) > ($1.number, $0.name) }
    bytes.withUnsafeMutableBytes { buffer in
      guard let target = buffer.baseAddress else { return }
      for (name, number) in ordered {
        let name = Array(name.utf8.prefix(255))
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

  /// Reads the file's bytes: the newer intact slot, or nothing if both are damaged.
  package init(file: UnsafeRawBufferPointer) {
    for start in [0, Self.slotBytes] where start + Self.slotBytes <= file.count {
      let slot = UnsafeRawBufferPointer(rebasing: file[start..<start + Self.slotBytes])
      guard let source = slot.baseAddress, source.get(UInt32.self, at: 0) == Self.magic,
        source.get(UInt32.self, at: 4) == Self.check(slot), source.get(UInt64.self, at: 8) > sequence,
        // No log writes a number this large; counting on from it could overflow.
        source.get(UInt64.self, at: 8) < UInt64.max / 2
      else { continue }
      sequence = source.get(UInt64.self, at: 8)
      (counts, reported, delivered) = ([:], [:], 0)
      for (name, number) in Self.entries(slot, count: Int(source.get(UInt16.self, at: 16))) {
        if name == Self.deliveredName {
          delivered = number
        } else if name.hasPrefix(Self.reportedPrefix) {
          reported[DropReason(String(name.dropFirst(Self.reportedPrefix.count)))] = number
        } else {
          counts[DropReason(name)] = number
        }
      }
      countDropped()
    }
  }

  private static func entries(_ slot: UnsafeRawBufferPointer, count: Int) -> [String: Int] {
    guard let source = slot.baseAddress else { return [:] }
    var entries: [String: Int] = [:]
    var position = 20
    for _ in 0..<count where position + 9 <= slotBytes {
      let length = Int(source.get(UInt8.self, at: position + 8))
      guard position + 9 + length <= slotBytes else { break }
      let name = String(decoding: slot[position + 9..<position + 9 + length], as: UTF8.self)
      entries[name] = Int(clamping: source.get(UInt64.self, at: position))
      position += 9 + length
    }
    return entries
  }

  private static func check(_ slot: UnsafeRawBufferPointer) -> UInt32 {
    Checksum.of(UnsafeRawBufferPointer(rebasing: slot[8...]))
  }
}
