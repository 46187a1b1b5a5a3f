import CTernCrypto

/// The system's libcrypto.
package enum Libcrypto {
  /// An error for a libcrypto that can't be used.
  package struct Unusable: Error, CustomStringConvertible {
    package let description: String
  }

  /// Prepares libcrypto. A program calls this before anything else uses it, libcurl included; throws if it lacks what a server
  /// needs.
  package static func prepare() throws(Unusable) {
    guard isInitialized, HashFunction.allCases.allSatisfy({ $0.algorithm != nil }) else {
      throw Unusable(description: unusable)
    }
  }

  /// By itself, libcrypto frees what it has when the process exits, while other threads may still hash or verify.
  static let isInitialized = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

  static let unusable =
    "OpenSSL's libcrypto has no SHA-1 or no SHA-2. Check its configuration, openssl.cnf in the directory that "
    + "`openssl version -d` prints."

  /// Finds a hash function. Later calls need no search, which takes a lock and more time than hashing a key.
  static func algorithm(_ name: String) -> OpaquePointer? { isInitialized ? EVP_MD_fetch(nil, name, nil) : nil }

  /// Ends the process unless a function of libcrypto has succeeded that fails only without memory or these functions.
  static func require(_ hasSucceeded: Bool) {
    if !hasSucceeded { fatalError(unusable) }
  }
}
