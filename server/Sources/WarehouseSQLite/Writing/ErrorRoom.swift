import Ingest
import TernBase
import Warehouse

/// The storage for the texts and attachments of an app's errors, and the order in which they are removed.
///
/// The errors themselves and their counts stay. A sixteenth of the limit is for attachments whose error has not arrived
/// (*unclaimed* attachments), so that attachments of errors that never existed displace only each other; another
/// sixteenth stays free for the next batch, before ``trim(app:)`` runs.
package final class ErrorRoom {
  /// The columns of a stored attachment that its removal needs.
  private struct Attachment {
    var id: Int64
    /// The error to which it belongs; 0 if unclaimed.
    var owner: Int64
    var name: String
    var stored: SaturatingInt64
    var bytes: SaturatingInt64
    var received: EventTime
  }

  private struct Use {
    /// The bytes of errors' texts and attachments.
    var claimed: SaturatingInt64 = 0
    var unclaimed: SaturatingInt64 = 0
  }

  /// The overhead of a text, or of a piece of an attachment: names, index entries, part of a page.
  private static let rowBytes: SaturatingInt64 = 512
  /// The maximum number of rows removed per batch. It equals the maximum number of events per request, so that an app
  /// can hardly add more than is removed.
  private static let maximumRemovedRows: SaturatingInt64 = 2_000
  /// The time that an attachment waits for its error: a day.
  private static let unclaimedMilliseconds: SaturatingInt64 = 86_400_000
  /// The maximum number of attachments that an error claims when it arrives. Others stay unclaimed.
  private static let maximumClaims = 100

  /// The storage used by texts and attachments, by app.
  private static let use = """
    SELECT app, bytes + \(rowBytes) AS claimed, 0 AS unclaimed FROM error_text
    UNION ALL SELECT app, bytes + \(rowBytes) * stored, 0 FROM attachment WHERE owner > 0
    UNION ALL SELECT app, 0, bytes + \(rowBytes) * stored FROM attachment WHERE owner = 0
    """

  private let readLimit: (_ app: Int64) -> Int64
  /// The limits as they were at the end of the last batch: a batch can have many errors.
  private var limits: [Int64: SaturatingInt64] = [:]
  private let findUse: SQLStatement
  private let storeUse: SQLStatement
  private let findError: SQLStatement
  private let claim: SQLStatement
  private let oldestText: SQLStatement
  private let oldestAttachment: SQLStatement
  private let oldestUnclaimed: SQLStatement
  private let removeText: SQLStatement
  private let noteParts: SQLStatement
  private let removeParts: SQLStatement
  private let removeAttachment: SQLStatement

  init(_ connection: SQLConnection, limit: @escaping (_ app: Int64) -> Int64) throws {
    readLimit = limit
    findUse = try connection.prepare("SELECT claimed, unclaimed FROM error_room WHERE app = ?")
    storeUse = try connection.prepare("INSERT OR REPLACE INTO error_room (app, claimed, unclaimed) VALUES (?, ?, ?)")
    findError = try connection.prepare(
      "SELECT id FROM error_text WHERE app = ? AND name = ? ORDER BY id DESC LIMIT 1")
    // The inner limit also bounds the rows that are read, no matter how many attachments name the error.
    claim = try connection.prepare(
      """
      UPDATE attachment SET owner = ?1 WHERE id IN (
        SELECT id FROM (SELECT id, owner FROM attachment WHERE app = ?2 AND error = ?3 LIMIT \(Self.maximumClaims))
        WHERE owner = 0
      ) RETURNING bytes + \(Self.rowBytes) * stored
      """)
    oldestText = try connection.prepare("SELECT id, name, bytes FROM error_text WHERE app = ? ORDER BY id LIMIT 1")
    let attachment = "SELECT id, owner, name, stored, bytes, received FROM attachment"
    oldestAttachment = try connection.prepare(
      "\(attachment) WHERE app = ? AND owner > 0 ORDER BY owner, id LIMIT 1")
    oldestUnclaimed = try connection.prepare("\(attachment) WHERE app = ? AND owner = 0 ORDER BY id LIMIT 1")
    removeText = try connection.prepare("DELETE FROM error_text WHERE id = ?")
    noteParts = try connection.prepare(
      """
      INSERT OR IGNORE INTO removed_piece
      SELECT p.row, a.app, a.error FROM attachment a JOIN attachment_part p ON p.attachment = a.id
      WHERE a.id = ? AND p.row > 0
      """)
    removeParts = try connection.prepare("DELETE FROM attachment_part WHERE attachment = ?")
    removeAttachment = try connection.prepare("DELETE FROM attachment WHERE id = ?")
  }

  /// Reserves room for a text or a piece of an attachment; returns false if there isn't enough.
  func take(_ bytes: Int, app: Int64, isClaimed: Bool) throws -> Bool {
    var use = try use(of: app)
    let cost = SaturatingInt64(bytes) + Self.rowBytes
    guard use.claimed + use.unclaimed + cost <= limit(of: app) else { return false }
    if isClaimed { use.claimed += cost } else { use.unclaimed += cost }
    try store(use, app: app)
    return true
  }

  /// Returns the newest error with this name whose texts are stored; 0 if there is none.
  func error(named name: String, app: Int64) throws -> Int64 {
    findError.bind(app)
    findError.bind(name, at: 2)
    defer { findError.reset() }
    return try findError.step() ? findError.integer(0) : 0
  }

  /// Assigns the attachments that arrived earlier to an error that has just been stored.
  func claimAttachments(of name: String, error: Int64, app: Int64) throws {
    guard !name.isEmpty else { return }
    claim.bind(error, app)
    claim.bind(name, at: 3)
    var bytes: SaturatingInt64 = 0
    while try claim.step() { bytes += claim.number(0) }
    guard bytes > 0 else { return }
    var use = try use(of: app)
    use.claimed += bytes
    use.unclaimed -= bytes
    try store(use, app: app)
  }

  /// Removes attachments that have waited for their error for too long. Before a batch, so that a batch that is sent again finds what
  /// it found.
  ///
  /// - Parameter received: The time at which the batch was received, in milliseconds.
  /// - Returns: The removed attachments, for the report of dropped events.
  func removeUnclaimed(app: Int64, received: Int64) throws -> [Rejection] {
    var (use, rows): (Use, SaturatingInt64) = (try use(of: app), 0)
    let removed = try removeUnclaimed(app, &use, &rows) { _, attachment in
      EventTime(received) - attachment.received > Self.unclaimedMilliseconds
    }
    if !removed.isEmpty { try store(use, app: app) }
    return removed
  }

  /// Makes room after a batch: removes the oldest texts and attachments until the rest fits, or until
  /// ``maximumRemovedRows`` rows are removed; later batches continue.
  ///
  /// - Returns: The removed texts and attachments, for the report of dropped events.
  func trim(app: Int64) throws -> [Rejection] {
    var (use, rows): (Use, SaturatingInt64) = (try use(of: app), 0)
    limits[app] = nil
    let limit = limit(of: app)
    let share = limit.divided(by: 16) ?? 0
    var removed = try removeUnclaimed(app, &use, &rows) { use, _ in use.unclaimed > share }
    while rows < Self.maximumRemovedRows, use.claimed > limit - share * 2 {
      oldestText.bind(app)
      let hasText = try oldestText.step()
      let text = hasText ? (id: oldestText.integer(0), name: oldestText.text(1), bytes: oldestText.number(2)) : nil
      oldestText.reset()
      // An error's text goes before its attachments, because the missing text also explains the missing attachments.
      if let attachment = try Self.attachment(oldestAttachment, app), attachment.owner < text?.id ?? .max {
        use.claimed -= try remove(attachment)
        rows += 1 + attachment.stored
        removed.append(Rejection(.attachmentNotKept, index: 0, id: attachment.name))
      } else if let text {
        removeText.bind(text.id)
        try removeText.run()
        use.claimed -= text.bytes + Self.rowBytes
        rows += 1
        removed.append(Rejection(.errorTextNotKept, index: 0, id: text.name))
      } else {
        break
      }
    }
    if !removed.isEmpty { try store(use, app: app) }
    return removed
  }

  /// Removes the oldest unclaimed attachments while they meet a condition.
  private func removeUnclaimed(
    _ app: Int64, _ use: inout Use, _ rows: inout SaturatingInt64, while isMeant: (Use, Attachment) -> Bool
  ) throws -> [Rejection] {
    var removed: [Rejection] = []
    while rows < Self.maximumRemovedRows, let attachment = try Self.attachment(oldestUnclaimed, app),
      isMeant(use, attachment)
    {
      use.unclaimed -= try remove(attachment)
      rows += 1 + attachment.stored
      removed.append(Rejection(.attachmentUnclaimed, index: 0, id: attachment.name))
    }
    return removed
  }

  private static func attachment(_ statement: SQLStatement, _ app: Int64) throws -> Attachment? {
    statement.bind(app)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return Attachment(
      id: statement.integer(0), owner: statement.integer(1), name: statement.text(2), stored: statement.number(3),
      bytes: statement.number(4), received: statement.time(5))
  }

  /// - Returns: The room that the attachment took.
  private func remove(_ attachment: Attachment) throws -> SaturatingInt64 {
    noteParts.bind(attachment.id)
    try noteParts.run()
    removeParts.bind(attachment.id)
    try removeParts.run()
    removeAttachment.bind(attachment.id)
    try removeAttachment.run()
    return attachment.bytes + Self.rowBytes * attachment.stored
  }

  private func limit(of app: Int64) -> SaturatingInt64 {
    if let limit = limits[app] { return limit }
    let limit = SaturatingInt64(readLimit(app))
    limits[app] = limit
    return limit
  }

  private func use(of app: Int64) throws -> Use {
    findUse.bind(app)
    defer { findUse.reset() }
    return try findUse.step() ? Use(claimed: findUse.number(0), unclaimed: findUse.number(1)) : Use()
  }

  private func store(_ use: Use, app: Int64) throws {
    storeUse.bind(app, use.claimed.rawValue, use.unclaimed.rawValue)
    try storeUse.run()
  }
}

// MARK: - Rebuilding and verifying

extension ErrorRoom {
  /// Recomputes the storage used.
  package static func rebuild(_ connection: SQLConnection) throws {
    try connection.execute(
      """
      DELETE FROM error_room;
      INSERT INTO error_room SELECT app, sum(claimed), sum(unclaimed) FROM (\(use)) GROUP BY app;
      """)
  }

  /// Returns the apps whose recorded storage differs from what their texts and attachments use, with the difference in
  /// bytes.
  package static func differences(_ connection: SQLConnection) throws -> [(
    app: Int64, claimed: Int64, unclaimed: Int64
  )] {
    let statement = try connection.prepare(
      """
      SELECT app, sum(claimed), sum(unclaimed) FROM (
        SELECT app, claimed, unclaimed FROM error_room
        UNION ALL SELECT app, -claimed, -unclaimed FROM (\(use))
      ) GROUP BY app HAVING sum(claimed) <> 0 OR sum(unclaimed) <> 0 ORDER BY app
      """)
    var differences: [(app: Int64, claimed: Int64, unclaimed: Int64)] = []
    while try statement.step() {
      differences.append((statement.integer(0), statement.integer(1), statement.integer(2)))
    }
    return differences
  }
}
