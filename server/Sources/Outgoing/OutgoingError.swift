/// A message that did not arrive, as far as this server knows.
package struct OutgoingError: Error, Sendable, Hashable {
  /// The reasons that callers distinguish.
  package enum Code: Sendable, Hashable {
    /// The other side can't be reached, or ended the conversation.
    case connection
    /// It took longer than the timeout.
    case timedOut
    /// The task was cancelled.
    case cancelled
    /// The answer is too long.
    case tooLong
    /// The other side offers no TLS, or its certificate isn't trusted.
    case untrusted
    /// The user or password is wrong.
    case login
    /// The other side answered with a status that means no, for now.
    case answer(Int)
    /// The other side answered that it will never take this message.
    case rejected(Int)
    /// The address may not be connected to.
    case refusedAddress
    /// The message or its destination can't be sent.
    case invalid
  }

  /// The reason.
  package var code: Code
  /// The reason in words, with what the other side said. It has no control characters and no secrets.
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
