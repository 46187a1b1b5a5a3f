import CTernCrypto

/// Comparisons that take the same time wherever the bytes differ.
package enum ConstantTime {
  /// Returns true if both have the same bytes. Only their lengths can be learned from the time that it takes.
  package static func areEqual(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Bool {
    let (left, right) = (Array(left), Array(right))
    return left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
  }
}
