import Ingest
import Views
import Warehouse

extension Writer {
  /// Stores the attachment of the event at a position of its batch, if it has one.
  ///
  /// - Returns: the reason why the event is rejected, and its id.
  func storeAttachment(
    at position: Int, _ context: BatchContext
  ) throws -> (reason: RejectionReason, event: String)? {
    guard let piece = context.attachments[position] else { return nil }
    let attachment = context.batch.attachments[piece]
    return try errors.add(attachment, app: context.app, received: context.received).map { ($0, attachment.eventID) }
  }

  /// Stores the details of the error at a position of its batch, whose event is `row`.
  ///
  /// - Returns: its id if there is no room for its texts.
  func storeError(at position: Int, _ row: EventRow, user: String, _ context: BatchContext) throws -> String? {
    guard let index = context.errors[position] else { return nil }
    let error = context.batch.errors[index]
    return try errors.add(error, row, user: user) ? nil : error.id
  }
}

extension StoredKind {
  /// True if an event of this kind may have more to store than its row.
  @inline(__always)
  var mayCarryMore: Bool {
    switch self {
    case .event, .screen, .sessionStart, .drops, .other: false
    case .handledError, .crash, .attachment, .attachmentPart: true
    }
  }
}
