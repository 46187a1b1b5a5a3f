import NIOCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension SocketAddress {
  /// By what the shares of clients are told apart: an IPv4 address, or the first half of an IPv6 address, since whoever
  /// has one of those has all with the same first half.
  var clientShare: String {
    guard let text = ipAddress else { return "" }
    var bytes = [UInt8](repeating: 0, count: 16)
    guard case .v6 = self, inet_pton(AF_INET6, text, &bytes) == 1 else { return text }
    // An IPv4 client on a socket for both.
    if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
      return bytes[12...].map { String($0) }.joined(separator: ".")
    }
    return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
  }
}
