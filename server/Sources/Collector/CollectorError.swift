/// An error that prevents a collector from starting, or stops it.
public struct CollectorError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public struct Code: Hashable, Sendable {
    private enum Kind { case addressInUse, cannotListen, cannotStart, stopped }
    private let kind: Kind
    /// Another process listens on this port.
    public static let addressInUse = Code(kind: .addressInUse)
    /// The address or port cannot be used.
    public static let cannotListen = Code(kind: .cannotListen)
    /// Part of the collector cannot be set up.
    public static let cannotStart = Code(kind: .cannotStart)
    /// The server stopped unexpectedly.
    public static let stopped = Code(kind: .stopped)
  }

  /// The kind of failure.
  public var code: Code
  /// The reason and the remedy, on one line.
  public var message: String
  /// The underlying error, if any.
  public var cause: (any Error)?

  /// Creates an error.
  public init(code: Code, message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The message.
  public var description: String { message }
}
