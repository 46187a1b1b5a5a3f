/// The reason that a log could not be opened.
package struct LogError: Error, CustomStringConvertible {
  /// The kind of failure; new kinds may be added.
  package struct Code: Hashable, Sendable {
    private enum Kind { case directoryUnavailable }
    private let kind: Kind
    /// No log directory could be created, or none could be locked.
    package static let directoryUnavailable = Code(kind: .directoryUnavailable)
  }

  /// The kind of failure, for programs.
  package var code: Code
  /// A description of the failure, with advice.
  package var message: String
  /// The error of the file system, if it caused the failure.
  package var cause: FileError?

  /// Creates an error from its parts.
  package init(code: Code, message: String, cause: FileError?) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The message, with the cause.
  package var description: String {
    cause.map { "\(message) (\($0))" } ?? message
  }
}
