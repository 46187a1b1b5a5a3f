package import ServerBase

/// The addresses that webhooks may be sent to: those of the public internet, and those that the operator allows.
///
/// Without this rule, anyone who can add an alert could make the server talk to services that only it can reach.
package struct AddressPolicy: Sendable {
  /// The blocks that are allowed besides public addresses.
  package var allowed: [AddressBlock]

  package init(allowing allowed: [AddressBlock] = []) { self.allowed = allowed }

  /// Returns true for an address that may be connected to.
  package func accepts(_ address: IPAddress) -> Bool {
    allowed.contains { $0.contains(address) } || Self.isPublic(address)
  }

  /// Returns true for an address of the public internet (IANA's registries of special-purpose addresses).
  static func isPublic(_ address: IPAddress) -> Bool {
    if address.bytes.count == 4 { return !special.contains { $0.contains(address) } }
    // NAT64: the gateway connects to the IPv4 address inside.
    if translated.contains(where: { $0.contains(address) }) {
      return IPAddress(bytes: Array(address.bytes.suffix(4))).map(isPublic) ?? false
    }
    return global.contains { $0.contains(address) } && !special.contains { $0.contains(address) }
  }

  private static let translated = blocks(["64:ff9b::/96"])
  private static let global = blocks(["2000::/3"])
  private static let special = blocks([
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4",
    // The host of a virtual machine in Azure, which answers it alone.
    "168.63.129.16/32",
    // Teredo and other protocols, documentation, and 6to4, which has an IPv4 address inside.
    "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
  ])

  private static func blocks(_ texts: [String]) -> [AddressBlock] { texts.compactMap { AddressBlock($0) } }
}
