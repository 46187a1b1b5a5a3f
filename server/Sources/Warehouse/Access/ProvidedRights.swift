/// The rights that an identity provider gives a person.
package struct ProvidedRights: Sendable, Hashable {
  package var role: Account.Role
  /// The apps of an editor or viewer; `nil` for all.
  package var apps: Set<AppID>?
  /// True if a viewer may read personal data.
  package var seesPersonalData: Bool

  package init(role: Account.Role, apps: Set<AppID>? = nil, seesPersonalData: Bool = false) {
    (self.role, self.apps, self.seesPersonalData) = (role, apps, seesPersonalData)
  }
}

/// A person as an identity provider names them.
package struct ProvidedIdentity: Sendable, Hashable {
  /// The provider.
  package var issuer: String
  /// The person's identifier there, which never changes.
  package var subject: String
  /// The person's mail address; `nil` unless the provider has verified it.
  package var verifiedEmail: String?

  /// Creates an identity.
  package init(issuer: String, subject: String, verifiedEmail: String? = nil) {
    (self.issuer, self.subject, self.verifiedEmail) = (issuer, subject, verifiedEmail)
  }
}

/// The account that a person signs in to, or the reason why there is none.
package enum SignInOutcome: Sendable, Hashable {
  case account(Account)
  /// The first sign-in needs a verified mail address.
  case unverifiedEmail
  /// No account has the mail address as its name.
  case noAccount(email: String)
  /// The account with that name belongs to someone else at the provider.
  case takenAccount(email: String)
}
