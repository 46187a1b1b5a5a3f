import CTernCrypto

/// A hash function of FIPS 180-4, computed by the system's libcrypto.
package enum HashFunction: Sendable, CaseIterable {
  /// Broken for signatures; here only because authenticator apps compute their codes with it.
  case sha1
  case sha256
  case sha384
  case sha512

  /// The number of bytes of a hash.
  package var byteCount: Int {
    switch self {
    case .sha1: 20
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// Returns the hash of bytes.
  package func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let bytes = Array(bytes)
    var hash = [UInt8](repeating: 0, count: byteCount)
    let status = bytes.withUnsafeBytes { EVP_Digest($0.baseAddress, $0.count, &hash, nil, algorithm, nil) }
    Libcrypto.require(status == 1)
    return hash
  }

  /// Returns the message authentication code (HMAC, RFC 2104) of bytes.
  package func authenticationCode(of bytes: some Sequence<UInt8>, key: [UInt8]) -> [UInt8] {
    let bytes = Array(bytes)
    var code = [UInt8](repeating: 0, count: byteCount)
    // libcrypto doesn't take a null pointer for an empty key. HMAC pads keys with zeros, so one zero is the same key.
    let key = key.isEmpty ? [0] : key
    let result = bytes.withUnsafeBufferPointer {
      HMAC(algorithm, key, Int32(key.count), $0.baseAddress, $0.count, &code, nil)
    }
    Libcrypto.require(result != nil)
    return code
  }

  /// libcrypto's description of the function, which is never freed.
  package var algorithm: OpaquePointer? {
    switch self {
    case .sha1: Self.fetchedSHA1
    case .sha256: Self.fetchedSHA256
    case .sha384: Self.fetchedSHA384
    case .sha512: Self.fetchedSHA512
    }
  }

  // libcrypto's descriptions don't change.
  private nonisolated(unsafe) static let fetchedSHA1 = Libcrypto.algorithm("SHA1")
  private nonisolated(unsafe) static let fetchedSHA256 = Libcrypto.algorithm("SHA256")
  private nonisolated(unsafe) static let fetchedSHA384 = Libcrypto.algorithm("SHA384")
  private nonisolated(unsafe) static let fetchedSHA512 = Libcrypto.algorithm("SHA512")
}

/// The hash of bytes that come in parts.
///
/// Not thread-safe.
package final class RunningHash {
  private let context: OpaquePointer?
  private let function: HashFunction

  package init(_ function: HashFunction) {
    self.function = function
    context = EVP_MD_CTX_new()
    Libcrypto.require(EVP_DigestInit_ex(context, function.algorithm, nil) == 1)
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Appends bytes.
  package func update(_ bytes: UnsafeRawBufferPointer) {
    Libcrypto.require(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1)
  }

  /// The hash of all bytes so far; more may follow.
  package var value: [UInt8] {
    let copy = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(copy) }
    var hash = [UInt8](repeating: 0, count: function.byteCount)
    Libcrypto.require(EVP_MD_CTX_copy_ex(copy, context) == 1 && EVP_DigestFinal_ex(copy, &hash, nil) == 1)
    return hash
  }
}
