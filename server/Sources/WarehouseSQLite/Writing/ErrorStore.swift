package import Ingest
package import RowFiles
import TernBase
import Warehouse

/// The details of errors and their attachments, stored in the transaction of their events.
///
/// They cannot be derived from the events, so `rebuild` leaves them alone. ``ErrorRoom`` bounds them per app: a client
/// that sends errors in a loop must not fill the disk.
package final class ErrorStore {
  private let groups: ErrorGroups
  private let room: ErrorRoom
  private let addError: SQLStatement
  private let addText: SQLStatement
  private let findAttachment: SQLStatement
  private let addAttachment: SQLStatement
  private let growAttachment: SQLStatement
  private let findPart: SQLStatement
  private let addPart: SQLStatement

  /// - Parameter limit: Returns the bytes that are kept of an app.
  package init(_ connection: SQLConnection, limit: @escaping (_ app: Int64) -> Int64) throws {
    groups = try ErrorGroups(connection)
    room = try ErrorRoom(connection, limit: limit)
    addError = try connection.prepare("INSERT INTO error VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    addText = try connection.prepare(
      "INSERT INTO error_text (id, app, bytes, name, message, stack, raw) VALUES (?, ?, ?, ?, ?, ?, ?)")
    findAttachment = try connection.prepare(
      "SELECT id, parts, bytes, owner FROM attachment WHERE app = ? AND error = ? AND name = ?")
    addAttachment = try connection.prepare(
      """
      INSERT INTO attachment (app, owner, received, parts, error, name, file, type, row, stored, bytes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0) RETURNING id
      """)
    growAttachment = try connection.prepare(
      "UPDATE attachment SET bytes = bytes + ?2, stored = stored + 1 WHERE id = ?1")
    findPart = try connection.prepare("SELECT data FROM attachment_part WHERE attachment = ? AND part = ?")
    addPart = try connection.prepare(
      "INSERT OR IGNORE INTO attachment_part (attachment, part, data, row) VALUES (?, ?, ?, ?)")
  }

  func forget() { groups.forget() }

  /// Removes attachments that have waited for too long; see ``ErrorRoom/removeUnclaimed(app:received:)``.
  func removeUnclaimed(app: Int64, received: Int64) throws -> [Rejection] {
    try room.removeUnclaimed(app: app, received: received)
  }

  /// Makes room after a batch with errors or attachments; see ``ErrorRoom/trim(app:)``.
  func trim(app: Int64) throws -> [Rejection] { try room.trim(app: app) }

  /// Stores an error whose event is `row`.
  ///
  /// - Returns: False if there is no room for its texts. The error is counted even so.
  package func add(_ error: IncomingError, _ row: EventRow, user: String) throws -> Bool {
    addError.bind(
      row.id, row.app, try groups.id(of: error, row), row.time, row.lag, Int64(row.slot), row.device, row.session)
    addError.bind(error.id, at: 9)
    if user.isEmpty { addError.bindNull(at: 10) } else { addError.bind(user, at: 10) }
    try addError.run()
    guard !error.isTextRemoved else { return true }
    let size = error.message.utf8.count + error.stack.utf8.count + error.raw.count
    guard try room.take(size, app: row.app, isClaimed: true) else { return false }
    addText.bind(row.id, row.app, Int64(size))
    addText.bind(error.id, at: 4)
    addText.bind(error.message, at: 5)
    addText.bind(error.stack, at: 6)
    try error.raw.withUnsafeBytes { bytes in
      addText.bind(copying: bytes, at: 7)
      try addText.run()
    }
    try room.claimAttachments(of: error.id, error: row.id, app: row.app)
    return true
  }

  /// Stores an attachment, or a piece of one.
  ///
  /// - Parameter row: The event that brings it; 0 if there is none.
  /// - Returns: The reason for not storing it, or `nil` if it is stored, now or previously.
  package func add(_ piece: IncomingAttachment, app: Int64, row: Int64, received: Int64) throws -> RejectionReason? {
    let known = try known(piece, app: app)
    if let known {
      guard known.parts == Int64(piece.parts) else { return .attachmentInvalid }
      switch try isPart(piece.data, piece.part, of: known.id) {
      case true?: return nil
      case false?: return .attachmentConflict
      case nil: break
      }
    }
    let size = piece.data.count
    guard (known?.bytes ?? 0) + SaturatingInt64(size) <= SaturatingInt64(IncomingAttachment.maximumBytes) else {
      return .attachmentTooLarge
    }
    let owner = try known?.owner ?? room.error(named: piece.error, app: app)
    guard try room.take(size, app: app, isClaimed: owner > 0) else { return .attachmentNotKept }
    let id = try known?.id ?? insert(piece, app: app, owner: owner, row: row, received: received)
    addPart.bind(id, Int64(piece.part))
    try piece.data.withUnsafeBytes { bytes in
      addPart.bind(copying: bytes, at: 3)
      addPart.bind(row, at: 4)
      try addPart.run()
    }
    growAttachment.bind(id, Int64(size))
    try growAttachment.run()
    return nil
  }

  /// Returns the attachment to which a piece belongs, or `nil` if no part of it is stored.
  private func known(
    _ piece: IncomingAttachment, app: Int64
  ) throws -> (id: Int64, parts: Int64, bytes: SaturatingInt64, owner: Int64)? {
    findAttachment.bind(app)
    findAttachment.bind(piece.error, at: 2)
    findAttachment.bind(piece.id, at: 3)
    defer { findAttachment.reset() }
    guard try findAttachment.step() else { return nil }
    return (
      findAttachment.integer(0), findAttachment.integer(1), findAttachment.number(2), findAttachment.integer(3)
    )
  }

  /// Compares a piece with the stored one at its position; returns `nil` if there is none.
  private func isPart(_ data: [UInt8], _ part: Int, of attachment: Int64) throws -> Bool? {
    findPart.bind(attachment, Int64(part))
    defer { findPart.reset() }
    guard try findPart.step() else { return nil }
    return findPart.bytes(0).elementsEqual(data)
  }

  private func insert(
    _ piece: IncomingAttachment, app: Int64, owner: Int64, row: Int64, received: Int64
  ) throws -> Int64 {
    addAttachment.bind(app, owner, received, Int64(piece.parts))
    addAttachment.bind(piece.error, at: 5)
    addAttachment.bind(piece.id, at: 6)
    addAttachment.bind(piece.name, at: 7)
    addAttachment.bind(piece.contentType, at: 8)
    addAttachment.bind(row, at: 9)
    return try addAttachment.insertedID()
  }
}
