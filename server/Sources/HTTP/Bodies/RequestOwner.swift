/// A party to which a request's time is charged. Behind an untrusted proxy all requests have one address, and anyone can use
/// an app's public key, so a request is charged to both.
package enum RequestOwner: Hashable, Sendable {
  /// A client address.
  case client(String)
  /// An app.
  case app(Int64)
}
