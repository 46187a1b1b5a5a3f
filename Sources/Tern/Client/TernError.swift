/// A reason why a client could not be created or keeps events in memory.
///
/// Only creating a client and ``TernClient/setCollector(_:)`` throw it.
public struct TernError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure; new kinds may be added.
  public struct Code: Hashable, Sendable {
    private enum Kind { case unusableCollector, unusableKey, unusableDirectory }
    private let kind: Kind
    /// The collector's URL is not an `http` or `https` URL with a host.
    public static let unusableCollector = Code(kind: .unusableCollector)
    /// The key is empty or contains characters not allowed in a header.
    public static let unusableKey = Code(kind: .unusableKey)
    /// The queue directory cannot be created, written or locked. Not thrown: see ``TernClient/storageError``.
    public static let unusableDirectory = Code(kind: .unusableDirectory)
  }

  /// The kind of failure.
  public var code: Code
  /// A description of the failure and how to fix it.
  public var message: String
  /// The underlying error, if any.
  public var cause: (any Error)?

  /// Creates an error.
  public init(code: Code, message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The message, with its cause.
  public var description: String {
    cause.map { "\(message) (\($0))" } ?? message
  }
}
