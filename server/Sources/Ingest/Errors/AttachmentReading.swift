import TernEvents

/// Parses attachments of errors, and pieces of them.
enum AttachmentReading {
  /// The outcome of parsing an attachment.
  enum Outcome {
    case attachment(IncomingAttachment)
    /// The record cannot be stored as an attachment.
    case rejected(RejectionReason)
  }

  private static let maximumNameBytes = 255
  private static let maximumTypeBytes = 128
  /// The maximum size of a piece in bytes: the amount that fits into an event as base64, with 1.3 KiB for its other
  /// members. An attachment that App Center sends whole is one piece.
  private static let maximumPieceBytes = 47 << 10

  /// Parses a native `attachment` object. Both IDs must be UUIDs.
  ///
  /// - Parameters:
  ///   - event: The position of its event in the batch.
  ///   - eventID: The ID of its event as sent.
  static func native(_ value: RawJSON?, event: Int, eventID: String) -> Outcome {
    guard let value, value.isObject else { return .rejected(.attachmentMissing) }
    func text(_ name: StaticString, _ limit: Int) -> String { value.member(name)?.text(limit: limit) ?? "" }
    guard let (part, parts) = place(part: value.member("part"), parts: value.member("parts")),
      let error = UniqueID(text("error", 64)), let id = UniqueID(text("id", 64)),
      let data = value.member("data")?.escapedText.flatMap({ base64Decoded($0, limit: maximumPieceBytes) })
    else { return .rejected(.attachmentInvalid) }
    return .attachment(
      IncomingAttachment(
        event: event, eventID: eventID, error: error.description, id: id.description,
        name: text("name", maximumNameBytes), contentType: text("contentType", maximumTypeBytes), part: part,
        parts: parts, data: data))
  }

  /// Returns the index of a piece and the number of pieces, or `nil` unless both are integers and the index is in
  /// range.
  ///
  /// An unreadable number must not be treated as missing, or a piece would be taken for the whole file.
  private static func place(part: RawJSON?, parts: RawJSON?) -> (part: Int, parts: Int)? {
    guard let parts = number(parts, default: 1), (1...IncomingAttachment.maximumParts).contains(parts),
      let part = number(part, default: parts == 1 ? 0 : nil), (0..<parts).contains(part)
    else { return nil }
    return (part, parts)
  }

  private static func number(_ value: RawJSON?, default missing: Int?) -> Int? {
    guard let value, !equals(value.bytes, "null") else { return missing }
    return value.integer
  }

  /// Parses an App Center log of type `errorAttachment`, or returns `nil` if it is unreadable.
  static func appCenter(_ log: RawJSON, id: String, event: Int) -> Outcome? {
    func text(_ name: StaticString, _ limit: Int) -> String { log.member(name)?.text(limit: limit) ?? "" }
    let error = text("errorId", maximumInstallBytes)
    guard !error.isEmpty, !id.isEmpty, let data = log.member("data")?.escapedText else { return nil }
    // Encoded, a file is a third longer, and a little more with line breaks.
    if data.count / 4 > IncomingAttachment.maximumBytes / 3 + IncomingAttachment.maximumBytes / 48 {
      return .rejected(.attachmentTooLarge)
    }
    guard let bytes = base64Decoded(data, limit: .max / 2) else { return nil }
    guard bytes.count <= IncomingAttachment.maximumBytes else { return .rejected(.attachmentTooLarge) }
    return .attachment(
      IncomingAttachment(
        event: event, eventID: id, error: errorID(error), id: errorID(id), name: text("fileName", maximumNameBytes),
        contentType: text("contentType", maximumTypeBytes), data: bytes))
  }
}
