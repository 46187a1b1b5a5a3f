import Foundation

/// An address that webhooks are sent to: `https://example.org/hook?key=…`.
package struct WebAddress: Sendable, Hashable {
  /// The longest address, in bytes.
  static let maximumBytes = 2_000

  package let text: String
  /// The host, in lowercase.
  let host: String
  private let origin: String

  /// Parses an absolute http or https address. User names, passwords and fragments aren't allowed.
  package init?(_ text: String) {
    // libcurl parses the address again, so characters on which parsers disagree are refused.
    guard text.utf8.count <= Self.maximumBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      !text.utf8.contains(where: { "\"<>\\^`{|}#@".utf8.contains($0) }),
      let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      scheme == "http" || scheme == "https", let host = parts.host, !host.isEmpty
    else { return nil }
    self.text = text
    self.host = host.lowercased()
    origin = "\(scheme)://\(host)\(parts.port.map { ":\($0)" } ?? "")"
  }

  /// The address without its path, which often is a secret.
  package var shown: String { origin + "/…" }

  /// The name of the receiver: of one, many addresses may be known.
  package var receiver: String { origin.lowercased() }

  /// Removes the path and the query from a text, such as an answer that repeats them.
  func removed(from text: String) -> String {
    guard let parts = URLComponents(string: self.text) else { return text }
    let secrets = [parts.percentEncodedPath, parts.percentEncodedQuery ?? ""].filter { !$0.isEmpty && $0 != "/" }
    return secrets.reduce(text) { $0.replacing($1, with: "…") }
  }
}
