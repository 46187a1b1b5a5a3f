import JSON

/// A provider's description of itself (OpenID Connect Discovery §3).
package struct ProviderMetadata: Sendable {
  /// The page on which people sign in.
  let authorizationEndpoint: String
  /// The address that exchanges codes for tokens.
  let tokenEndpoint: String
  let keysAddress: String
  /// The address that tells more about a person (OpenID Connect Core §5.3); `nil` if there is none.
  let userInfoEndpoint: String?
  /// The page on which people sign out; `nil` if there is none.
  package let endSessionEndpoint: String?
  /// True if the provider's answers name their issuer, which tells them from another provider's (RFC 9207).
  let namesItself: Bool
  /// True if the client's secret goes into the body, because the provider doesn't read it from the header.
  let wantsSecretInBody: Bool

  /// Parses a description; throws ``SignOnError`` with code `provider` if it isn't this provider's or can't be used.
  package init(parsing bytes: [UInt8], for provider: ProviderSettings) throws(SignOnError) {
    let json = try ProviderJSON(bytes, .provider, "The provider's description")
    let issuer = json.text("issuer") ?? ""
    guard issuer == provider.issuer else {
      throw SignOnError(
        .provider,
        "The provider names itself \"\(SignOnText.line(issuer))\". The setting \"issuer\" must be exactly that.")
    }
    func endpoint(_ name: String) throws(SignOnError) -> String? {
      guard json.has(name) else { return nil }
      guard let address = json.text(name), provider.accepts(address) else {
        throw SignOnError(.provider, "\"\(name)\" in the provider's description must be an https address.")
      }
      return address
    }
    guard let authorization = try endpoint("authorization_endpoint"), let token = try endpoint("token_endpoint"),
      let keys = try endpoint("jwks_uri")
    else {
      throw SignOnError(
        .provider, "The provider's description lacks authorization_endpoint, token_endpoint or jwks_uri.")
    }
    (authorizationEndpoint, tokenEndpoint, keysAddress) = (authorization, token, keys)
    userInfoEndpoint = try endpoint("userinfo_endpoint")
    endSessionEndpoint = try endpoint("end_session_endpoint")
    namesItself = json["authorization_response_iss_parameter_supported"] == .boolean(true)
    // The default is the header.
    let methods = json.texts("token_endpoint_auth_methods_supported") ?? ["client_secret_basic"]
    wantsSecretInBody = !methods.contains("client_secret_basic") && methods.contains("client_secret_post")
  }
}
