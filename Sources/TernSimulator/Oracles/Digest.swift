/// A hash of everything that happened (FNV-1a): runs that differ anywhere have different digests.
package struct Digest: Sendable, Hashable {
  package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  package init() {}

  package mutating func mix(_ number: UInt64) {
    value = (value ^ number) &* 0x0000_0100_0000_01B3
    // FNV-1a is designed for bytes: with whole words, the upper bits must be folded down.
    value ^= value >> 29
  }

  package mutating func mix(_ text: String) {
    for byte in text.utf8 { mix(UInt64(byte)) }
  }
}
