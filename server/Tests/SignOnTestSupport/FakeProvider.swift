import Cryptography
import Foundation
package import JSON
import Outgoing
package import SignOn
package import TernBase
package import TernEvents

/// An identity provider with pages, codes and tokens. Each part of its answers can be made false.
package final class FakeProvider: Sendable {
  /// An answer to a request.
  package struct Answer: Sendable {
    package var status = 200
    package var headers: [String: String] = [:]
    package var body: [UInt8] = []

    package init(status: Int = 200, headers: [String: String] = [:], body: [UInt8] = []) {
      (self.status, self.headers, self.body) = (status, headers, body)
    }
  }

  /// The behaviour.
  package struct State: Sendable {
    /// The keys with which tokens are signed: the last one.
    package var keys: [ForgedKey]
    /// The keys that are shown; `nil` for all.
    package var shownKeys: [ForgedKey]?
    /// Members that replace those of the description; `null` removes one.
    package var metadata: [String: JSONTree] = [:]
    /// Members that replace those of the token's header.
    package var header: [String: JSONTree] = [:]
    /// Claims that replace those of the token.
    package var claims: [String: JSONTree] = [:]
    /// The claims of the UserInfo endpoint; `nil` if the provider has no such endpoint.
    package var information: [String: JSONTree]?
    /// Answers that replace those at a path.
    package var answers: [String: Answer] = [:]
    /// True if codes may be used again.
    package var acceptsUsedCodes = false
    /// The paths that were requested, in order.
    package var requests: [String] = []
    fileprivate var codes: [String: [String: String]] = [:]
    fileprivate var usedCodes: Set<String> = []
  }

  /// The address.
  package let issuer: String
  package let state: Locked<State>
  private let now: @Sendable () -> Timestamp

  package init(issuer: String, keys: [ForgedKey] = [.p256("one")], now: @escaping @Sendable () -> Timestamp) {
    (self.issuer, self.now) = (issuer, now)
    state = Locked(State(keys: keys))
  }

  /// The settings for the provider.
  package var settings: ProviderSettings {
    ProviderSettings(id: "company", name: "Company & <Co>", issuer: issuer, clientID: "tern", clientSecret: "s:cret")
  }

  package func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

  /// Returns the number of requests for a path.
  package func count(_ path: String) -> Int { state.withLock { $0.requests.count { $0 == path } } }

  /// The provider as ``SignOnProvider`` reaches it, without a network.
  package var exchange: SignOnProvider.Exchange {
    { [self] request throws(OutgoingError) in
      let path = request.address.dropFirst(issuer.count)
      var body = ""
      if case .post(let bytes) = request.method { body = String(decoding: bytes, as: UTF8.self) }
      let authorization = request.headers.first { $0.hasPrefix("Authorization: ") }?.dropFirst(15)
      let answer = answer(String(path), body: body, authorization: authorization.map(String.init))
      return WebAnswer(status: answer.status, body: answer.body)
    }
  }

  /// Lets a person sign in on the page to which the browser was sent, and returns the parameters that come back.
  package func signIn(_ address: String) -> (code: String, state: String) {
    let fields = Self.fields(String(address.split(separator: "?", maxSplits: 1).last ?? ""))
    return state.withLock { state in
      let code = "code-\(state.codes.count)"
      state.codes[code] = fields
      return (code, fields["state"] ?? "")
    }
  }

  /// Answers a request.
  package func answer(_ path: String, body: String, authorization: String?) -> Answer {
    state.withLock { state in
      state.requests.append(path)
      if let answer = state.answers[path] { return answer }
      switch path {
      case "/.well-known/openid-configuration":
        let endpoint = state.information.map { _ in ("userinfo_endpoint", JSONTree.text(issuer + "/userinfo")) }
        return Answer(body: Self.json(metadata + [endpoint].compactMap { $0 }, state.metadata))
      case "/userinfo":
        guard authorization == "Bearer a" else { return Answer(status: 401) }
        return Answer(body: Self.json([("sub", .text("ann-1"))], state.information ?? [:]))
      case "/keys": return Answer(body: (try? ForgedKey.set(state.shownKeys ?? state.keys)) ?? [])
      case "/token": return token(body, authorization, &state)
      default: return Answer(status: 404)
      }
    }
  }

  private var metadata: [(String, JSONTree)] {
    [
      ("issuer", .text(issuer)), ("authorization_endpoint", .text(issuer + "/authorize")),
      ("token_endpoint", .text(issuer + "/token")), ("jwks_uri", .text(issuer + "/keys")),
      ("end_session_endpoint", .text(issuer + "/logout")),
    ]
  }

  private func token(_ body: String, _ authorization: String?, _ state: inout State) -> Answer {
    let form = Self.fields(body)
    let code = form["code"] ?? ""
    let client = Data("tern:s%3Acret".utf8).base64EncodedString()
    let isClient =
      authorization == "Basic \(client)" || (form["client_id"], form["client_secret"]) == ("tern", "s:cret")
    guard isClient else { return Answer(status: 401, body: Array(#"{"error":"invalid_client"}"#.utf8)) }
    guard let begun = state.codes[code], state.acceptsUsedCodes || !state.usedCodes.contains(code),
      form["grant_type"] == "authorization_code", begun["redirect_uri"] == form["redirect_uri"],
      begun["code_challenge_method"] == "S256",
      begun["code_challenge"] == ForgedKey.base64(HashFunction.sha256.hash((form["code_verifier"] ?? "").utf8))
    else { return Answer(status: 400, body: Array(#"{"error":"invalid_grant"}"#.utf8)) }
    state.usedCodes.insert(code)
    guard let key = state.keys.last, let token = try? token(key, nonce: begun["nonce"] ?? "", state) else {
      return Answer(status: 500)
    }
    return Answer(
      body: JSONTree.object([("access_token", .text("a")), ("token_type", .text("Bearer")), ("id_token", .text(token))])
        .encoded)
  }

  private func token(_ key: ForgedKey, nonce: String, _ state: State) throws -> String {
    let time = Double(now().millisecondsSince1970 / 1_000)
    return try key.token(
      header: Self.merged(
        [("alg", .text(key.algorithm)), ("kid", .text(key.id)), ("typ", .text("JWT"))], state.header),
      claims: Self.merged(
        [
          ("iss", .text(issuer)), ("aud", .text("tern")), ("sub", .text("ann-1")), ("iat", .number(time)),
          ("exp", .number(time + 300)), ("nonce", .text(nonce)), ("email", .text("ann@example.org")),
          ("email_verified", .boolean(true)),
        ], state.claims))
  }

  private static func json(_ members: [(String, JSONTree)], _ changes: [String: JSONTree]) -> [UInt8] {
    JSONTree.object(merged(members, changes)).encoded
  }

  private static func merged(
    _ members: [(String, JSONTree)], _ changes: [String: JSONTree]
  ) -> [(String, JSONTree)] {
    let kept =
      members.map { ($0.0, changes[$0.0] ?? $0.1) }
      + changes.filter { change in
        !members.contains { $0.0 == change.key }
      }.map { ($0.key, $0.value) }
    return kept.filter { $0.1 != .null }
  }

  /// Returns the fields of a form or query.
  package static func fields(_ text: String) -> [String: String] {
    Dictionary(
      text.split(separator: "&").map { pair in
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count == 2 ? String(parts[1]).removingPercentEncoding ?? "" : "")
      }, uniquingKeysWith: { $1 })
  }
}
