package import TernEvents

/// The files with which a server identifies itself over TLS, both in PEM format.
package struct TLSFiles: Sendable, Hashable {
  /// The path of the certificate, followed by those of its issuers.
  package var certificate: String
  /// The path of the private key, without a passphrase.
  package var key: String

  /// Names the files.
  package init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}

extension TLSFiles {
  /// Reads the files; throws ``CollectorError`` if they can't be used, or if the program was built without the trait `TLS`.
  package func identity() throws -> any TLSIdentity {
    #if TLS
      return try ServerIdentity(self)
    #else
      throw CollectorError(
        .cannotStart,
        "This tern was built without TLS, so it can't use \(certificate). Build it without "
          + "--disable-default-traits, or install the package or tarball (docs/operations.md).")
    #endif
  }

  /// Reads the certificate, and returns the end of its validity; `nil` if it can't be read.
  package func expiry() -> Timestamp? {
    (try? identity()).map { Timestamp(millisecondsSince1970: Int64($0.expiry) * 1_000) }
  }
}
