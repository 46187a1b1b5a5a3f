/// A message that did not arrive, as far as this server knows.
package struct OutgoingError: Error, Sendable, Hashable {
  /// The reasons that callers distinguish.
  package enum Code: Sendable, Hashable {
    /// The receiver can't be reached, or closed the connection.
    case connection
    /// The attempt took longer than the timeout.
    case timedOut
    /// The task was cancelled.
    case cancelled
    /// The answer is too long.
    case tooLong
    /// The receiver offers no TLS, or its certificate isn't trusted.
    case untrusted
    /// The user or password is wrong.
    case login
    /// The receiver refused the message with this status; a later attempt may succeed.
    case answer(Int)
    /// The mail server rejected the message for good with this status.
    case rejected(Int)
    /// The address may not be connected to.
    case refusedAddress
    /// The message or its destination can't be sent.
    case invalid
  }

  /// The reason.
  package var code: Code
  /// The reason in words, with the receiver's answer. It contains no control characters and no secrets.
  package var message: String

  /// True if a later attempt can't succeed.
  package var isFinal: Bool {
    switch code {
    case .invalid, .refusedAddress, .rejected: true
    case .connection, .timedOut, .cancelled, .tooLong, .untrusted, .login, .answer: false
    }
  }

  package init(_ code: Code, _ message: String) {
    (self.code, self.message) = (code, message)
  }
}
