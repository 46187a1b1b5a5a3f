import Ingest

extension Writer {
  /// Stores what the event at a position of its batch carries when it is an attachment.
  ///
  /// - Returns: why the event must be refused.
  func storeAttachment(at position: Int, _ context: BatchContext) throws -> RejectionReason? {
    guard let piece = context.attachments[position] else { return nil }
    return try errors.add(context.batch.attachments[piece], app: context.app)
  }

  /// Stores what is known of the error at a position of its batch, whose event is `row`.
  ///
  /// - Returns: whether its texts were left out for want of room.
  func storeError(at position: Int, _ row: EventRow, user: String, _ context: BatchContext) throws -> Bool {
    guard let error = context.errors[position] else { return false }
    return try errors.add(context.batch.errors[error], row, user: user)
  }
}

extension StoredKind {
  /// Whether an event of this kind may have more to store than its row.
  @inline(__always)
  var mayCarryMore: Bool {
    switch self {
    case .event, .screen, .sessionStart, .drops, .other: false
    case .handledError, .crash, .attachment, .attachmentPart: true
    }
  }
}
