/// The details of a handled error or a crash.
public struct IncomingError: Sendable, Hashable {
  /// Position of its event in `IncomingBatch.events`.
  public var event: Int
  /// The id by which attachments name it: a lower-case UUID, or another text as it was sent; empty when it has none.
  public var id: String
  /// The exception's type, for a crash without one the signal.
  public var type: String
  /// The exception's message.
  public var message: String
  /// The frame at the top of the stack, without line and address; empty when there is no stack.
  public var place: String
  /// The stack as text, at most ``maximumStackBytes`` long.
  public var stack: String
  /// The hash that groups errors into faults (docs/protocols.md).
  public var fingerprint: Int64
  /// The error as it was sent, at most ``maximumRawBytes`` long.
  public var raw: [UInt8]

  /// The longest stack that is kept, in bytes.
  public static let maximumStackBytes = 64 << 10
  /// The most of an error as it was sent that is kept, in bytes.
  public static let maximumRawBytes = 256 << 10

  /// Creates a description of an error.
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
  /// Position of its event in `IncomingBatch.events`.
  public var event: Int
  /// The id of its event as it was sent, by which a refusal names it.
  public var eventID: String
  /// The id of the error it belongs to, written as ``IncomingError/id`` is.
  public var error: String
  /// Its own id, written likewise.
  public var id: String
  /// The file's name; empty when it has none.
  public var name: String
  /// The media type that the client claims.
  public var contentType: String
  /// The index of this piece, counted from 0.
  public var part: Int
  /// The number of pieces.
  public var parts: Int
  /// The piece.
  public var data: [UInt8]

  /// The largest attachment, in bytes: what App Center allowed.
  public static let maximumBytes = 7 << 20
  /// The most pieces one attachment may be cut into.
  public static let maximumParts = 1_024

  /// Creates a description of an attachment.
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
