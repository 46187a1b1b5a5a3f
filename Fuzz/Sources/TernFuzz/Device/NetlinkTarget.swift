@testable import Tern

extension FuzzTarget {
  /// Datagrams of the kernel about the network, each behind a byte with its length; several change one table.
  static var netlink: FuzzTarget {
    FuzzTarget { input in
      // Other systems have no such messages, but run the tests.
      #if !canImport(Darwin)
        var table = NetlinkTable()
        _ = table.begin()
        var rest = input[...]
        while let length = rest.popFirst() {
          let datagram = Array(rest.prefix(Int(length)))
          rest = rest.dropFirst(datagram.count)
          _ = table.received(datagram)
        }
        // All of it as one, which may be longer.
        _ = table.received(Array(input))
        _ = table.lostMessages()
        precondition(table.interfaceCount <= 4_096)
      #endif
    }
  }
}
