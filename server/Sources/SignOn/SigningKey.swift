import Crypto
import CryptoExtras
import Foundation
import Questions
import ServerBase

/// The algorithms with which a provider may sign. `none` and algorithms with a shared secret aren't among them.
enum SigningAlgorithm: String, Sendable, CaseIterable {
  case rs256 = "RS256"
  case rs384 = "RS384"
  case rs512 = "RS512"
  case ps256 = "PS256"
  case ps384 = "PS384"
  case ps512 = "PS512"
  case es256 = "ES256"
  case es384 = "ES384"
  case es512 = "ES512"
  case edDSA = "EdDSA"

  /// True if an RSA signature is padded as PSS, instead of as in PKCS #1 v1.5.
  var hasPSS: Bool { self == .ps256 || self == .ps384 || self == .ps512 }
}

/// A provider's public key (RFC 7517).
struct SigningKey: Sendable {
  private enum Key: Sendable {
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
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
    // Some providers leave out leading zeros, against RFC 7518 §6.2.1.2.
    func coordinate(_ name: String, _ length: Int) -> [UInt8]? {
      guard let value = bytes(name), value.count <= length else { return nil }
      return Array(repeating: 0, count: length - value.count) + value
    }
    func point(_ length: Int) -> [UInt8]? {
      guard let x = coordinate("x", length), let y = coordinate("y", length) else { return nil }
      return [4] + x + y
    }
    var algorithms: Set<SigningAlgorithm>
    switch (json.text("kty"), json.text("crv")) {
    case ("RSA", _):
      guard let modulus = bytes("n").map({ Array($0.drop { $0 == 0 }) }), Self.modulusBytes.contains(modulus.count),
        let exponent = bytes("e"), (1...8).contains(exponent.count),
        let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
      else { return nil }
      (self.key, algorithms) = (.rsa(key), [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512])
    case ("EC", "P-256"):
      guard let point = point(32), let key = try? P256.Signing.PublicKey(x963Representation: point) else { return nil }
      (self.key, algorithms) = (.p256(key), [.es256])
    case ("EC", "P-384"):
      guard let point = point(48), let key = try? P384.Signing.PublicKey(x963Representation: point) else { return nil }
      (self.key, algorithms) = (.p384(key), [.es384])
    case ("EC", "P-521"):
      guard let point = point(66), let key = try? P521.Signing.PublicKey(x963Representation: point) else { return nil }
      (self.key, algorithms) = (.p521(key), [.es512])
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
      let digest: any Digest
      switch algorithm {
      case .rs256, .ps256: digest = SHA256.hash(data: bytes)
      case .rs384, .ps384: digest = SHA384.hash(data: bytes)
      case .rs512, .ps512: digest = SHA512.hash(data: bytes)
      case .es256, .es384, .es512, .edDSA: return false
      }
      return key.isValidSignature(
        _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest,
        padding: algorithm.hasPSS ? .PSS : .insecurePKCS1v1_5)
    case .p256(let key):
      guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
      return key.isValidSignature(signature, for: bytes)
    case .p384(let key):
      guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
      return key.isValidSignature(signature, for: bytes)
    case .p521(let key):
      guard let signature = try? P521.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
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
