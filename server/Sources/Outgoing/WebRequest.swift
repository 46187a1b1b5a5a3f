/// A request to a server that the operator has configured, such as an identity provider.
package struct WebRequest: Sendable {
  /// The two methods.
  package enum Method: Sendable, Hashable {
    case get
    case post(body: [UInt8])
  }

  /// The maximum size of an answer with its headers, in bytes; a longer one is refused.
  package static let maximumAnswerBytes = 64 << 10

  /// An http or https address.
  package var address: String
  package var method: Method
  /// The header fields as lines.
  package var headers: [String]
  /// A PEM file with the certificates of the authorities to trust; `nil` for those of the system.
  package var authorities: String?

  package init(address: String, method: Method, headers: [String] = [], authorities: String? = nil) {
    (self.address, self.method, self.headers, self.authorities) = (address, method, headers, authorities)
  }
}

/// The answer to a ``WebRequest``. Redirects aren't followed.
package struct WebAnswer: Sendable, Hashable {
  package var status: Int
  package var body: [UInt8]

  package init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }
}
