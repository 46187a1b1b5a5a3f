import Ingest
import Views
import Warehouse

/// Keeps what errors and their attachments carry beside their events, in the transaction that stores those.
///
/// It cannot be told from the events again, so `rebuild` leaves it alone, and it is bounded per app: a client that sends
/// errors in a loop must not fill the disk.
final class ErrorStore {
  private struct GroupKey: Hashable {
    var app: Int64
    var kind: Int64
    var fingerprint: Int64
  }

  /// Groups of one app; further errors share one of each kind.
  private static let maximumGroups: Int64 = 10_000
  private static let cachedGroups = 50_000
  private let connection: SQLConnection
  private let limit: Int64
  private var groups: [GroupKey: Int64] = [:]
  private let findGroup: SQLStatement
  private let addGroup: SQLStatement
  private let countGroups: SQLStatement
  private let addError: SQLStatement
  private let addText: SQLStatement
  private let findAttachment: SQLStatement
  private let addAttachment: SQLStatement
  private let growAttachment: SQLStatement
  private let findPart: SQLStatement
  private let addPart: SQLStatement
  private let takeRoom: SQLStatement
  private let findRoom: SQLStatement

  init(_ connection: SQLConnection, limit: Int64) throws {
    self.connection = connection
    self.limit = limit
    findGroup = try connection.prepare("SELECT id FROM error_group WHERE app = ? AND kind = ? AND fingerprint = ?")
    addGroup = try connection.prepare(
      """
      INSERT INTO error_group (app, kind, fingerprint, type, place, message) VALUES (?, ?, ?, ?, ?, ?) RETURNING id
      """)
    countGroups = try connection.prepare("SELECT count(*) FROM error_group WHERE app = ?")
    addError = try connection.prepare("INSERT INTO error VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    addText = try connection.prepare("INSERT INTO error_text VALUES (?, ?, ?, ?)")
    findAttachment = try connection.prepare(
      "SELECT id, parts, bytes FROM attachment WHERE app = ? AND error = ? AND name = ?")
    addAttachment = try connection.prepare(
      """
      INSERT INTO attachment (app, parts, error, name, file, type, stored, bytes) VALUES (?, ?, ?, ?, ?, ?, 0, 0)
      RETURNING id
      """)
    growAttachment = try connection.prepare(
      "UPDATE attachment SET bytes = bytes + ?2, stored = stored + 1 WHERE id = ?1")
    findPart = try connection.prepare("SELECT data FROM attachment_part WHERE attachment = ? AND part = ?")
    addPart = try connection.prepare("INSERT OR IGNORE INTO attachment_part (attachment, part, data) VALUES (?, ?, ?)")
    takeRoom = try connection.prepare(
      "INSERT INTO error_room VALUES (?1, ?2) ON CONFLICT DO UPDATE SET bytes = bytes + ?2")
    findRoom = try connection.prepare("SELECT bytes FROM error_room WHERE app = ?")
  }

  func forget() { groups = [:] }

  /// Stores an error whose event is `row`.
  ///
  /// - Returns: whether its texts were left out for want of room; it counts all the same.
  func add(_ error: IncomingError, _ row: EventRow, user: String) throws -> Bool {
    addError.bind(
      row.id, row.app, try group(of: error, row), row.time, row.lag, Int64(row.slot), row.device, row.session)
    addError.bind(error.id, at: 9)
    if user.isEmpty { addError.bindNull(at: 10) } else { addError.bind(user, at: 10) }
    try addError.run()
    let size = error.message.utf8.count + error.stack.utf8.count + error.raw.count
    guard try take(Int64(size), app: row.app) else { return true }
    addText.bind(row.id)
    addText.bind(error.message, at: 2)
    addText.bind(error.stack, at: 3)
    try error.raw.withUnsafeBytes { bytes in
      addText.bind(copying: bytes, at: 4)
      try addText.run()
    }
    return false
  }

  /// Stores an attachment, or a piece of one.
  ///
  /// - Returns: why it is not stored; `nil` when it is, or was before.
  func add(_ piece: IncomingAttachment, app: Int64) throws -> RejectionReason? {
    findAttachment.bind(app)
    findAttachment.bind(piece.error, at: 2)
    findAttachment.bind(piece.id, at: 3)
    let isKnown = try findAttachment.step()
    let known = isKnown ? (findAttachment.integer(0), findAttachment.integer(1), findAttachment.integer(2)) : (0, 0, 0)
    findAttachment.reset()
    if isKnown {
      guard known.1 == Int64(piece.parts) else { return .attachmentInvalid }
      switch try isPart(piece.data, piece.part, of: known.0) {
      case true?: return nil
      case false?: return .attachmentConflict
      case nil: break
      }
    }
    let size = Int64(piece.data.count)
    guard known.2 + size <= Int64(IncomingAttachment.maximumBytes) else { return .attachmentTooLarge }
    guard try take(size, app: app) else { return .errorStorageFull }
    let id = isKnown ? known.0 : try insert(piece, app: app)
    addPart.bind(id, Int64(piece.part))
    try piece.data.withUnsafeBytes { bytes in
      addPart.bind(copying: bytes, at: 3)
      try addPart.run()
    }
    growAttachment.bind(id, size)
    try growAttachment.run()
    return nil
  }

  /// Whether the piece that is stored at a place is the same; `nil` when there is none.
  private func isPart(_ data: [UInt8], _ part: Int, of attachment: Int64) throws -> Bool? {
    findPart.bind(attachment, Int64(part))
    defer { findPart.reset() }
    guard try findPart.step() else { return nil }
    return findPart.bytes(0).elementsEqual(data)
  }

  private func insert(_ piece: IncomingAttachment, app: Int64) throws -> Int64 {
    addAttachment.bind(app, Int64(piece.parts))
    addAttachment.bind(piece.error, at: 3)
    addAttachment.bind(piece.id, at: 4)
    addAttachment.bind(piece.name, at: 5)
    addAttachment.bind(piece.contentType, at: 6)
    return try inserted(addAttachment)
  }

  /// Takes room of an app's share; `false` when there is not enough.
  private func take(_ bytes: Int64, app: Int64) throws -> Bool {
    findRoom.bind(app)
    let taken = try findRoom.step() ? findRoom.integer(0) : 0
    findRoom.reset()
    // A row costs about this much besides.
    let cost = bytes + 64
    guard taken + cost <= limit else { return false }
    takeRoom.bind(app, cost)
    try takeRoom.run()
    return true
  }

  private func group(of error: IncomingError, _ row: EventRow) throws -> Int64 {
    let kind = Int64(row.flags.kind.rawValue)
    if let known = try group(GroupKey(app: row.app, kind: kind, fingerprint: error.fingerprint)) { return known }
    countGroups.bind(row.app)
    let count = try countGroups.step() ? countGroups.integer(0) : 0
    countGroups.reset()
    let isOther = count >= Self.maximumGroups
    let key = GroupKey(app: row.app, kind: kind, fingerprint: isOther ? 0 : error.fingerprint)
    if isOther, let known = try group(key) { return known }
    addGroup.bind(key.app, key.kind, key.fingerprint)
    addGroup.bind(isOther ? WriterDictionary.other : error.type, at: 4)
    addGroup.bind(isOther ? "" : error.place, at: 5)
    addGroup.bind(isOther ? "" : String(error.message.prefix(300)), at: 6)
    let id = try inserted(addGroup)
    remember(id, key)
    return id
  }

  private func group(_ key: GroupKey) throws -> Int64? {
    if let known = groups[key] { return known }
    findGroup.bind(key.app, key.kind, key.fingerprint)
    defer { findGroup.reset() }
    guard try findGroup.step() else { return nil }
    let id = findGroup.integer(0)
    remember(id, key)
    return id
  }

  private func remember(_ id: Int64, _ key: GroupKey) {
    if groups.count >= Self.cachedGroups { groups.removeAll() }
    groups[key] = id
  }

  private func inserted(_ statement: SQLStatement) throws -> Int64 {
    let id = try statement.step() ? statement.integer(0) : 0
    // The statement must run to its end for the change to count.
    while try statement.step() {}
    return id
  }
}
