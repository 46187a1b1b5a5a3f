/// An error reported by the warehouse.
public struct WarehouseError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public struct Code: Hashable, Sendable {
    private enum Kind { case busy, full, unavailable, inUse, unknownApp, damaged, invalid, held, rowsAway }
    private let kind: Kind
    /// The write queue is full; try again later.
    public static let busy = Code(kind: .busy)
    /// The disk is full.
    public static let full = Code(kind: .full)
    /// The store can't be opened or written.
    public static let unavailable = Code(kind: .unavailable)
    /// Another process is using the data directory.
    public static let inUse = Code(kind: .inUse)
    /// There is no app with this ID.
    public static let unknownApp = Code(kind: .unknownApp)
    /// Stored data is corrupt.
    public static let damaged = Code(kind: .damaged)
    /// A parameter is invalid, for example an unknown time zone.
    public static let invalid = Code(kind: .invalid)
    /// The work is held, because a process ended while doing it; try again later.
    public static let held = Code(kind: .held)
    /// Rows that only a cluster has can't be fetched; try again later.
    public static let rowsAway = Code(kind: .rowsAway)
  }

  /// The kind of failure.
  public var code: Code
  /// The reason, and how to resolve it.
  public var message: String
  /// The underlying error, if any.
  public var cause: (any Error)?

  /// Creates an error.
  public init(code: Code, message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The message, followed by the underlying error, if any.
  public var description: String { cause.map { "\(message) (\($0))" } ?? message }
}
