import NIOCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An IPv4 or IPv6 address. An IPv4 client of a dual-stack socket (`::ffff:192.0.2.1`) has an IPv4 address.
struct IPAddress: Sendable, Hashable {
  /// Four or sixteen bytes.
  let bytes: [UInt8]

  /// Parses an address, or returns `nil` for anything else, including an address with a port.
  init?(_ text: some StringProtocol) {
    let text = String(text)
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &bytes) == 1 {
      self.bytes = Array(bytes.prefix(4))
    } else if inet_pton(AF_INET6, text, &bytes) == 1 {
      let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
      self.bytes = isMapped ? Array(bytes[12...]) : bytes
    } else {
      return nil
    }
  }

  /// The address of a socket, or `nil` for a socket in the file system.
  init?(_ address: SocketAddress?) {
    guard let text = address?.ipAddress else { return nil }
    self.init(text)
  }

  /// The key of a client's share of all limits: an IPv4 address, or the first half of an IPv6 address, because one
  /// client owns all addresses with the same first half.
  var share: String {
    guard bytes.count == 16 else { return bytes.map { String($0) }.joined(separator: ".") }
    return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
  }
}
