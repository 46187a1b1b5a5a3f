/// A failure of the warehouse.
public struct WarehouseError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public struct Code: Hashable, Sendable {
    private enum Kind { case busy, full, unavailable, inUse, unknownApp, damaged, invalid }
    private let kind: Kind
    /// The writer is behind its byte limit; try again later.
    public static let busy = Code(kind: .busy)
    /// The disk is full.
    public static let full = Code(kind: .full)
    /// The store cannot be opened or written.
    public static let unavailable = Code(kind: .unavailable)
    /// Another process holds the data directory.
    public static let inUse = Code(kind: .inUse)
    /// No app has this id.
    public static let unknownApp = Code(kind: .unknownApp)
    /// Stored data does not check out.
    public static let damaged = Code(kind: .damaged)
    /// A parameter cannot be used, for example an unknown time zone.
    public static let invalid = Code(kind: .invalid)
  }

  /// What kind of failure this is.
  public var code: Code
  /// The reason and what to do.
  public var message: String
  /// The failure beneath, when there is one.
  public var cause: (any Error)?

  /// Creates an error.
  public init(code: Code, message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The message, and the cause if there is one.
  public var description: String { cause.map { "\(message) (\($0))" } ?? message }
}
