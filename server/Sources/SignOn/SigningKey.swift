import Crypto
import CryptoExtras
import Foundation
import Questions

/// The algorithms with which a provider may sign. `none` and algorithms with a shared secret aren't among them.
enum SigningAlgorithm: String, Sendable, CaseIterable {
  case rs256 = "RS256"
  case ps256 = "PS256"
  case es256 = "ES256"
  case edDSA = "EdDSA"
}

/// A provider's public key (RFC 7517).
struct SigningKey: Sendable {
  private enum Key: Sendable {
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)
  }

  /// The name by which tokens refer to the key.
  let id: String?
  /// The algorithms with which the key may be used.
  let algorithms: Set<SigningAlgorithm>
  private let key: Key

  /// RSA keys of 2,048 to 8,192 bits: shorter ones are insecure, and longer ones take too much time.
  private static let modulusBytes = 256...1_024

  /// Reads a key; `nil` for one that isn't for signatures, or is of another kind.
  init?(_ json: ProviderJSON) {
    if let use = json.text("use"), use != "sig" { return nil }
    if let operations = json.texts("key_ops"), !operations.contains("verify") { return nil }
    func bytes(_ name: String) -> [UInt8]? { json.text(name).flatMap { Base64URL.decode($0) } }
    var algorithms: Set<SigningAlgorithm>
    switch (json.text("kty"), json.text("crv")) {
    case ("RSA", _):
      guard let modulus = bytes("n").map({ Array($0.drop { $0 == 0 }) }), Self.modulusBytes.contains(modulus.count),
        let exponent = bytes("e"), (1...8).contains(exponent.count),
        let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
      else { return nil }
      (self.key, algorithms) = (.rsa(key), [.rs256, .ps256])
    case ("EC", "P-256"):
      guard let x = bytes("x"), let y = bytes("y"), x.count == 32, y.count == 32,
        let key = try? P256.Signing.PublicKey(x963Representation: [4] + x + y)
      else { return nil }
      (self.key, algorithms) = (.p256(key), [.es256])
    case ("OKP", "Ed25519"):
      guard let x = bytes("x"), let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x) else { return nil }
      (self.key, algorithms) = (.ed25519(key), [.edDSA])
    default: return nil
    }
    if let only = json.text("alg") { algorithms.formIntersection(SigningAlgorithm(rawValue: only).map { [$0] } ?? []) }
    guard !algorithms.isEmpty else { return nil }
    (id, self.algorithms) = (json.text("kid"), algorithms)
  }

  /// Returns true if the key's owner has signed the bytes.
  func hasSigned(_ bytes: [UInt8], _ signature: [UInt8], _ algorithm: SigningAlgorithm) -> Bool {
    guard algorithms.contains(algorithm) else { return false }
    switch key {
    case .rsa(let key):
      return key.isValidSignature(
        _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: bytes),
        padding: algorithm == .ps256 ? .PSS : .insecurePKCS1v1_5)
    case .p256(let key):
      guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
      return key.isValidSignature(signature, for: bytes)
    case .ed25519(let key): return key.isValidSignature(signature, for: bytes)
    }
  }
}

/// The keys of a provider.
package struct SigningKeys: Sendable {
  private static let maximumCount = 100

  private let keys: [SigningKey]

  /// Reads a set of keys. Keys that can't be used are left out.
  package init(parsing bytes: [UInt8]) throws(SignOnError) {
    let json = try ProviderJSON(bytes, .provider, "The set of keys")
    guard case .array(let elements)? = json["keys"] else {
      throw SignOnError(.provider, "The set of keys has no member \"keys\".")
    }
    keys = elements.prefix(Self.maximumCount).compactMap { element in
      (try? ProviderJSON(element, .provider, "A key")).flatMap { SigningKey($0) }
    }
  }

  /// Returns the keys that a token may be signed with: those that it names, or the only one if it names none.
  func keys(for token: SignedToken) -> [SigningKey] {
    let suitable = keys.filter { $0.algorithms.contains(token.algorithm) }
    guard let id = token.keyID else { return suitable.count == 1 ? suitable : [] }
    return suitable.filter { $0.id == id }
  }
}
