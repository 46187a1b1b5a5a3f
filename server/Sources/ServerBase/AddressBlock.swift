/// An address, or all addresses with the same prefix: `192.0.2.7`, `10.0.0.0/8`, `fd00::/8`.
package struct AddressBlock: Sendable, Hashable {
  private let address: IPAddress
  /// The length of the prefix in bits.
  private let bits: Int

  /// Parses a block, or returns `nil` if it is invalid. Bits of the address beyond the prefix are ignored.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = parts.first.flatMap({ IPAddress($0) }) else { return nil }
    let width = address.bytes.count * 8
    var bits = width
    if parts.count == 2 {
      guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(parts[1]) else { return nil }
      // The first 96 bits of an IPv4 address in IPv6 form are always the same.
      bits = width == 32 && parts[0].contains(":") ? number - 96 : number
    }
    guard (0...width).contains(bits) else { return nil }
    self.address = address
    self.bits = bits
  }

  /// Returns true if an address is in the block.
  package func contains(_ other: IPAddress) -> Bool {
    guard other.bytes.count == address.bytes.count else { return false }
    let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
    guard other.bytes.prefix(whole) == address.bytes.prefix(whole) else { return false }
    return rest == 0 || (other.bytes[whole] ^ address.bytes[whole]) >> (8 - rest) == 0
  }
}
