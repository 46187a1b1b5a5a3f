package import NIOCore
import ServerBase

extension IPAddress {
  /// The address of a socket, or `nil` for a socket in the file system.
  package init?(_ address: SocketAddress?) {
    guard let text = address?.ipAddress else { return nil }
    self.init(text)
  }

  /// The key of a client's share of all limits: an IPv4 address, or the first half of an IPv6 address, because one
  /// client owns all addresses with the same first half.
  package var share: String {
    guard bytes.count == 16 else { return description }
    return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
  }
}
