import CTernCrypto

/// Comparisons that take the same time wherever the bytes differ.
package enum ConstantTime {
  /// Returns true if both have the same bytes. Only their lengths can be learned from the time that it takes.
  package static func areEqual(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Bool {
    let (left, right) = (Array(left), Array(right))
    return left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
  }
}

/// Random bytes for keys.
package enum RandomKey {
  /// Returns 256 bits of the operating system's generator.
  package static func make() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<32).map { _ in .random(in: .min ... .max, using: &generator) }
  }
}

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
  ///   - rounds: The cost, a power of 2 above 1.
  ///   - blocks: The block size.
  ///   - lanes: The parallelism.
  /// - Throws: ``Failure`` if the costs are invalid or take more than 1 GiB, or scrypt is switched off (FIPS).
  package static func derive(
    from password: [UInt8], salt: [UInt8], rounds: Int, blocks: Int, lanes: Int
  ) throws(Failure) -> [UInt8] {
    var key = [UInt8](repeating: 0, count: 32)
    let isDerived = password.withUnsafeBytes { bytes in
      EVP_PBE_scrypt(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, salt, salt.count,
        UInt64(clamping: rounds), UInt64(clamping: blocks), UInt64(clamping: lanes), maximumBytes, &key, key.count)
    }
    guard isDerived == 1 else {
      throw Failure(description: "The password can't be hashed with scrypt (\(rounds), \(blocks), \(lanes)).")
    }
    return key
  }
}
