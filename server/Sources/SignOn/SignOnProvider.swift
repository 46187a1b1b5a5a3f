package import Crypto
import Foundation
package import Outgoing
import TernBase
package import TernEvents

/// A provider with which people sign in (OpenID Connect, authorization code with PKCE).
package final class SignOnProvider: Sendable {
  /// Performs a request.
  package typealias Exchange = @Sendable (WebRequest) async throws(OutgoingError) -> WebAnswer

  /// The longest time for which a provider's description and keys are used, even if a key was withdrawn meanwhile.
  static let maximumAge = Duration.seconds(3_600)
  /// The shortest time between two requests for the keys because a token names an unknown one.
  static let rotationPause = Duration.seconds(60)
  /// The time for one request to the provider.
  package static let timeout = Duration.seconds(10)

  /// The operator's settings.
  package let settings: ProviderSettings
  private let exchange: Exchange
  private let wallTime: @Sendable () -> Timestamp
  // One key per process: a restart invalidates sign-ins in progress, so finished ones don't have to be stored.
  private let key: SymmetricKey
  private let metadata: SharedFetch<ProviderMetadata>
  private let keys: SharedFetch<SigningKeys>
  private let finished = Locked(FinishedAttempts())

  /// Creates a provider. Nothing is requested before someone signs in.
  package init(
    _ settings: ProviderSettings, key: SymmetricKey = SymmetricKey(size: .bits256), exchange: @escaping Exchange,
    wallTime: @escaping @Sendable () -> Timestamp, uptime: @escaping @Sendable () -> Duration
  ) {
    (self.settings, self.exchange, self.wallTime, self.key) = (settings, exchange, wallTime, key)
    let metadata = SharedFetch(uptime: uptime) { () async throws(SignOnError) -> ProviderMetadata in
      let bytes = try await Self.get(settings.metadataAddress, settings, exchange, "description")
      return try ProviderMetadata(parsing: bytes, for: settings)
    }
    self.metadata = metadata
    keys = SharedFetch(uptime: uptime) { () async throws(SignOnError) -> SigningKeys in
      let address = try await metadata.value(notOlderThan: Self.maximumAge).keysAddress
      return try SigningKeys(parsing: try await Self.get(address, settings, exchange, "keys"))
    }
  }

  /// Returns the provider's description of itself.
  package func description() async throws(SignOnError) -> ProviderMetadata {
    try await metadata.value(notOlderThan: Self.maximumAge)
  }

  /// Begins a sign-in, and returns it with the address of the provider's page.
  ///
  /// - Parameters:
  ///   - redirect: The address to which the provider sends the browser back.
  ///   - next: The page to open afterwards.
  package func begin(
    redirect: String, next: String
  ) async throws(SignOnError) -> (attempt: SignInAttempt, address: String) {
    let endpoint = try await description().authorizationEndpoint
    var generator = SystemRandomNumberGenerator()
    let attempt = SignInAttempt(provider: settings.id, next: next, key: key, now: wallTime(), using: &generator)
    let query = Self.form([
      ("response_type", "code"), ("client_id", settings.clientID), ("redirect_uri", redirect),
      ("scope", settings.scopes.joined(separator: " ")), ("state", attempt.state), ("nonce", attempt.nonce),
      ("code_challenge", attempt.challenge), ("code_challenge_method", "S256"),
    ])
    return (attempt, endpoint + (endpoint.contains("?") ? "&" : "?") + query)
  }

  /// Returns the sign-in that a browser's cookie holds.
  package func attempt(cookie: String) -> SignInAttempt? {
    SignInAttempt(cookie: cookie, provider: settings.id, key: key, now: wallTime())
  }

  /// Finishes a sign-in with the provider's answer, and returns the proof of who signs in. Works once per sign-in.
  ///
  /// - Parameters:
  ///   - state: The parameter `state` of the answer.
  ///   - issuer: Its parameter `iss`, if it has one.
  ///   - redirect: The same address as for ``begin(redirect:next:)``.
  package func finish(
    _ attempt: SignInAttempt, code: String, state: String, issuer: String?, redirect: String
  ) async throws(SignOnError) -> IDToken {
    guard attempt.matches(state: state), finished.withLock({ $0.insert(attempt, now: wallTime()) }) else {
      throw SignOnError(.attempt, "The answer belongs to another sign-in, or was used before.")
    }
    let description = try await description()
    guard issuer == settings.issuer || (issuer == nil && !description.namesItself) else {
      throw SignOnError(.attempt, "The answer is from another provider.")
    }
    let token = try SignedToken(parsing: try await idToken(code, attempt, redirect, description))
    try await verify(token)
    return try IDToken(token, for: settings, nonce: attempt.nonce, now: wallTime())
  }

  /// Returns the page on which people sign out of the provider, if there is one.
  ///
  /// - Parameter redirect: The address to which the provider may send the browser back.
  package func signOutAddress(redirect: String) async -> String? {
    guard let endpoint = try? await description().endSessionEndpoint else { return nil }
    let query = Self.form([("client_id", settings.clientID), ("post_logout_redirect_uri", redirect)])
    return endpoint + (endpoint.contains("?") ? "&" : "?") + query
  }

  private func verify(_ token: SignedToken) async throws(SignOnError) {
    var candidates = try await keys.value(notOlderThan: Self.maximumAge).keys(for: token)
    // Providers change their keys without notice.
    if candidates.isEmpty { candidates = try await keys.value(notOlderThan: Self.rotationPause).keys(for: token) }
    guard !candidates.isEmpty else { throw SignOnError(.token, "The token is signed with a key that isn't known.") }
    guard token.isSigned(by: candidates) else { throw SignOnError(.token, "The token's signature is wrong.") }
  }

  private func idToken(
    _ code: String, _ attempt: SignInAttempt, _ redirect: String, _ description: ProviderMetadata
  ) async throws(SignOnError) -> String {
    var fields = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect),
      ("code_verifier", attempt.verifier),
    ]
    var headers = ["Content-Type: application/x-www-form-urlencoded"]
    if description.wantsSecretInBody {
      fields += [("client_id", settings.clientID), ("client_secret", settings.clientSecret)]
    } else {
      // Both are escaped before they are joined (RFC 6749 §2.3.1).
      let pair = "\(PercentCoding.encode(settings.clientID)):\(PercentCoding.encode(settings.clientSecret))"
      headers.append("Authorization: Basic \(Data(pair.utf8).base64EncodedString())")
    }
    let request = Self.request(
      description.tokenEndpoint, settings, .post(body: Array(Self.form(fields).utf8)), headers)
    let answer = try await Self.answer(request, exchange, "token")
    guard answer.status == 200 else {
      let reason = (try? ProviderJSON(answer.body, .provider, "The answer"))?.text("error") ?? ""
      throw SignOnError(
        .provider, "The provider's token endpoint answered \(answer.status) \(SignOnText.line(reason)).")
    }
    guard let token = try ProviderJSON(answer.body, .provider, "The token endpoint's answer").text("id_token") else {
      throw SignOnError(.provider, "The token endpoint's answer has no id_token.")
    }
    return token
  }
}

extension SignOnProvider {
  private static func get(
    _ address: String, _ settings: ProviderSettings, _ exchange: Exchange, _ subject: String
  ) async throws(SignOnError) -> [UInt8] {
    let answer = try await answer(request(address, settings, .get, []), exchange, subject)
    guard answer.status == 200 else {
      throw SignOnError(.provider, "The provider's \(subject) can't be fetched: it answered \(answer.status).")
    }
    return answer.body
  }

  private static func request(
    _ address: String, _ settings: ProviderSettings, _ method: WebRequest.Method, _ headers: [String]
  ) -> WebRequest {
    WebRequest(
      address: address, method: method, headers: ["Accept: application/json"] + headers,
      authorities: settings.authorities)
  }

  private static func answer(
    _ request: WebRequest, _ exchange: Exchange, _ subject: String
  ) async throws(SignOnError) -> WebAnswer {
    do throws(OutgoingError) { return try await exchange(request) } catch {
      throw SignOnError(.provider, "The provider's \(subject) can't be fetched: \(error.message)")
    }
  }

  private static func form(_ fields: [(String, String)]) -> String {
    fields.map { "\($0.0)=\(PercentCoding.encode($0.1))" }.joined(separator: "&")
  }
}
