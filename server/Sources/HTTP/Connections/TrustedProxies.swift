package import HTTPTypes
package import Hummingbird
import NIOCore
package import ServerBase

/// The proxies that may name the addresses of their clients.
package struct TrustedProxies: Sendable {
  let blocks: [AddressBlock]

  package init(_ blocks: [AddressBlock] = []) { self.blocks = blocks }

  package func contains(_ address: IPAddress) -> Bool { blocks.contains { $0.contains(address) } }

  /// Returns the client of a connection according to `X-Forwarded-For`.
  ///
  /// Each proxy appends the address of its own client. The header is therefore read from its end, for as long as
  /// entries come from trusted proxies. Earlier entries can be forged.
  ///
  /// - Parameters:
  ///   - peer: The other end of the connection.
  ///   - fields: The header's fields, in order.
  package func client(behind peer: IPAddress, _ fields: [String]) -> IPAddress {
    guard contains(peer) else { return peer }
    var client = peer
    for entry in fields.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }).reversed() {
      guard let address = Self.address(entry.trimmed) else { break }
      client = address
      guard contains(client) else { break }
    }
    return client
  }

  /// Returns the address of an entry. Some proxies add the port: `192.0.2.7:4711`, `[2001:db8::7]:4711`.
  private static func address(_ entry: String) -> IPAddress? {
    if entry.hasPrefix("["), let end = entry.firstIndex(of: "]") {
      return IPAddress(entry[entry.index(after: entry.startIndex)..<end])
    }
    let parts = entry.split(separator: ":", omittingEmptySubsequences: false)
    return parts.count == 2 ? IPAddress(parts[0]) : IPAddress(entry)
  }
}

/// Takes the client, protocol and user of a request from trusted proxies only: stores the client and the user in the context,
/// and corrects `X-Forwarded-Proto`, which anyone can send.
package struct ForwardedClients: RouterMiddleware {
  package typealias Context = CollectorContext

  let proxies: TrustedProxies
  let hasTLS: Bool
  let loginHeader: HTTPField.Name?

  /// - Parameters:
  ///   - hasTLS: True if this server uses TLS itself.
  ///   - loginHeader: The header in which trusted proxies name the person whom they have logged in; `nil` if they don't.
  package init(proxies: TrustedProxies, hasTLS: Bool, loginHeader: HTTPField.Name?) {
    (self.proxies, self.hasTLS, self.loginHeader) = (proxies, hasTLS, loginHeader)
  }

  package func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    var context = context
    let peer = IPAddress(context.channel.remoteAddress)
    var protocolName = hasTLS ? "https" : nil
    if let peer, proxies.contains(peer) {
      context.forwardedClient = proxies.client(behind: peer, request.headers[values: .forwardedFor])
      protocolName = request.headers[.forwardedProtocol] ?? protocolName
      // A proxy that appends to a client's own header instead of replacing it names two people, so no one.
      let names = loginHeader.map { request.headers[values: $0].joined(separator: ", ").trimmed } ?? ""
      if !names.isEmpty { context.proxyUser = names }
    }
    guard request.headers[.forwardedProtocol] != protocolName else { return try await next(request, context) }
    var head = request.head
    head.headerFields[.forwardedProtocol] = protocolName
    return try await next(Request(head: head, body: request.body), context)
  }
}
