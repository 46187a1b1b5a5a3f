import ServerBase
import TernEvents

/// The server's secret for deduplication keys.
///
/// Without a secret, a client could craft an event whose hash equals another's and so suppress that event. The secret
/// must not change while stored hashes are compared: keep it with the data.
package struct DuplicateHashKey: Sendable, Hashable {
  /// The first half.
  package var first: UInt64
  /// The second half.
  package var second: UInt64

  /// Creates a key from its two halves.
  package init(_ first: UInt64, _ second: UInt64) {
    self.first = first
    self.second = second
  }

  /// Creates a key from sixteen bytes in the form of ``bytes``, or returns `nil` for any other number of bytes.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    var halves: [UInt64] = [0, 0]
    for (position, byte) in bytes.enumerated() {
      halves[position / 8] |= UInt64(byte) << (UInt64(position % 8) * 8)
    }
    self.init(halves[0], halves[1])
  }

  /// Generates a random key.
  package static func random(using generator: inout some RandomNumberGenerator) -> DuplicateHashKey {
    DuplicateHashKey(generator.next(), generator.next())
  }

  /// A text that identifies the key without revealing it.
  package var fingerprint: String {
    var hasher = SipHasher(first, second)
    for byte in "tern-export".utf8 { hasher.append(byte: byte) }
    return String(hasher.finished(), radix: 16)
  }

  /// Returns a hash of an app's text.
  ///
  /// - Parameter kind: Keeps equal texts of different kinds apart.
  package func hash(of text: String, kind: UInt8, app: Int64) -> Int64 {
    var hasher = SipHasher(first, second)
    hasher.append(word: UInt64(bitPattern: app))
    hasher.append(byte: kind)
    for byte in text.utf8 { hasher.append(byte: byte) }
    return Int64(bitPattern: hasher.finished())
  }

  /// The sixteen bytes of the key.
  package var bytes: [UInt8] {
    [first, second].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64($0 * 8)) } }
  }
}

/// Hashes the events of one install, absorbing their common part only once.
///
/// The hashed bytes must never change: the app (8 bytes, little-endian); install and type as text, each followed by
/// 0xFF; a tag byte for the form of the ID; the ID.
struct InstallHasher: Sendable {
  private let prefix: SipHasher

  init(key: DuplicateHashKey, app: Int64, install: String) {
    var hasher = SipHasher(key.first, key.second)
    hasher.append(word: UInt64(bitPattern: app))
    hasher.append(field: install)
    prefix = hasher
  }

  /// Returns the hash of an event whose ID is a UUID, in whatever form it was sent.
  func hash(type: UnsafeRawBufferPointer, id: UniqueID) -> Int64 {
    var hasher = prefix
    hasher.append(field: type)
    hasher.append(byte: 1)
    hasher.append(word: id.high)
    hasher.append(word: id.low)
    return Int64(bitPattern: hasher.finished())
  }

  /// Returns the hash of an event identified by text, or by its own bytes if the protocol gives it no ID.
  func hash(type: UnsafeRawBufferPointer, bytes: UnsafeRawBufferPointer) -> Int64 {
    var hasher = prefix
    hasher.append(field: type)
    hasher.append(byte: 2)
    hasher.append(bytes: bytes)
    return Int64(bitPattern: hasher.finished())
  }

  /// Returns the number of a session: positive, and equal for equal names.
  func session(_ name: UnsafeRawBufferPointer) -> Int64 {
    var hasher = prefix
    hasher.append(byte: 0xFE)
    if let id = uniqueID(name) {
      hasher.append(word: id.high)
      hasher.append(word: id.low)
    } else {
      hasher.append(bytes: name)
    }
    // 0 means "no session".
    return max(Int64(hasher.finished() >> 1), 1)
  }
}
