/// An error reported by the warehouse.
package struct WarehouseError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  package enum Code: Sendable {
    /// The write queue is full; try again later.
    case busy
    /// The disk is full.
    case full
    /// The store can't be opened or written.
    case unavailable
    /// Another process is using the data directory.
    case inUse
    /// The data directory is no longer at its path.
    case gone
    /// There is no app with this ID.
    case unknownApp
    /// Stored data is corrupt.
    case damaged
    /// A parameter is invalid, for example an unknown time zone.
    case invalid
    /// The work has to wait, because a process ended while doing it, or because too much work is waiting; try again later.
    case held
    /// Rows that only a cluster has can't be fetched; try again later.
    case rowsAway
  }

  /// The kind of failure.
  package var code: Code
  /// The reason, and how to resolve it.
  package var message: String
  /// The underlying error, if any.
  package var cause: (any Error)?

  package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The message, followed by the underlying error, if any.
  package var description: String { cause.map { "\(message) (\($0))" } ?? message }
}
