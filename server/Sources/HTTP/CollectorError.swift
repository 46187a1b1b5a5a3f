/// An error that prevents a collector from starting, or stops it.
package struct CollectorError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  package enum Code: Sendable {
    /// Another process listens on this port.
    case addressInUse
    /// The address or port cannot be used.
    case cannotListen
    /// Part of the collector cannot be set up.
    case cannotStart
    /// The server stopped unexpectedly.
    case stopped
  }

  /// The kind of failure.
  package var code: Code
  /// The reason and the remedy, on one line.
  package var message: String
  /// The underlying error, if any.
  package var cause: (any Error)?

  package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The message.
  package var description: String { message }
}
