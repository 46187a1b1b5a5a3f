import Cryptography
import Foundation
import ServerBase
package import TernEvents

/// A sign-in that was begun in a browser and isn't finished.
///
/// The browser keeps it in a cookie, so that the server has nothing to store for people who never come back. The values
/// that the provider gets are derived from it with the server's key; the browser can neither change nor guess them.
package struct SignInAttempt: Sendable {
  /// The time in which a sign-in must be finished.
  package static let lifetime = Duration.seconds(600)
  private static let randomBytes = 24

  /// The random part, which is never used twice.
  let random: [UInt8]
  /// The time until which it can be finished.
  let expires: Timestamp
  /// The page to open afterwards.
  package let next: String
  private let payload: String
  private let key: [UInt8]

  /// Begins a sign-in.
  ///
  /// - Parameters:
  ///   - provider: The provider's id.
  ///   - next: The page to open afterwards.
  package init(
    provider: String, next: String, key: [UInt8], now: Timestamp, using generator: inout some RandomNumberGenerator
  ) {
    random = (0..<Self.randomBytes).map { _ in .random(in: .min ... .max, using: &generator) }
    expires = now + Self.lifetime
    (self.next, self.key) = (next, key)
    payload = Self.payload(provider, random, expires, next)
  }

  /// Parses the cookie; `nil` if this server didn't issue it for this provider, or if it has expired.
  package init?(cookie: String, provider: String, key: [UInt8], now: Timestamp) {
    let parts = cookie.utf8.count <= 4_096 ? cookie.split(separator: ".", omittingEmptySubsequences: false) : []
    guard parts.count == 4, let random = Base64URL.decode(parts[0]), random.count == Self.randomBytes,
      let end = Int64(parts[1]),
      let next = Base64URL.decode(parts[2]).flatMap({ String(validating: $0, as: UTF8.self) }),
      let code = Base64URL.decode(parts[3])
    else { return nil }
    (self.random, expires) = (random, Timestamp(millisecondsSince1970: end))
    (self.next, self.key) = (next, key)
    payload = Self.payload(provider, random, expires, next)
    guard
      ConstantTime.areEqual(code, Self.code("cookie", payload, key)),
      now < expires
    else { return nil }
  }

  private static func payload(_ provider: String, _ random: [UInt8], _ expires: Timestamp, _ next: String) -> String {
    "\(provider):\(Base64URL.encode(random)).\(expires.millisecondsSince1970).\(Base64URL.encode(next.utf8))"
  }

  /// The value of the cookie.
  package var cookie: String {
    "\(payload.drop { $0 != ":" }.dropFirst()).\(derived("cookie"))"
  }

  /// The parameter `state`, which comes back with the code and fits only this cookie.
  package var state: String { derived("state") }
  /// The parameter `nonce`, which comes back in the token.
  var nonce: String { derived("nonce") }
  /// The secret of PKCE, which is sent to the token endpoint (RFC 7636).
  var verifier: String { derived("verifier") }
  /// The parameter `code_challenge` with the method S256.
  var challenge: String { Base64URL.encode(HashFunction.sha256.hash(verifier.utf8)) }

  /// Returns true if a provider's answer belongs to this sign-in. The comparison takes constant time.
  func matches(state: String) -> Bool {
    Base64URL.decode(state).map { ConstantTime.areEqual($0, Self.code("state", payload, key)) } ?? false
  }

  private func derived(_ use: String) -> String { Base64URL.encode(Self.code(use, payload, key)) }

  private static func code(_ use: String, _ payload: String, _ key: [UInt8]) -> [UInt8] {
    HashFunction.sha256.authenticationCode(of: "\(use):\(payload)".utf8, key: key)
  }
}

/// The sign-ins that were finished, so that none is finished twice.
struct FinishedAttempts: Sendable {
  private static let maximumCount = 10_000

  private var ends: [[UInt8]: Timestamp] = [:]

  /// Adds a sign-in; returns false if it was finished before.
  mutating func insert(_ attempt: SignInAttempt, now: Timestamp) -> Bool {
    guard ends[attempt.random] == nil else { return false }
    if ends.count >= Self.maximumCount {
      ends = ends.filter { $0.value > now }
      // The provider refuses a used code as well.
      if ends.count >= Self.maximumCount, let first = ends.min(by: { $0.value < $1.value }) { ends[first.key] = nil }
    }
    ends[attempt.random] = attempt.expires
    return true
  }
}
