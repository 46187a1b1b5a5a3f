/// Why a log could not be opened.
package struct LogError: Error, CustomStringConvertible {
  /// The kind of failure; new kinds may be added.
  package struct Code: Hashable, Sendable {
    private enum Kind { case directoryUnavailable }
    private let kind: Kind
    /// No log directory could be created, or none could be locked.
    package static let directoryUnavailable = Code(kind: .directoryUnavailable)
  }

  /// What went wrong, for programs.
  package var code: Code
  /// What happened and what to do about it.
  package var message: String
  /// What the file system said, if it was asked.
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
