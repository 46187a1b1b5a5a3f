/// An email address in ASCII, without a display name: `someone@example.org`.
package struct MailAddress: Sendable, Hashable {
  package let text: String

  /// Parses an address. It is put into headers and SMTP commands, so characters that have a meaning there are refused.
  package init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2, (1...64).contains(parts[0].count), (1...189).contains(parts[1].count),
      parts[0].allSatisfy({ Self.isAllowed($0, also: ".!#$%&'*+-/=?^_`{|}~") }),
      parts[1].allSatisfy({ Self.isAllowed($0, also: ".-") }), parts[1].first != UInt8(ascii: "-")
    else { return nil }
    self.text = text
  }

  /// Parses an address, or throws ``OutgoingError`` with code `invalid`, which says what is wrong.
  package static func parse(_ text: String) throws(OutgoingError) -> MailAddress {
    if let address = MailAddress(text) { return address }
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    if parts.count == 2, !parts[0].utf8.allSatisfy({ $0 < 0x80 }) {
      throw OutgoingError(
        .invalid,
        "Letters such as ö before the @ aren't supported, because few mail servers take them (SMTPUTF8). Enter an address in "
          + "ASCII.")
    }
    if parts.count == 2, !parts[1].utf8.allSatisfy({ $0 < 0x80 }) {
      throw OutgoingError(
        .invalid,
        "Letters such as ü after the @ aren't supported. Enter the domain in its ASCII form, which begins with xn--.")
    }
    throw OutgoingError(.invalid, "Enter an email address such as someone@example.org, without a name.")
  }

  /// The part after the `@`.
  var domain: Substring { text[text.index(after: text.lastIndex(of: "@") ?? text.startIndex)...] }

  private static func isAllowed(_ byte: UInt8, also others: StaticString) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: others.withUTF8Buffer { $0.contains(byte) }
    }
  }
}
