import Crypto
import CryptoExtras
import Foundation
package import Questions

/// A provider's private key, with which a test signs whatever it likes.
package struct ForgedKey: Sendable {
  private enum Key: Sendable {
    case rsa(_RSA.Signing.PrivateKey)
    case p256(P256.Signing.PrivateKey)
    case p384(P384.Signing.PrivateKey)
    case p521(P521.Signing.PrivateKey)
    case ed25519(Curve25519.Signing.PrivateKey)
  }

  /// The name of the key.
  package var id: String
  private let key: Key
  private var omitsLeadingZeros = false

  private init(_ id: String, _ key: Key) { (self.id, self.key) = (id, key) }

  // Making an RSA key takes a noticeable part of a second.
  private static let sharedRSA = try? _RSA.Signing.PrivateKey(keySize: .bits2048)

  /// The RSA key of all tests.
  package static func rsa(_ id: String) -> ForgedKey {
    guard let key = sharedRSA else { return p256(id) }
    return ForgedKey(id, .rsa(key))
  }

  package static func p256(_ id: String) -> ForgedKey { ForgedKey(id, .p256(P256.Signing.PrivateKey())) }
  package static func p384(_ id: String) -> ForgedKey { ForgedKey(id, .p384(P384.Signing.PrivateKey())) }
  package static func p521(_ id: String) -> ForgedKey { ForgedKey(id, .p521(P521.Signing.PrivateKey())) }
  package static func ed25519(_ id: String) -> ForgedKey { ForgedKey(id, .ed25519(Curve25519.Signing.PrivateKey())) }

  /// An elliptic key whose public form lacks the zero with which its first coordinate begins.
  package static func shortened(_ id: String) -> ForgedKey {
    var key = P521.Signing.PrivateKey()
    // Half of all keys begin with a zero, since they have 521 bits in 66 bytes.
    while key.publicKey.rawRepresentation.first != 0 { key = P521.Signing.PrivateKey() }
    var forged = ForgedKey(id, .p521(key))
    forged.omitsLeadingZeros = true
    return forged
  }

  /// The algorithm that fits the key.
  package var algorithm: String {
    switch key {
    case .rsa: "RS256"
    case .p256: "ES256"
    case .p384: "ES384"
    case .p521: "ES512"
    case .ed25519: "EdDSA"
    }
  }

  /// The public key in its form in sets of keys.
  package var json: [(String, JSONTree)] {
    get throws {
      var members: [(String, JSONTree)] = [("kid", .text(id)), ("use", .text("sig"))]
      switch key {
      case .rsa(let key):
        let numbers = try key.publicKey.getKeyPrimitives()
        members += [
          ("kty", .text("RSA")), ("n", .text(Self.base64(numbers.modulus))),
          ("e", .text(Self.base64(numbers.publicExponent))),
        ]
      case .p256(let key): members += curve("P-256", key.publicKey.rawRepresentation)
      case .p384(let key): members += curve("P-384", key.publicKey.rawRepresentation)
      case .p521(let key): members += curve("P-521", key.publicKey.rawRepresentation)
      case .ed25519(let key):
        members += [
          ("kty", .text("OKP")), ("crv", .text("Ed25519")), ("x", .text(Self.base64(key.publicKey.rawRepresentation))),
        ]
      }
      return members
    }
  }

  private func curve(_ name: String, _ point: Data) -> [(String, JSONTree)] {
    let half = point.count / 2
    let (x, y) = (point.prefix(half), point.suffix(half))
    func text(_ bytes: Data) -> JSONTree { .text(Self.base64(omitsLeadingZeros ? bytes.drop { $0 == 0 } : bytes)) }
    return [("kty", .text("EC")), ("crv", .text(name)), ("x", text(x)), ("y", text(y))]
  }

  /// The public key as bytes, which an attacker uses as a shared secret.
  private var publicBytes: Data {
    switch key {
    case .rsa(let key): Data(key.publicKey.pemRepresentation.utf8)
    case .p256(let key): key.publicKey.rawRepresentation
    case .p384(let key): key.publicKey.rawRepresentation
    case .p521(let key): key.publicKey.rawRepresentation
    case .ed25519(let key): key.publicKey.rawRepresentation
    }
  }

  /// Returns a token with the signature that its header names.
  package func token(header: [(String, JSONTree)], claims: [(String, JSONTree)]) throws -> String {
    let text = "\(Self.base64(JSONTree.object(header).encoded)).\(Self.base64(JSONTree.object(claims).encoded))"
    let name = header.last { $0.0 == "alg" }?.1
    return "\(text).\(Self.base64(try signature(of: Data(text.utf8), name)))"
  }

  private func signature(of bytes: Data, _ algorithm: JSONTree?) throws -> Data {
    if algorithm == .text("none") { return Data() }
    if algorithm == .text("HS256") {
      return Data(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: publicBytes)))
    }
    switch key {
    case .rsa(let key):
      guard case .text(let name)? = algorithm else { return Data() }
      let padding: _RSA.Signing.Padding = name.hasPrefix("PS") ? .PSS : .insecurePKCS1v1_5
      return switch name.suffix(3) {
      case "384": try key.signature(for: SHA384.hash(data: bytes), padding: padding).rawRepresentation
      case "512": try key.signature(for: SHA512.hash(data: bytes), padding: padding).rawRepresentation
      default: try key.signature(for: SHA256.hash(data: bytes), padding: padding).rawRepresentation
      }
    case .p256(let key): return try key.signature(for: bytes).rawRepresentation
    case .p384(let key): return try key.signature(for: bytes).rawRepresentation
    case .p521(let key): return try key.signature(for: bytes).rawRepresentation
    case .ed25519(let key): return try key.signature(for: bytes)
    }
  }

  /// Returns a set of keys.
  package static func set(_ keys: [ForgedKey]) throws -> [UInt8] {
    JSONTree.object([("keys", .array(try keys.map { .object(try $0.json) }))]).encoded
  }

  package static func base64(_ bytes: some Sequence<UInt8>) -> String {
    Data(Array(bytes)).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
}
