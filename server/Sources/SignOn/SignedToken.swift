import JSON
import ServerBase

/// A signed JSON web token in its compact form (RFC 7515, RFC 7519), whose signature isn't checked yet.
package struct SignedToken: Sendable {
  /// The longest token, in bytes. Some providers list hundreds of groups.
  static let maximumBytes = 32 << 10

  let algorithm: SigningAlgorithm
  /// The name of the key; `nil` if the token doesn't name one.
  let keyID: String?
  /// The claims, which are to be believed only after the signature is verified.
  let claims: ProviderJSON
  private let signedBytes: [UInt8]
  private let signature: [UInt8]

  /// Parses a token; throws ``SignOnError`` with code `token` if it can't be one that a provider has signed.
  package init(parsing text: String) throws(SignOnError) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= Self.maximumBytes, parts.count == 3, let header = Base64URL.decode(parts[0]),
      let claims = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
    else { throw SignOnError(.token, "The token isn't a signed JSON web token of at most 32 KiB.") }
    let json = try ProviderJSON(header, .token, "The token's header")
    let name = json.text("alg") ?? ""
    guard let algorithm = SigningAlgorithm(rawValue: name) else {
      let known = SigningAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
      throw SignOnError(.token, "The token is signed with \"\(name.prefix(20))\"; allowed are \(known).")
    }
    // Access tokens and logout tokens have types of their own; an ID token has JWT or none.
    guard (json.text("typ") ?? "JWT").uppercased() == "JWT" else {
      throw SignOnError(.token, "The token is of another type.")
    }
    guard !json.has("crit"), !json.has("enc") else {
      throw SignOnError(.token, "The token needs an extension that isn't supported.")
    }
    self.algorithm = algorithm
    keyID = json.text("kid")
    self.claims = try ProviderJSON(claims, .token, "The token's content")
    signedBytes = Array("\(parts[0]).\(parts[1])".utf8)
    self.signature = signature
  }

  /// Returns true if one of the keys has signed the token.
  func isSigned(by keys: [SigningKey]) -> Bool { keys.contains { $0.hasSigned(signedBytes, signature, algorithm) } }
}
