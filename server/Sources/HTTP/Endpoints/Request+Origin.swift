import HTTPTypes
import Hummingbird
import ServerBase

extension Request {
  /// The host and port as sent by the client, or `nil` if they contain anything else.
  var authority: String? {
    guard let authority = head.authority, (1...255).contains(authority.utf8.count) else { return nil }
    let isPlain = authority.utf8.allSatisfy { byte in
      (0x30...0x3A).contains(byte) || (0x41...0x5B).contains(byte) || (0x61...0x7A).contains(byte)
        || [0x2D, 0x2E, 0x5D, 0x5F].contains(byte)
    }
    return isPlain ? authority : nil
  }

  /// True if the client uses TLS, which this server or a trusted proxy terminates. ``ForwardedClients`` has corrected the
  /// field.
  package var isSecure: Bool {
    headers[.forwardedProtocol]?.lowercased() == "https"
  }

  /// The address of this server as the client sees it.
  package var serverAddress: String? { authority.map { "\(isSecure ? "https" : "http")://\($0)" } }

  /// True for a form or script of our own pages, or for a client that is not a browser.
  ///
  /// Browsers send `Sec-Fetch-Site` only to https and loopback addresses, but the origin to all.
  var isFromOwnOrigin: Bool {
    if let site = headers[.secFetchSite] { return site == "same-origin" || site == "none" }
    guard let origin = headers[.origin] else { return true }
    guard let authority, let start = origin.firstRange(of: "://")?.upperBound else { return false }
    return origin[start...].lowercased() == authority.lowercased()
  }

  /// The name of the session cookie. It differs by port, because browsers share cookies between all ports of a host.
  package var sessionCookieName: String {
    let port = authority?.split(separator: ":").last.flatMap { UInt16($0) }
    return port.map { "tern_session_\($0)" } ?? "tern_session"
  }

  /// Returns the value of a cookie, if present.
  package func cookie(named name: String) -> String? {
    for field in headers[values: .cookie] {
      for pair in field.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        if parts.count == 2, parts[0].trimmed == name { return parts[1].trimmed }
      }
    }
    return nil
  }

  /// The parameters of the query.
  package var parameters: [String: String] { URLEncodedForm(uri.query ?? "").values }

  /// The token of `Authorization: Bearer …`, if present.
  package var bearerToken: String? {
    guard let value = headers[.authorization], value.prefix(7).lowercased() == "bearer " else { return nil }
    return value.dropFirst(7).trimmed
  }
}
