public import TernValues

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
