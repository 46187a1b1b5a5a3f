import Foundation
package import Warehouse

/// The operator's settings for one provider.
package struct ProviderSettings: Sendable {
  /// A rule that gives rights to people with a value of a claim.
  package struct Rule: Sendable, Hashable {
    /// The value, such as the name of a group.
    package var value: String
    package var rights: ProvidedRights

    package init(value: String, rights: ProvidedRights) { (self.value, self.rights) = (value, rights) }
  }

  /// The name in addresses, such as `company`.
  package var id: String
  /// The name on the login page.
  package var name: String
  /// The provider's identifier, which is an address.
  package var issuer: String
  /// The name of this server at the provider.
  package var clientID: String
  /// The secret that proves that name.
  package var clientSecret: String
  /// The scopes to ask for.
  package var scopes = ["openid", "email", "profile"]
  /// True if people who have no account get one. Requires rules.
  package var createsUsers = false
  /// True if mail addresses count as verified unless the provider says otherwise.
  package var trustsEmail = false
  /// The claim that the rules are about.
  package var claim = "groups"
  /// The rules in order; the first that applies counts. Without rules, accounts keep the rights that they have.
  package var rules: [Rule] = []
  /// A PEM file with the certificates of the authorities to trust; `nil` for those of the system.
  package var authorities: String?

  package init(id: String, name: String, issuer: String, clientID: String, clientSecret: String) {
    (self.id, self.name, self.issuer) = (id, name, issuer)
    (self.clientID, self.clientSecret) = (clientID, clientSecret)
  }

  /// The address of the provider's description of itself.
  var metadataAddress: String {
    (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
  }

  /// Returns true for an address to which people and secrets may be sent: https, or http if the issuer's is http.
  func accepts(_ address: String) -> Bool {
    guard address.utf8.count <= 2_000, address.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      let parts = URLComponents(string: address), parts.host?.isEmpty == false, parts.user == nil,
      parts.password == nil, parts.fragment == nil
    else { return false }
    let scheme = parts.scheme?.lowercased()
    return scheme == "https" || (scheme == "http" && issuer.lowercased().hasPrefix("http://"))
  }

  /// The effect of a token's claims on the rights of the account.
  package enum Entitlement: Sendable, Hashable {
    /// The account keeps its rights.
    case unchanged
    /// The account gets these rights.
    case rights(ProvidedRights)
    /// No rule applies, and the person isn't let in.
    case none
  }

  /// Applies the rules to a token's claims.
  package func entitlement(_ token: IDToken) -> Entitlement {
    guard !rules.isEmpty else { return .unchanged }
    let values = token.values(claim)
    return rules.first { values.contains($0.value) }.map { .rights($0.rights) } ?? .none
  }
}
