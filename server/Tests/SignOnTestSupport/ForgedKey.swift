import Cryptography
import Foundation
package import JSON

/// A provider's private key, with which a test signs whatever it likes.
package struct ForgedKey: Sendable {
  /// The name of the key.
  package var id: String
  private let key: PrivateKey
  private var omitsLeadingZeros = false

  private init(_ id: String, _ key: PrivateKey) { (self.id, self.key) = (id, key) }

  private static func make(_ id: String, _ kind: PrivateKey.Kind) -> ForgedKey {
    do { return ForgedKey(id, try PrivateKey(kind)) } catch { fatalError("libcrypto makes no key: \(kind)") }
  }

  // Making an RSA key takes a noticeable part of a second.
  private static let sharedRSA = make("", .rsa).key

  /// The RSA key of all tests.
  package static func rsa(_ id: String) -> ForgedKey { ForgedKey(id, sharedRSA) }

  package static func p256(_ id: String) -> ForgedKey { make(id, .elliptic(.p256)) }
  package static func p384(_ id: String) -> ForgedKey { make(id, .elliptic(.p384)) }
  package static func p521(_ id: String) -> ForgedKey { make(id, .elliptic(.p521)) }
  package static func ed25519(_ id: String) -> ForgedKey { make(id, .ed25519) }

  /// An elliptic key whose public form lacks the zero with which its first coordinate begins.
  package static func shortened(_ id: String) throws -> ForgedKey {
    var forged = p521(id)
    // Half of all keys begin with a zero, since they have 521 bits in 66 bytes.
    while try forged.key.publicBytes().first != 0 { forged = p521(id) }
    forged.omitsLeadingZeros = true
    return forged
  }

  /// The algorithm that fits the key.
  package var algorithm: String {
    switch key.kind {
    case .rsa: "RS256"
    case .elliptic(.p256): "ES256"
    case .elliptic(.p384): "ES384"
    case .elliptic(.p521): "ES512"
    case .ed25519: "EdDSA"
    }
  }

  /// The public key in its form in sets of keys.
  package var json: [(String, JSONTree)] {
    get throws {
      var members: [(String, JSONTree)] = [("kid", .text(id)), ("use", .text("sig"))]
      switch key.kind {
      case .rsa:
        members += [
          ("kty", .text("RSA")), ("n", .text(Self.base64(try key.number("n")))),
          ("e", .text(Self.base64(try key.number("e")))),
        ]
      case .elliptic(let curve): members += self.curve(curve.rawValue, try key.publicBytes())
      case .ed25519:
        members += [
          ("kty", .text("OKP")), ("crv", .text("Ed25519")), ("x", .text(Self.base64(try key.publicBytes()))),
        ]
      }
      return members
    }
  }

  private func curve(_ name: String, _ point: [UInt8]) -> [(String, JSONTree)] {
    let half = point.count / 2
    let (x, y) = (point.prefix(half), point.suffix(half))
    func text(_ bytes: ArraySlice<UInt8>) -> JSONTree {
      .text(Self.base64(omitsLeadingZeros ? bytes.drop { $0 == 0 } : bytes))
    }
    return [("kty", .text("EC")), ("crv", .text(name)), ("x", text(x)), ("y", text(y))]
  }

  /// The public part of the key, which an attacker uses as a shared secret.
  private func sharedSecret() throws -> [UInt8] { try key.kind == .rsa ? key.number("n") : key.publicBytes() }

  /// Returns a token with the signature that its header names.
  package func token(header: [(String, JSONTree)], claims: [(String, JSONTree)]) throws -> String {
    let text = "\(Self.base64(JSONTree.object(header).encoded)).\(Self.base64(JSONTree.object(claims).encoded))"
    let name = header.last { $0.0 == "alg" }?.1
    return "\(text).\(Self.base64(try signature(of: Array(text.utf8), name)))"
  }

  private func signature(of bytes: [UInt8], _ algorithm: JSONTree?) throws -> [UInt8] {
    if algorithm == .text("none") { return [] }
    if algorithm == .text("HS256") {
      return HashFunction.sha256.authenticationCode(of: bytes, key: try sharedSecret())
    }
    switch key.kind {
    case .rsa:
      guard case .text(let name)? = algorithm else { return [] }
      let hash: HashFunction = name.hasSuffix("384") ? .sha384 : name.hasSuffix("512") ? .sha512 : .sha256
      return try key.signature(of: bytes, hash: hash, isPSS: name.hasPrefix("PS"))
    case .elliptic(let curve): return try key.signature(of: bytes, hash: curve.hash)
    case .ed25519: return try key.signature(of: bytes, hash: nil)
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
