/// A running CRC-32C (Castagnoli), eight bytes a step.
struct Checksum {
  private var register: UInt32 = ~0

  /// The checksum of the bytes added so far.
  var value: UInt32 { ~register }

  /// The checksum of a byte sequence.
  static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var checksum = Checksum()
    checksum.add(bytes)
    return checksum.value
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    guard var position = bytes.baseAddress else { return }
    let tables = Tables.shared.pointer
    var remaining = bytes.count
    while remaining >= 8 {
      add(UInt64(littleEndian: position.loadUnaligned(as: UInt64.self)), tables)
      position += 8
      remaining -= 8
    }
    while remaining > 0 {
      add(position.load(as: UInt8.self), tables)
      position += 1
      remaining -= 1
    }
  }

  /// Adds eight bytes, the least significant first.
  mutating func add(_ word: UInt64) {
    add(word, Tables.shared.pointer)
  }

  /// Adds four bytes, the least significant first.
  mutating func add(_ word: UInt32) {
    for shift in [0, 8, 16, 24] { add(UInt8(truncatingIfNeeded: word >> shift), Tables.shared.pointer) }
  }

  @inline(__always)
  private mutating func add(_ byte: UInt8, _ tables: UnsafePointer<UInt32>) {
    register = register >> 8 ^ tables[Int((register ^ UInt32(byte)) & 0xFF)]
  }

  @inline(__always)
  private mutating func add(_ word: UInt64, _ tables: UnsafePointer<UInt32>) {
    let mixed = word ^ UInt64(register)
    // Two independent halves, since the table lookups dominate.
    let low =
      tables[0x700 + Int(mixed & 0xFF)] ^ tables[0x600 + Int(mixed >> 8 & 0xFF)]
      ^ tables[0x500 + Int(mixed >> 16 & 0xFF)] ^ tables[0x400 + Int(mixed >> 24 & 0xFF)]
    let high =
      tables[0x300 + Int(mixed >> 32 & 0xFF)] ^ tables[0x200 + Int(mixed >> 40 & 0xFF)]
      ^ tables[0x100 + Int(mixed >> 48 & 0xFF)] ^ tables[Int(mixed >> 56)]
    register = low ^ high
  }
}

/// The lookup tables. `@unchecked Sendable` because nothing writes to them after `init`.
private final class Tables: @unchecked Sendable {
  static let shared = Tables()
  let pointer: UnsafePointer<UInt32>

  private init() {
    let tables = UnsafeMutablePointer<UInt32>.allocate(capacity: 8 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ 0x82F6_3B78 }
      tables[byte] = value
    }
    for index in 256..<8 * 256 {
      let previous = tables[index - 256]
      tables[index] = previous >> 8 ^ tables[Int(previous & 0xFF)]
    }
    pointer = UnsafePointer(tables)
  }
}
