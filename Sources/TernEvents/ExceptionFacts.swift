/// The facts of an error: its type, its message, and its location.
///
/// Sent as the member `exception` of events of the kinds ``EventKind/handledError`` and ``EventKind/crash``.
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

/// A file attached to an error, split into pieces that are events of their own.
public struct AttachmentPiece: Sendable, Hashable {
  /// The event identifier of the error.
  public var error: UniqueID
  /// The identifier of the attachment, the same in all its pieces.
  public var id: UniqueID
  /// The file's name, if it has one.
  public var name: String?
  /// The media type.
  public var contentType: String
  /// The index of this piece, counted from 0.
  public var part: Int
  /// The number of pieces.
  public var parts: Int
  /// The piece's bytes.
  public var data: ArraySlice<UInt8>

  /// The maximum number of bytes of one piece.
  public static let maximumBytes = 40 << 10
  /// The maximum number of bytes of a whole attachment: 7 MiB.
  public static let maximumAttachmentBytes = 7 << 20

  /// Returns the number of bytes whose base64 fits into `room`; at least one, so that splitting ends.
  package static func bytes(encodedIn room: Int) -> Int {
    min(maximumBytes, max(room / 4 * 3, 1 << 10))
  }

  /// Creates a piece.
  public init(
    error: UniqueID, id: UniqueID, name: String?, contentType: String, part: Int, parts: Int, data: ArraySlice<UInt8>
  ) {
    self.error = error
    self.id = id
    self.name = name
    self.contentType = contentType
    self.part = part
    self.parts = parts
    self.data = data
  }
}
