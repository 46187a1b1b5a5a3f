import Foundation

/// The mail server, and the login there.
package struct MailServer: Sendable {
  /// The address for libcurl, without the query.
  let url: String
  /// True if nothing may be sent without TLS; always true for `smtps://`.
  let requiresTLS: Bool
  package var user: String?
  package var password: String?
  /// A PEM file with the certificates of the authorities to trust; `nil` for those of the system.
  package var authorities: String?

  /// Parses `smtp://HOST:PORT`, which needs STARTTLS, or `smtps://HOST:PORT`. A server on the same machine needs no
  /// TLS, nor does one with `?tls=none`; with `?tls=required` every server needs it.
  ///
  /// Throws ``OutgoingError`` with code `invalid`.
  package init(_ text: String) throws(OutgoingError) {
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      scheme == "smtp" || scheme == "smtps", let host = parts.host, !host.isEmpty,
      host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), parts.user == nil, parts.password == nil,
      parts.path.isEmpty || parts.path == "/", parts.fragment == nil
    else {
      throw OutgoingError(
        .invalid, "Enter the address of a mail server such as smtp://mail.example.org:587 or smtps://mail.example.org.")
    }
    url = "\(scheme)://\(host)\(parts.port.map { ":\($0)" } ?? "")"
    let isHere = ["localhost", "127.0.0.1", "[::1]", "::1"].contains(host)
    switch parts.query {
    case nil: requiresTLS = scheme == "smtps" || !isHere
    case "tls=none" where scheme == "smtp": requiresTLS = false
    case "tls=required": requiresTLS = true
    default:
      throw OutgoingError(
        .invalid, "After the address of a mail server, enter ?tls=required, ?tls=none (with smtp:// only) or nothing.")
    }
  }
}
