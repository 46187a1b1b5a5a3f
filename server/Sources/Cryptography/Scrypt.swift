import CTernCrypto

/// The key derivation function scrypt (RFC 7914), whose memory slows down guessing.
package enum Scrypt {
  /// An error of libcrypto, such as too little memory.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// The most memory that stored costs may ask for.
  private static let maximumBytes: UInt64 = 1 << 30

  /// Derives 32 bytes.
  ///
  /// - Parameters:
  ///   - cost: The number of rounds (N), a power of 2 above 1.
  ///   - blockSize: The block size (r).
  ///   - parallelism: The number of lanes (p).
  /// - Throws: ``Failure`` if the costs are invalid or take more than 1 GiB, or scrypt is switched off (FIPS).
  package static func derive(
    from password: [UInt8], salt: [UInt8], cost: Int, blockSize: Int, parallelism: Int
  ) throws(Failure) -> [UInt8] {
    var key = [UInt8](repeating: 0, count: 32)
    let isDerived = password.withUnsafeBytes { bytes in
      EVP_PBE_scrypt(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, salt, salt.count,
        UInt64(clamping: cost), UInt64(clamping: blockSize), UInt64(clamping: parallelism), maximumBytes, &key,
        key.count)
    }
    guard isDerived == 1 else {
      throw Failure(
        description:
          "libcrypto can't hash the password with scrypt (N \(cost), r \(blockSize), p \(parallelism)). Check that "
          + "OpenSSL isn't limited to FIPS algorithms, and that memory is free.")
    }
    return key
  }
}
