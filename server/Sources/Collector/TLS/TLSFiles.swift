package import TernEvents

/// The files with which a server identifies itself over TLS, both in PEM format.
public struct TLSFiles: Sendable, Hashable {
  /// The path of the certificate, followed by those of its issuers.
  public var certificate: String
  /// The path of the private key, without a passphrase.
  public var key: String

  /// Names the files.
  public init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}

extension TLSFiles {
  /// Reads the certificate, and returns the end of its validity; `nil` if it can't be read.
  package func expiry() -> Timestamp? {
    (try? ServerIdentity(self)).map { Timestamp(millisecondsSince1970: Int64($0.expiry) * 1_000) }
  }
}
