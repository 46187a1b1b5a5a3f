import TernBase

/// The values of a query or a posted form, `name=value&…`. If a name is repeated, the last value counts.
///
/// Hummingbird's own query map neither decodes names nor reads `+` as a space.
package struct URLEncodedForm: Sendable {
  package private(set) var values: [String: String] = [:]

  package init(_ text: some StringProtocol) {
    for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      values[Self.text(name)] = Self.text(pair.dropFirst(name.count + 1))
    }
  }

  /// Decodes a name or value. NUL is replaced like invalid UTF-8, because it would end the text in C libraries: to SQLite,
  /// the name `carl%001` is `carl`.
  private static func text(_ bytes: some Collection<UInt8>) -> String {
    PercentCoding.decode(bytes).replacing("\0", with: "\u{FFFD}")
  }

  /// True if an address or form has a NUL.
  package static func hasNUL(_ text: String) -> Bool { PercentCoding.decode(text.utf8).utf8.contains(0) }

  package subscript(name: String) -> String? { values[name] }
}
