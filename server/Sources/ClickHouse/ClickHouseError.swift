/// An error that a ClickHouse server answered, or a reason why there was no answer.
package struct ClickHouseError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  package enum Code: Sendable {
    /// An address, name or file that can't be used.
    case invalid
    /// There was no complete answer in time. The statement may have been executed.
    case unreachable
    /// The server's certificate isn't trusted. Nothing was sent.
    case untrusted
    /// The user doesn't exist, the password is wrong, or the user lacks a right.
    case unauthorized
    /// The server refused or failed to execute the statement.
    case refused
    /// The answer isn't what was asked for.
    case damaged
    /// The task was cancelled.
    case cancelled
  }

  package var code: Code
  /// The reason, and how to resolve it. It never contains the password.
  package var message: String
  /// The number of ClickHouse's exception, if the server answered with one.
  package var exception: Int?

  package init(_ code: Code, _ message: String, exception: Int? = nil) {
    self.code = code
    self.message = message
    self.exception = exception
  }

  /// The message.
  package var description: String { message }
}
