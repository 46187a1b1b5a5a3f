import Ingest
import RowFiles
import Warehouse

extension Writer {
  /// Stores the attachment of the event at a position of its batch, if it has one.
  ///
  /// - Returns: The reason for rejecting the event, and its ID.
  func storeAttachment(
    at position: Int, _ context: inout BatchContext
  ) throws -> (reason: RejectionReason, event: String)? {
    guard let piece = context.attachments[position] else { return nil }
    let attachment = context.batch.attachments[piece]
    context.textBytes += attachment.data.count
    // Its event gets the next row.
    return try errors.add(attachment, app: context.app, row: lastID + 1, received: context.received).map {
      ($0, attachment.eventID)
    }
  }

  /// Stores the details of the error at a position of its batch, whose event is `row`.
  ///
  /// - Returns: The event's ID if there is no room for the error's texts.
  func storeError(at position: Int, _ row: EventRow, user: String, _ context: inout BatchContext) throws -> String? {
    guard let index = context.errors[position] else { return nil }
    let error = context.batch.errors[index]
    context.textBytes += error.message.utf8.count + error.stack.utf8.count + error.raw.count
    return try errors.add(error, row, user: user) ? nil : error.id
  }
}

extension StoredKind {
  /// True if an event of this kind may have more data than its row.
  @inline(__always)
  package var mayCarryMore: Bool {
    switch self {
    case .event, .screen, .sessionStart, .drops, .other: false
    case .handledError, .crash, .attachment, .attachmentPart: true
    }
  }
}
