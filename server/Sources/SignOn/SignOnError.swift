/// A failure of a sign-in with a provider.
package struct SignOnError: Error, Sendable, Hashable {
  /// The reasons that callers distinguish.
  package enum Code: Sendable, Hashable {
    /// The provider can't be reached, or its answer can't be used.
    case provider
    /// The token isn't proof of who signs in.
    case token
    /// The answer doesn't belong to a sign-in that was begun in this browser.
    case attempt
  }

  /// The reason.
  package var code: Code
  /// The reason in words, for the operator's log. It contains no secrets.
  package var message: String

  package init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }
}
