/// An error that a ClickHouse server answered, or a reason why there was no answer.
package struct ClickHouseError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  package struct Code: Hashable, Sendable {
    private enum Kind { case invalid, unreachable, untrusted, unauthorized, refused, damaged, cancelled }
    private let kind: Kind
    /// An address, name or file that can't be used.
    package static let invalid = Code(kind: .invalid)
    /// There was no complete answer in time. The statement may have been executed.
    package static let unreachable = Code(kind: .unreachable)
    /// The server's certificate isn't trusted. Nothing was sent.
    package static let untrusted = Code(kind: .untrusted)
    /// The user doesn't exist, the password is wrong, or the user lacks a right.
    package static let unauthorized = Code(kind: .unauthorized)
    /// The server refused or failed to execute the statement.
    package static let refused = Code(kind: .refused)
    /// The answer isn't what was asked for.
    package static let damaged = Code(kind: .damaged)
    /// The task was cancelled.
    package static let cancelled = Code(kind: .cancelled)
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
