import TernEvents

/// The server's secret for deduplication keys.
///
/// Without a secret a client could craft an event whose hash equals another's and so suppress it. The secret must stay
/// the same for as long as stored hashes are compared: keep it with the data.
public struct DuplicateHashKey: Sendable, Hashable {
  /// The first half.
  public var first: UInt64
  /// The second half.
  public var second: UInt64

  /// Creates a key from its two halves.
  public init(_ first: UInt64, _ second: UInt64) {
    self.first = first
    self.second = second
  }

  /// Creates a key from sixteen bytes, as `bytes` gives them; `nil` for any other count.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    var halves: [UInt64] = [0, 0]
    for (position, byte) in bytes.enumerated() {
      halves[position / 8] |= UInt64(byte) << (UInt64(position % 8) * 8)
    }
    self.init(halves[0], halves[1])
  }

  /// Draws a new key.
  public static func random(using generator: inout some RandomNumberGenerator) -> DuplicateHashKey {
    DuplicateHashKey(generator.next(), generator.next())
  }

  /// The sixteen bytes of the key.
  public var bytes: [UInt8] {
    [first, second].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64($0 * 8)) } }
  }
}

/// Hashes the events of one install; their common part is absorbed once.
///
/// The hashed bytes, which may never change: the app (8 bytes, lowest first); install, type as texts, each followed by
/// 0xFF; a tag byte for the form of the id; the id.
struct InstallHasher: Sendable {
  private let prefix: SipHasher

  init(key: DuplicateHashKey, app: Int64, install: String) {
    var hasher = SipHasher(key.first, key.second)
    hasher.append(word: UInt64(bitPattern: app))
    hasher.append(field: install)
    prefix = hasher
  }

  /// The hash of an event whose id is a UUID, however it was written.
  func hash(type: UnsafeRawBufferPointer, id: UniqueID) -> Int64 {
    var hasher = prefix
    hasher.append(field: type)
    hasher.append(byte: 1)
    hasher.append(word: id.high)
    hasher.append(word: id.low)
    return Int64(bitPattern: hasher.finished())
  }

  /// The hash of an event named by a text, or by its own bytes where the protocol gives it no id.
  func hash(type: UnsafeRawBufferPointer, bytes: UnsafeRawBufferPointer) -> Int64 {
    var hasher = prefix
    hasher.append(field: type)
    hasher.append(byte: 2)
    hasher.append(bytes: bytes)
    return Int64(bitPattern: hasher.finished())
  }

  /// The number of a session: positive, and equal for equal names.
  func session(_ name: UnsafeRawBufferPointer) -> Int64 {
    var hasher = prefix
    hasher.append(byte: 0xFE)
    if let id = uniqueID(name) {
      hasher.append(word: id.high)
      hasher.append(word: id.low)
    } else {
      hasher.append(bytes: name)
    }
    // 0 means that there is no session.
    return max(Int64(hasher.finished() >> 1), 1)
  }
}
