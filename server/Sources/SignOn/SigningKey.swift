import Cryptography
import JSON
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

  /// The hash and padding of an RSA signature; `nil` for an elliptic curve.
  var rsa: (HashFunction, PublicKey.Padding)? {
    switch self {
    case .rs256: (.sha256, .pkcs1)
    case .rs384: (.sha384, .pkcs1)
    case .rs512: (.sha512, .pkcs1)
    case .ps256: (.sha256, .pss)
    case .ps384: (.sha384, .pss)
    case .ps512: (.sha512, .pss)
    case .es256, .es384, .es512, .edDSA: nil
    }
  }
}

/// A provider's public key (RFC 7517).
struct SigningKey: Sendable {
  /// The name by which tokens refer to the key.
  let id: String?
  /// The algorithms with which the key may be used.
  let algorithms: Set<SigningAlgorithm>
  private let key: PublicKey

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
    func elliptic(_ curve: PublicKey.Curve) -> PublicKey? {
      guard let x = coordinate("x", curve.byteCount), let y = coordinate("y", curve.byteCount) else { return nil }
      return PublicKey(curve, x: x, y: y)
    }
    var algorithms: Set<SigningAlgorithm>
    let key: PublicKey?
    switch (json.text("kty"), json.text("crv")) {
    case ("RSA", _):
      guard let modulus = bytes("n").map({ Array($0.drop { $0 == 0 }) }), Self.modulusBytes.contains(modulus.count),
        let exponent = bytes("e"), (1...8).contains(exponent.count)
      else { return nil }
      key = PublicKey(modulus: modulus, exponent: exponent)
      algorithms = [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
    case ("EC", "P-256"): (key, algorithms) = (elliptic(.p256), [.es256])
    case ("EC", "P-384"): (key, algorithms) = (elliptic(.p384), [.es384])
    case ("EC", "P-521"): (key, algorithms) = (elliptic(.p521), [.es512])
    case ("OKP", "Ed25519"): (key, algorithms) = (bytes("x").flatMap { PublicKey(ed25519: $0) }, [.edDSA])
    default: return nil
    }
    if let only = json.text("alg") { algorithms.formIntersection(SigningAlgorithm(rawValue: only).map { [$0] } ?? []) }
    guard let key, !algorithms.isEmpty else { return nil }
    (id, self.algorithms, self.key) = (json.text("kid"), algorithms, key)
  }

  /// Returns true if the key's owner has signed the bytes.
  func hasSigned(_ bytes: [UInt8], _ signature: [UInt8], _ algorithm: SigningAlgorithm) -> Bool {
    guard algorithms.contains(algorithm) else { return false }
    guard let (hash, padding) = algorithm.rsa else { return key.isValidSignature(signature, for: bytes) }
    return key.isValidSignature(signature, for: bytes, hash: hash, padding: padding)
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
