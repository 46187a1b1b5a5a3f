#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An IPv4 or IPv6 address. An IPv4 client of a dual-stack socket (`::ffff:192.0.2.1`) has an IPv4 address.
package struct IPAddress: Sendable, Hashable {
  /// Four or sixteen bytes.
  package let bytes: [UInt8]

  /// Creates an address from its four or sixteen bytes, or returns `nil` for another number of bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    let isMapped =
      bytes.count == 16 && bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    self.bytes = isMapped ? Array(bytes[12...]) : bytes
  }

  /// Parses an address, or returns `nil` for anything else, including an address with a port.
  package init?(_ text: some StringProtocol) {
    let text = String(text)
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &bytes) == 1 {
      self.init(bytes: Array(bytes.prefix(4)))
    } else if inet_pton(AF_INET6, text, &bytes) == 1 {
      self.init(bytes: bytes)
    } else {
      return nil
    }
  }
}

extension IPAddress: CustomStringConvertible {
  /// The address as text; groups of zeros of IPv6 aren't shortened.
  package var description: String {
    guard bytes.count == 16 else { return bytes.map { String($0) }.joined(separator: ".") }
    return stride(from: 0, to: 16, by: 2).map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
      .joined(separator: ":")
  }
}
