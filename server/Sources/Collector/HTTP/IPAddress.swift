import NIOCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An IPv4 or IPv6 address. An IPv4 client on a socket for both (`::ffff:192.0.2.1`) has an IPv4 address.
struct IPAddress: Sendable, Hashable {
  /// Four bytes or sixteen.
  let bytes: [UInt8]

  /// Reads an address as people write it; `nil` for anything else, an address with a port included.
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

  /// The address of a socket; `nil` when it has none, as those in the file system.
  init?(_ address: SocketAddress?) {
    guard let text = address?.ipAddress else { return nil }
    self.init(text)
  }

  /// By what the shares of clients are told apart: an IPv4 address, or the first half of an IPv6 address, since whoever
  /// has one of those has all with the same first half.
  var share: String {
    guard bytes.count == 16 else { return bytes.map { String($0) }.joined(separator: ".") }
    return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
  }
}
