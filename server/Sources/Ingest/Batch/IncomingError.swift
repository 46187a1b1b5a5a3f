/// The details of a handled error or a crash.
public struct IncomingError: Sendable, Hashable {
  /// The position of its event in `IncomingBatch.events`.
  public var event: Int
  /// The ID by which attachments refer to it: a lowercase UUID, or other text as sent; empty if it has none.
  public var id: String
  /// The exception's type; for a crash without one, the signal.
  public var type: String
  /// The exception's message.
  public var message: String
  /// The top stack frame, without line number and address; empty if there is no stack.
  public var place: String
  /// The stack as text, up to ``maximumStackBytes`` long.
  public var stack: String
  /// The hash by which errors are grouped (docs/protocols.md).
  public var fingerprint: Int64
  /// The error as sent, up to ``maximumRawBytes`` long.
  public var raw: [UInt8]
  /// True if its message, stack and raw text had been removed before it was exported.
  public var isTextRemoved = false

  /// The maximum length of a stored stack, in bytes.
  public static let maximumStackBytes = 64 << 10
  /// The maximum length of a stored error as sent, in bytes.
  public static let maximumRawBytes = 256 << 10

  /// Creates an error.
  public init(
    event: Int, id: String = "", type: String, message: String = "", place: String = "", stack: String = "",
    fingerprint: Int64, raw: [UInt8] = []
  ) {
    self.event = event
    self.id = id
    self.type = type
    self.message = message
    self.place = place
    self.stack = stack
    self.fingerprint = fingerprint
    self.raw = raw
  }
}

/// A file that belongs to an error, or a piece of one.
public struct IncomingAttachment: Sendable, Hashable {
  /// The position of its event in `IncomingBatch.events`.
  public var event: Int
  /// The ID of its event as sent, for rejections.
  public var eventID: String
  /// The ID of its error, in the form of ``IncomingError/id``.
  public var error: String
  /// Its own ID, in the same form.
  public var id: String
  /// The file name; empty if it has none.
  public var name: String
  /// The media type according to the client.
  public var contentType: String
  /// The index of this piece, counted from 0.
  public var part: Int
  /// The number of pieces.
  public var parts: Int
  /// The bytes of this piece.
  public var data: [UInt8]

  /// The maximum size of an attachment in bytes, equal to App Center's.
  public static let maximumBytes = 7 << 20
  /// The maximum number of pieces of one attachment.
  public static let maximumParts = 1_024

  /// Creates an attachment.
  public init(
    event: Int, eventID: String, error: String, id: String, name: String = "", contentType: String = "", part: Int = 0,
    parts: Int = 1, data: [UInt8]
  ) {
    self.event = event
    self.eventID = eventID
    self.error = error
    self.id = id
    self.name = name
    self.contentType = contentType
    self.part = part
    self.parts = parts
    self.data = data
  }
}
