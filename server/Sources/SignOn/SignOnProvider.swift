import Cryptography
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
  /// A code that no provider has given, as long as a verifier must be.
  private static let madeUp = String(repeating: "tern-check.", count: 4)
  /// The time for one request to the provider.
  package static let timeout = Duration.seconds(10)

  /// The operator's settings.
  package let settings: ProviderSettings
  private let exchange: Exchange
  private let wallTime: @Sendable () -> Timestamp
  // One key per process: a restart invalidates sign-ins in progress, so finished ones don't have to be stored.
  private let key: [UInt8]
  private let metadata: SharedFetch<ProviderMetadata>
  private let keys: SharedFetch<SigningKeys>
  private let finished = Locked(FinishedAttempts())

  /// Creates a provider. Nothing is requested before someone signs in.
  package init(
    _ settings: ProviderSettings, key: [UInt8] = RandomKey.make(), exchange: @escaping Exchange,
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
    let (text, accessToken) = try await tokens(code, attempt.verifier, redirect, description)
    let signed = try SignedToken(parsing: text)
    try await verify(signed)
    var token = try IDToken(signed, for: settings, nonce: attempt.nonce, now: wallTime())
    if token.isIncomplete(for: settings), let address = description.userInfoEndpoint, let accessToken {
      let bytes = try await Self.get(
        address, settings, exchange, "information about the person", ["Authorization: Bearer \(accessToken)"])
      try token.add(try ProviderJSON(bytes, .provider, "The provider's information about the person"), for: settings)
    }
    return token
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

  /// Checks that the provider accepts the client's ID and secret: it looks at them before it refuses a made-up code.
  ///
  /// - Parameter redirect: The same address as for ``begin(redirect:next:)``.
  package func checkClient(redirect: String) async throws(SignOnError) {
    let answer = try await tokenAnswer(Self.madeUp, Self.madeUp, redirect, try await description())
    let error = Self.error(of: answer)
    guard answer.status != 401, error != "invalid_client", error != "unauthorized_client" else {
      throw SignOnError(
        .provider,
        "The provider doesn't accept the client's ID, its secret or the address to which it sends people back: "
          + "it answered \(Self.summary(of: answer)).")
    }
    guard (400..<500).contains(answer.status), error != nil else {
      throw SignOnError(
        .provider,
        "The provider's token endpoint answered \(Self.summary(of: answer)), which doesn't say whether it accepts the "
          + "client's ID and secret.")
    }
  }

  private func tokens(
    _ code: String, _ verifier: String, _ redirect: String, _ description: ProviderMetadata
  ) async throws(SignOnError) -> (id: String, access: String?) {
    let answer = try await tokenAnswer(code, verifier, redirect, description)
    guard answer.status == 200 else {
      throw SignOnError(
        .provider, "The provider's token endpoint answered \(Self.summary(of: answer)).")
    }
    let tokens = try ProviderJSON(answer.body, .provider, "The token endpoint's answer")
    guard let token = tokens.text("id_token") else {
      throw SignOnError(.provider, "The token endpoint's answer has no id_token.")
    }
    // It becomes part of a header.
    let access = tokens.text("access_token").flatMap { text in
      text.utf8.count <= SignedToken.maximumBytes && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? text : nil
    }
    return (token, access)
  }

  private func tokenAnswer(
    _ code: String, _ verifier: String, _ redirect: String, _ description: ProviderMetadata
  ) async throws(SignOnError) -> WebAnswer {
    var fields = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect), ("code_verifier", verifier),
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
    return try await Self.answer(request, exchange, "token")
  }
}

extension SignOnProvider {
  private static func get(
    _ address: String, _ settings: ProviderSettings, _ exchange: Exchange, _ subject: String,
    _ headers: [String] = []
  ) async throws(SignOnError) -> [UInt8] {
    let answer = try await answer(request(address, settings, .get, headers), exchange, subject)
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

  /// Returns the error that an answer names.
  private static func error(of answer: WebAnswer) -> String? {
    (try? ProviderJSON(answer.body, .provider, "The answer"))?.text("error")
  }

  private static func summary(of answer: WebAnswer) -> String {
    "\(answer.status)" + (error(of: answer).map { " " + SignOnText.line($0) } ?? "")
  }

  private static func form(_ fields: [(String, String)]) -> String {
    fields.map { "\($0.0)=\(PercentCoding.encode($0.1))" }.joined(separator: "&")
  }
}
