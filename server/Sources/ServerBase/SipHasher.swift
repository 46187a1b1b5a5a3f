/// SipHash-2-4 (Aumasson and Bernstein, 2012), computed incrementally.
///
/// Swift's `Hasher` is unsuitable, because its seed differs in every process and these hashes are stored.
@usableFromInline
package struct SipHasher: Sendable {
  @usableFromInline var v0: UInt64
  @usableFromInline var v1: UInt64
  @usableFromInline var v2: UInt64
  @usableFromInline var v3: UInt64
  /// Up to seven bytes that do not fill a word yet, in little-endian order.
  @usableFromInline var tail: UInt64 = 0
  @usableFromInline var byteCount: UInt64 = 0

  /// Creates a hasher with a key.
  @inlinable package init(_ key0: UInt64, _ key1: UInt64) {
    v0 = key0 ^ 0x736f_6d65_7073_6575
    v1 = key1 ^ 0x646f_7261_6e64_6f6d
    v2 = key0 ^ 0x6c79_6765_6e65_7261
    v3 = key1 ^ 0x7465_6462_7974_6573
  }

  /// Appends a byte.
  @inlinable package mutating func append(byte: UInt8) {
    let shift = (byteCount & 7) * 8
    tail |= UInt64(byte) << shift
    byteCount &+= 1
    guard shift == 56 else { return }
    compress(tail)
    tail = 0
  }

  /// Appends eight bytes in little-endian order.
  @inlinable @inline(__always)
  package mutating func append(word: UInt64) {
    let shift = (byteCount & 7) * 8
    byteCount &+= 8
    guard shift > 0 else { return compress(word) }
    compress(tail | word << shift)
    tail = word >> (64 - shift)
  }

  /// Appends bytes.
  @inlinable package mutating func append(bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while bytes.count - offset >= 8 {
      append(word: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    guard offset < bytes.count else { return }
    var rest: UInt64 = 0
    for index in stride(from: bytes.count - 1, through: offset, by: -1) { rest = rest << 8 | UInt64(bytes[index]) }
    append(rest, byteCount: UInt64(bytes.count - offset))
  }

  /// Appends one to seven bytes, in little-endian order.
  @inlinable @inline(__always)
  mutating func append(_ bytes: UInt64, byteCount count: UInt64) {
    let filled = byteCount & 7
    byteCount &+= count
    tail |= bytes << (filled * 8)
    guard filled + count >= 8 else { return }
    compress(tail)
    tail = bytes >> (64 - filled * 8)
  }

  /// Appends a string and a byte that does not occur in UTF-8, so that adjacent strings cannot exchange characters.
  @inlinable package mutating func append(field: UnsafeRawBufferPointer) {
    append(bytes: field)
    append(byte: 0xFF)
  }

  /// Appends a string like bytes of a field.
  @inlinable package mutating func append(field: String) {
    var field = field
    field.withUTF8 { append(field: UnsafeRawBufferPointer($0)) }
  }

  /// Returns the hash of everything appended so far. More can be appended afterwards.
  @inlinable package func finished() -> UInt64 {
    var last = self
    let word = byteCount << 56 | tail
    last.compress(word)
    last.v2 ^= 0xFF
    for _ in 0..<4 { last.round() }
    return last.v0 ^ last.v1 ^ last.v2 ^ last.v3
  }

  @inlinable @inline(__always)
  mutating func compress(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  @inlinable @inline(__always)
  mutating func round() {
    v0 &+= v1
    v2 &+= v3
    v1 = Self.rotate(v1, 13) ^ v0
    v3 = Self.rotate(v3, 16) ^ v2
    v0 = Self.rotate(v0, 32)
    v2 &+= v1
    v0 &+= v3
    v1 = Self.rotate(v1, 17) ^ v2
    v3 = Self.rotate(v3, 21) ^ v0
    v2 = Self.rotate(v2, 32)
  }

  @inlinable @inline(__always)
  static func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 {
    word << bits | word >> (64 - bits)
  }
}
