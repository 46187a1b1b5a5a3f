package import TernEvents

extension TLSFiles {
  /// Reads the certificate, and returns the end of its validity; `nil` if it can't be read.
  package func expiry() -> Timestamp? {
    (try? ServerIdentity(self)).map { Timestamp(millisecondsSince1970: Int64($0.expiry) * 1_000) }
  }
}
