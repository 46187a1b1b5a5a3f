/// The facts of an error: its type, its message, and its location.
///
/// Sent as the member `exception` of handled errors and crashes.
public struct ExceptionFacts: Sendable, Hashable {
  /// One call on the stack; unknown parts are `nil`.
  public struct Frame: Sendable, Hashable {
    /// The class or type.
    public var className: String?
    /// The method or function.
    public var methodName: String?
    /// The source file.
    public var fileName: String?
    /// The line in the source file.
    public var lineNumber: Int?
    /// The address, for example `0x1a2b`.
    public var address: String?
    /// The symbol or instruction in the system's format.
    public var code: String?

    /// Creates a frame.
    public init(
      className: String? = nil, methodName: String? = nil, fileName: String? = nil, lineNumber: Int? = nil,
      address: String? = nil, code: String? = nil
    ) {
      self.className = className
      self.methodName = methodName
      self.fileName = fileName
      self.lineNumber = lineNumber
      self.address = address
      self.code = code
    }
  }

  /// The type of the error, by which reports group errors; never empty.
  public var type: String
  /// The message of the error.
  public var message: String?
  /// The stack as text.
  public var stackTrace: String?
  /// The stack, the innermost call first.
  public var frames: [Frame]
  /// The underlying error.
  public var innerExceptions: [ExceptionFacts]
  /// The wrapper SDK that reported it.
  public var wrapperSdkName: String?
  /// The app's own name for the group of the error, at most 256 bytes: all errors with the same one are one group, whatever their
  /// stacks are. `nil`, the default, leaves the decision to the server.
  public var fingerprint: String?

  /// Creates facts; an empty type becomes "Error".
  public init(
    type: String, message: String? = nil, stackTrace: String? = nil, frames: [Frame] = [],
    innerExceptions: [ExceptionFacts] = [], wrapperSdkName: String? = nil
  ) {
    self.type = type.isEmpty ? "Error" : type
    self.message = message
    self.stackTrace = stackTrace
    self.frames = frames
    self.innerExceptions = innerExceptions
    self.wrapperSdkName = wrapperSdkName
  }
}
