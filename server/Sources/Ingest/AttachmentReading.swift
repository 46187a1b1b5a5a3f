import TernEvents

/// Reads attachments of errors, and pieces of them.
enum AttachmentReading {
  /// What became of reading one.
  enum Outcome {
    case attachment(IncomingAttachment)
    /// It cannot be stored as an attachment.
    case refused(RejectionReason)
  }

  private static let maximumNameBytes = 255
  private static let maximumTypeBytes = 128
  /// The largest piece, in bytes; what App Center sends whole is one piece.
  private static let maximumPieceBytes = 48 << 10

  /// Reads a native `attachment` object; both ids must be UUIDs.
  static func native(_ value: RawJSON?, event: Int) -> Outcome {
    guard let value, value.isObject else { return .refused(.attachmentMissing) }
    func text(_ name: StaticString, _ limit: Int) -> String { value.member(name)?.text(limit: limit) ?? "" }
    let part = value.member("part")?.integer ?? 0
    let parts = value.member("parts")?.integer ?? 1
    guard let error = UniqueID(text("error", 64)), let id = UniqueID(text("id", 64)),
      (1...IncomingAttachment.maximumParts).contains(parts), (0..<parts).contains(part),
      let data = value.member("data")?.escapedText.flatMap({ base64Decoded($0, limit: maximumPieceBytes) })
    else { return .refused(.attachmentInvalid) }
    return .attachment(
      IncomingAttachment(
        event: event, error: error.description, id: id.description, name: text("name", maximumNameBytes),
        contentType: text("contentType", maximumTypeBytes), part: part, parts: parts, data: data))
  }

  /// Reads an App Center log of type `errorAttachment`; `nil` when it is none that can be read.
  static func appCenter(_ log: RawJSON, id: String, event: Int) -> Outcome? {
    func text(_ name: StaticString, _ limit: Int) -> String { log.member(name)?.text(limit: limit) ?? "" }
    let error = text("errorId", maximumInstallBytes)
    guard !error.isEmpty, !id.isEmpty, let data = log.member("data")?.escapedText else { return nil }
    // Encoded, a file is four thirds as long, and a little more with line breaks.
    if data.count / 4 > IncomingAttachment.maximumBytes / 3 + IncomingAttachment.maximumBytes / 48 {
      return .refused(.attachmentTooLarge)
    }
    guard let bytes = base64Decoded(data, limit: .max / 2) else { return nil }
    guard bytes.count <= IncomingAttachment.maximumBytes else { return .refused(.attachmentTooLarge) }
    return .attachment(
      IncomingAttachment(
        event: event, error: errorID(error), id: errorID(id), name: text("fileName", maximumNameBytes),
        contentType: text("contentType", maximumTypeBytes), data: bytes))
  }
}
