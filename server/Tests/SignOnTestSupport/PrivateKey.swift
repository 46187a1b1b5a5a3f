import CTernCrypto
import Cryptography
import Foundation

/// A private key that signs in tests.
final class PrivateKey: Sendable {
  enum Kind: Sendable, Equatable {
    case rsa
    case elliptic(PublicKey.Curve)
    case ed25519
  }

  let kind: Kind
  // libcrypto's keys don't change.
  private nonisolated(unsafe) let key: OpaquePointer

  /// Makes a key.
  init(_ kind: Kind) throws {
    let context: OpaquePointer?
    switch kind {
    case .rsa: context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil)
    case .elliptic: context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
    case .ed25519: context = EVP_PKEY_CTX_new_id(EVP_PKEY_ED25519, nil)
    }
    defer { EVP_PKEY_CTX_free(context) }
    try Self.require(EVP_PKEY_keygen_init(context))
    switch kind {
    case .rsa: try Self.require(EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2_048))
    case .elliptic(let curve): try Self.require(EVP_PKEY_CTX_set_group_name(context, curve.rawValue))
    case .ed25519: break
    }
    var key: OpaquePointer?
    try Self.require(EVP_PKEY_keygen(context, &key))
    guard let key else { throw Failure() }
    (self.kind, self.key) = (kind, key)
  }

  deinit { EVP_PKEY_free(key) }

  /// A number of an RSA key: `n` or `e`.
  func number(_ name: String) throws -> [UInt8] {
    var number: OpaquePointer?
    try Self.require(EVP_PKEY_get_bn_param(key, name, &number))
    defer { BN_free(number) }
    var bytes = [UInt8](repeating: 0, count: 1_024)
    let count = Int(BN_bn2bin(number, &bytes))
    return Array(bytes.prefix(count))
  }

  /// The public key: both coordinates of a curve's point, or the bytes of Ed25519.
  func publicBytes() throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 256)
    var count = bytes.count
    if kind == .ed25519 {
      try Self.require(EVP_PKEY_get_raw_public_key(key, &bytes, &count))
      return Array(bytes.prefix(count))
    }
    try Self.require(EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &bytes, bytes.count, &count))
    return Array(bytes[1..<count])
  }

  /// Signs bytes, in the form of JSON web signatures.
  func signature(of bytes: [UInt8], hash: HashFunction?, isPSS: Bool = false) throws -> [UInt8] {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    var keyContext: OpaquePointer?
    try Self.require(EVP_DigestSignInit(context, &keyContext, hash?.algorithm, nil, key))
    if isPSS {
      try Self.require(EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING))
      try Self.require(EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, RSA_PSS_SALTLEN_DIGEST))
    }
    var signature = [UInt8](repeating: 0, count: 1_024)
    var count = signature.count
    try Self.require(EVP_DigestSign(context, &signature, &count, bytes, bytes.count))
    guard case .elliptic(let curve) = kind else { return Array(signature.prefix(count)) }
    return try signature.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      let numbers = d2i_ECDSA_SIG(nil, &start, count)
      defer { ECDSA_SIG_free(numbers) }
      return try [ECDSA_SIG_get0_r(numbers), ECDSA_SIG_get0_s(numbers)].flatMap { number in
        var bytes = [UInt8](repeating: 0, count: curve.byteCount)
        try Self.require(BN_bn2binpad(number, &bytes, Int32(bytes.count)) < 0 ? 0 : 1)
        return bytes
      }
    }
  }

  struct Failure: Error {}

  private static func require(_ status: Int32) throws {
    guard status == 1 else { throw Failure() }
  }
}
