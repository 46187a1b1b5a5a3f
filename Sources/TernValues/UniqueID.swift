/// A 16-byte identifier of an event, session or install, written as a UUID.
public struct UniqueID: Hashable, Sendable {
  /// The first eight bytes, most significant first.
  public var high: UInt64
  /// The last eight bytes, most significant first.
  public var low: UInt64

  /// Creates an identifier from its two halves, most significant byte first.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates a time-ordered identifier (UUID version 7, RFC 9562 §5.7).
  ///
  /// Identifiers of different milliseconds sort by time, which keeps an index over them local.
  public static func timeOrdered(at time: Timestamp, using generator: inout some RandomNumberGenerator) -> UniqueID {
    let milliseconds = UInt64(clamping: time.millisecondsSince1970) & 0xFFFF_FFFF_FFFF
    let chance = generator.next()
    return UniqueID(
      high: milliseconds << 16 | 0x7000 | (chance & 0x0FFF),
      low: generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }

  /// Creates a random identifier (UUID version 4).
  public static func random(using generator: inout some RandomNumberGenerator) -> UniqueID {
    UniqueID(
      high: generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
      low: generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }

  /// Parses a UUID of 36 characters in either case, or returns `nil` if it is invalid.
  public init?(_ text: some StringProtocol) {
    // Their bytes in one piece: each one of a generic text is a call.
    let parsed =
      text.utf8.withContiguousStorageIfAvailable { Self(ascii: $0) }
      ?? Array(text.utf8.prefix(Self.textBytes + 1)).withUnsafeBufferPointer { Self(ascii: $0) }
    guard let parsed else { return nil }
    self = parsed
  }

  private static let textBytes = 36

  private init?(ascii bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count == Self.textBytes else { return nil }
    var (halves, digits): ((UInt64, UInt64), Int) = ((0, 0), 0)
    for position in 0..<Self.textBytes {
      let byte = bytes[position]
      if position == 8 || position == 13 || position == 18 || position == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
      } else {
        guard let digit = hexadecimalDigit(byte) else { return nil }
        if digits < 16 { halves.0 = halves.0 << 4 | digit } else { halves.1 = halves.1 << 4 | digit }
        digits += 1
      }
    }
    self.init(high: halves.0, low: halves.1)
  }

  /// Calls `body` with each of the 36 ASCII bytes of the lowercase UUID, in order.
  @inlinable
  func forEachTextByte(_ body: (UInt8) -> Void) {
    for nibble in 0..<32 {
      if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 { body(0x2D) }
      let half = nibble < 16 ? high : low
      let value = UInt8(truncatingIfNeeded: half >> UInt64((15 - nibble & 15) * 4)) & 15
      body(value < 10 ? 0x30 + value : 0x57 + value)
    }
  }
}

extension UniqueID: Comparable {
  /// Orders identifiers like their text forms.
  public static func < (left: UniqueID, right: UniqueID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension UniqueID: CustomStringConvertible {
  /// The lowercase UUID.
  public var description: String {
    String(unsafeUninitializedCapacity: 36) { buffer in
      var count = 0
      forEachTextByte { byte in
        buffer[count] = byte
        count += 1
      }
      return count
    }
  }
}

private func hexadecimalDigit(_ byte: UInt8) -> UInt64? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
  case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
  case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
  default: nil
  }
}
