import Foundation

/// The mail server, and the login there.
package struct MailServer: Sendable {
  /// The address for libcurl, without the query.
  let url: String
  /// Says when TLS protects a mail.
  package enum Protection: Sendable {
    /// Never: the mail server's TLS doesn't work.
    case none
    /// If the server offers it. Its certificate doesn't matter, because nothing would do as well.
    case offered
    /// Always, with a trusted certificate.
    case required
  }

  /// The need for TLS; always `required` for `smtps://`.
  let protection: Protection
  package var user: String?
  package var password: String?
  /// A PEM file with the certificates of the authorities to trust; `nil` for those of the system.
  package var authorities: String?

  /// Parses `smtp://HOST:PORT`, which needs STARTTLS, or `smtps://HOST:PORT`. A server on the same machine needs no
  /// TLS, but gets it if it offers it; with `?tls=required` every server needs it, and with `?tls=none` there is none.
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
    case nil: protection = scheme == "smtps" || !isHere ? .required : .offered
    case "tls=none" where scheme == "smtp": protection = .none
    case "tls=required": protection = .required
    default:
      throw OutgoingError(
        .invalid, "After the address of a mail server, enter ?tls=required, ?tls=none (with smtp:// only) or nothing.")
    }
  }
}
