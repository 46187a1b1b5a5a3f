import Cryptography

/// The token in an unsubscribe link. It proves that this server issued it, and identifies the recipient without
/// containing the email address.
package struct UnsubscribeToken: Sendable, Hashable {
  /// The number of the report.
  package let report: Int64
  /// The recipient, as ``tag(of:report:secret:)`` of the address.
  package let receiver: String

  private static let bytes = 16

  /// Makes the token of a recipient, which is always the same.
  package static func make(_ report: Int64, _ address: MailAddress, secret: [UInt8]) -> String {
    let tag = tag(of: address, report: report, secret: secret)
    return "\(report)-\(tag)-\(code("token", "\(report)-\(tag)", secret))"
  }

  /// Checks a token; `nil` if this server didn't issue it.
  package init?(_ text: String, secret: [UInt8]) {
    let parts = text.utf8.count <= 100 ? text.split(separator: "-", omittingEmptySubsequences: false) : []
    guard parts.count == 3, let report = Int64(parts[0]), report > 0 else { return nil }
    let expected = Self.code("token", "\(report)-\(parts[1])", secret)
    guard ConstantTime.areEqual(expected.utf8, parts[2].utf8) else { return nil }
    (self.report, receiver) = (report, String(parts[1]))
  }

  /// Returns true for the address of the token's recipient.
  package func isFor(_ address: MailAddress, secret: [UInt8]) -> Bool {
    ConstantTime.areEqual(Self.tag(of: address, report: report, secret: secret).utf8, receiver.utf8)
  }

  private static func tag(of address: MailAddress, report: Int64, secret: [UInt8]) -> String {
    code("receiver", "\(report)-\(address.text.lowercased())", secret)
  }

  private static func code(_ use: String, _ text: String, _ secret: [UInt8]) -> String {
    hexadecimal(HashFunction.sha256.authenticationCode(of: "\(use):\(text)".utf8, key: secret).prefix(bytes))
  }
}
