import CTernCrypto

/// A public key that verifies signatures.
package final class PublicKey: Sendable {
  /// An elliptic curve of NIST (FIPS 186-5).
  package enum Curve: String, Sendable, CaseIterable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"

    /// The number of bytes of a coordinate.
    package var byteCount: Int {
      switch self {
      case .p256: 32
      case .p384: 48
      case .p521: 66
      }
    }

    /// The hash function of ECDSA in JSON web signatures (RFC 7518 §3.4).
    package var hash: HashFunction {
      switch self {
      case .p256: .sha256
      case .p384: .sha384
      case .p521: .sha512
      }
    }
  }

  /// The padding of an RSA signature (RFC 8017).
  package enum Padding: Sendable {
    /// PKCS #1 v1.5.
    case pkcs1
    /// PSS, with a salt as long as the hash.
    case pss
  }

  // libcrypto's keys don't change, and any number of threads may verify with one.
  private nonisolated(unsafe) let key: OpaquePointer
  private let curve: Curve?

  private init?(_ key: OpaquePointer?, curve: Curve? = nil) {
    guard let key else { return nil }
    (self.key, self.curve) = (key, curve)
  }

  deinit { EVP_PKEY_free(key) }

  /// Creates an RSA key from two big-endian numbers; `nil` if they can't be one.
  package convenience init?(modulus: [UInt8], exponent: [UInt8]) {
    let exponent = Array(exponent.drop { $0 == 0 })
    // Both are odd, and with an exponent of 1 anyone could sign. More than 33 bits only take time.
    guard let last = exponent.last, last % 2 == 1, exponent != [1], modulus.last.map({ $0 % 2 == 1 }) == true,
      exponent.count < 5 || exponent.count == 5 && exponent[0] == 1
    else { return nil }
    self.init(tern_rsa_public_key(modulus, Int32(modulus.count), exponent, Int32(exponent.count)))
  }

  /// Creates an elliptic key from its coordinates; `nil` if they aren't a point of the curve.
  package convenience init?(_ curve: Curve, x: [UInt8], y: [UInt8]) {
    guard x.count == curve.byteCount, y.count == curve.byteCount else { return nil }
    let point = [4] + x + y
    self.init(tern_ec_public_key(curve.rawValue, point, point.count), curve: curve)
  }

  /// Creates a key of Ed25519 (RFC 8032) from its 32 bytes.
  package convenience init?(ed25519 bytes: [UInt8]) {
    self.init(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count))
  }

  /// Verifies an RSA signature.
  package func isValidSignature(
    _ signature: [UInt8], for bytes: [UInt8], hash: HashFunction, padding: Padding
  ) -> Bool {
    // OpenSSL accepts a PSS signature without its leading zeros, against RFC 8017 §8.1.2.
    guard signature.count == Int(EVP_PKEY_get_size(key)) else { return false }
    return verify(bytes, signature, hash) { context in
      switch padding {
      case .pkcs1: EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
      case .pss:
        EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
          && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
      }
    }
  }

  /// Verifies a signature of an elliptic key: ECDSA with both numbers one after the other, or Ed25519.
  package func isValidSignature(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
    guard let curve else { return verify(bytes, signature, nil) { _ in true } }
    guard signature.count == 2 * curve.byteCount else { return false }
    var encoded = [UInt8](repeating: 0, count: 160)
    let length = tern_ecdsa_signature(signature, Int32(curve.byteCount), &encoded)
    return length > 0 && verify(bytes, Array(encoded.prefix(Int(length))), curve.hash) { _ in true }
  }

  private func verify(
    _ bytes: [UInt8], _ signature: [UInt8], _ hash: HashFunction?, _ configure: (OpaquePointer?) -> Bool
  ) -> Bool {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    // Belongs to the context.
    var keyContext: OpaquePointer?
    guard EVP_DigestVerifyInit(context, &keyContext, hash?.algorithm, nil, key) == 1, configure(keyContext)
    else { return false }
    return EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) == 1
  }
}
