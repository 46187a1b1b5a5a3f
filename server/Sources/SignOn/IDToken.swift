import JSON
import Outgoing
import TernEvents

/// A provider's proof that a person has just signed in there to use this server (OpenID Connect Core §2).
package struct IDToken: Sendable {
  /// The difference that is tolerated between the provider's clock and this one.
  static let leeway = 60.0

  /// The provider.
  package let issuer: String
  /// The person's identifier at the provider, which never changes and is never reused.
  package let subject: String
  /// The person's mail address; `nil` if the provider hasn't verified it.
  package private(set) var verifiedEmail: String?
  private let claims: ProviderJSON
  private var information: ProviderJSON?

  /// Checks the claims of a token whose signature has been checked (OpenID Connect Core §3.1.3.7).
  ///
  /// Throws ``SignOnError`` with code `token`.
  init(
    _ token: SignedToken, for provider: ProviderSettings, nonce: String, now: Timestamp
  ) throws(SignOnError) {
    let claims = token.claims
    func require(_ isTrue: Bool, _ message: String) throws(SignOnError) {
      guard isTrue else { throw SignOnError(.token, message) }
    }
    try require(claims.text("iss") == provider.issuer, "The token is from another issuer.")
    let audience = claims.texts("aud") ?? []
    try require(audience.contains(provider.clientID), "The token is for another client.")
    let party = claims.text("azp")
    try require(audience.count == 1 || party != nil, "The token is for several clients and doesn't say for which.")
    try require(!claims.has("azp") || party == provider.clientID, "The token was issued to another client.")
    let time = Double(now.millisecondsSince1970) / 1_000
    guard let end = claims.number("exp"), let start = claims.number("iat") else {
      throw SignOnError(.token, "The token doesn't say when it was issued and when it expires.")
    }
    try require(time < end + Self.leeway, "The token has expired. Compare the clocks of this server and the provider.")
    let begin = max(start, claims.number("nbf") ?? start)
    try require(
      begin <= time + Self.leeway, "The token is from the future. Compare the clocks of this server and the provider.")
    try require(claims.text("nonce") == nonce, "The token is for another sign-in.")
    guard let subject = claims.text("sub"), (1...255).contains(subject.utf8.count) else {
      throw SignOnError(.token, "The token doesn't say who signs in.")
    }
    // C libraries read a text up to a NUL: the subject would be another person's.
    try require(
      !subject.unicodeScalars.contains { $0.properties.generalCategory == .control },
      "The person's identifier in the token (`sub`) has control characters.")
    (issuer, self.subject, self.claims) = (provider.issuer, subject, claims)
    verifiedEmail = Self.verifiedEmail(in: claims, provider)
  }

  /// True if the token lacks a claim that decides who is let in: many providers tell such claims only to those who ask
  /// (OpenID Connect Core §5.4).
  func isIncomplete(for provider: ProviderSettings) -> Bool {
    !claims.has("email") || (!provider.rules.isEmpty && !claims.has(provider.claim))
  }

  /// Adds the claims of the UserInfo endpoint. Those of the token take precedence.
  ///
  /// - Throws: ``SignOnError`` with code `token` if they are about another person (OpenID Connect Core §5.3.2).
  mutating func add(_ information: ProviderJSON, for provider: ProviderSettings) throws(SignOnError) {
    guard information.text("sub") == subject else {
      throw SignOnError(.token, "The provider's information is about another person than the token.")
    }
    self.information = information
    // Only the document that has the address may say that it is verified.
    if !claims.has("email") { verifiedEmail = Self.verifiedEmail(in: information, provider) }
  }

  private static func verifiedEmail(in claims: ProviderJSON, _ provider: ProviderSettings) -> String? {
    // Some providers send a text. If the claim is missing, anyone could have typed the address.
    let isVerified = claims["email_verified"] == .boolean(true) || claims.text("email_verified") == "true"
    let isTrusted = provider.trustsEmail && !claims.has("email_verified")
    // Only a mail address counts, so that a provider can't name the account "owner".
    return isVerified || isTrusted ? claims.text("email").flatMap { MailAddress($0) }?.text : nil
  }

  /// The values of a claim that is a text or a list of texts.
  package func values(_ claim: String) -> Set<String> {
    Set((claims.has(claim) ? claims : information)?.texts(claim) ?? [])
  }
}
