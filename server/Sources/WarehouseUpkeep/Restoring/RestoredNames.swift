import ErrorGrouping
import Ingest
import RowFiles
import TernBase
import Warehouse
import WarehouseSQLite

/// Stores what rows name by number, under the numbers that it had: texts, devices, installs, users and errors.
///
/// Two rows must say the same about one number. Installs and users are an exception: a deletion forgets a name before
/// its rows, which the cluster may have still, and the same name has a new number since.
final class RestoredNames {
  // Neighbouring rows name the same; the tables have everything.
  private static let maximumKnown = 200_000

  private struct Text: Hashable {
    let app: Int64
    let kind: Int64
    let text: ExactText
  }

  private struct NumberInApp: Hashable {
    let app: Int64
    let number: Int64
  }

  private let connection: SQLConnection
  /// Only for attachments, without a limit: the next batch with errors makes room.
  private let errors: ErrorStore
  private let addText: SQLStatement
  private let findText: SQLStatement
  private let addDevice: SQLStatement
  private let findDevice: SQLStatement
  private let addInstall: SQLStatement
  private let addUser: SQLStatement
  private let addGroup: SQLStatement
  private let completeGroup: SQLStatement
  private let addError: SQLStatement
  private let addErrorText: SQLStatement
  private var texts: [Int64: Text] = [:]
  private var devices: [Int64: [UInt8]] = [:]
  private var installs: [NumberInApp: String] = [:]
  private var users: [NumberInApp: String] = [:]
  private var groups: Set<Int64> = []
  /// The signatures whose errors had no texts so far.
  private var bareGroups: Set<Int64> = []
  /// The numbers after the highest ones, by app.
  private var nextInstall: [Int64: Int64] = [:]
  private var nextUser: [Int64: Int64] = [:]

  init(_ connection: SQLConnection) throws {
    self.connection = connection
    errors = try ErrorStore(connection) { _ in .max }
    addText = try connection.prepare("INSERT OR IGNORE INTO dictionary (id, app, kind, text) VALUES (?, ?, ?, ?)")
    findText = try connection.prepare("SELECT app, kind, text FROM dictionary WHERE id = ?")
    addDevice = try connection.prepare("INSERT OR IGNORE INTO device (id, app, facts) VALUES (?, ?, ?)")
    findDevice = try connection.prepare("SELECT facts FROM device WHERE id = ? AND app = ?")
    addInstall = try connection.prepare(
      """
      INSERT INTO install (app, name, slot, first_day) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET slot = max(slot, excluded.slot)
      """)
    addUser = try connection.prepare(
      """
      INSERT INTO member (app, name, number) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET number = max(number, excluded.number)
      """)
    addGroup = try connection.prepare(
      """
      INSERT OR IGNORE INTO error_group
        (id, app, kind, fingerprint, own_key, key, is_pending, type, place, message, signature, frame)
      VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
      """)
    completeGroup = try connection.prepare(ErrorGroups.completion)
    addError = try connection.prepare("INSERT INTO error VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    addErrorText = try connection.prepare("INSERT INTO error_text VALUES (?, ?, ?, ?, ?, ?, ?)")
  }

  /// Adds what a row names.
  ///
  /// - Parameter receivedDay: The civil day of its receipt.
  func add(_ row: StoredRow, _ encoded: EventRow, receivedDay: Int) throws {
    try add(row.nameID, row.name, row.kind.nameKind, row)
    for property in row.properties { try add(property.nameID, property.name, .property, row) }
    try add(row.device, row)
    try addInstall(row, receivedDay)
    try addUser(row)
    if let error = row.error { try add(error, row, encoded) }
    if let attachment = row.attachment { try add(attachment, row) }
  }

  /// Stores the numbers that the next installs and users get, and gives attachments that came before their errors to these.
  func finish() throws {
    try connection.execute(
      """
      UPDATE attachment SET owner = coalesce((
        SELECT min(id) FROM error_text WHERE error_text.app = attachment.app AND error_text.name = attachment.error), 0)
      WHERE owner = 0
      """)
    for (table, numbers) in [("app", nextInstall), ("member_count", nextUser)] {
      let insert = try connection.prepare("INSERT OR REPLACE INTO \(table) VALUES (?, ?)")
      for (app, number) in numbers { try insert.bind(app, number).run() }
    }
  }

  private func add(_ id: Int64, _ name: String, _ kind: NameKind, _ row: StoredRow) throws {
    // The text of a number that home had no longer.
    guard id != 0, name != Dimension.otherKey else { return }
    let text = Text(app: row.app, kind: kind.rawValue, text: ExactText(name))
    if let known = texts[id] {
      guard known == text else { throw Self.conflict(row, "text", id) }
      return
    }
    try addText.bind(id, row.app, kind.rawValue, name).run()
    let stored = try findText.bind(id).first {
      Text(app: $0.integer(0), kind: $0.integer(1), text: ExactText($0.text(2)))
    }
    guard stored == text else { throw Self.conflict(row, "text", id) }
    if texts.count >= Self.maximumKnown { texts.removeAll(keepingCapacity: true) }
    texts[id] = text
  }

  private func add(_ device: StoredRow.Device, _ row: StoredRow) throws {
    // A device that was missing at home.
    guard !device.texts.isEmpty else { return }
    let facts = WriterDevices.encode(device)
    if let known = devices[device.id] {
      guard known == facts else { throw Self.conflict(row, "device", device.id) }
      return
    }
    for (index, text) in WriterDevices.texts(of: device.facts, device.labels).enumerated() {
      try add(device.texts[index], text, WriterDevices.kinds[index], row)
    }
    addDevice.bind(device.id, row.app)
    addDevice.bind(facts, at: 3)
    try addDevice.run()
    guard try findDevice.bind(device.id, row.app).first({ Array($0.bytes(0)) }) == facts else {
      throw Self.conflict(row, "device", device.id)
    }
    if devices.count >= Self.maximumKnown { devices.removeAll(keepingCapacity: true) }
    devices[device.id] = facts
  }

  private func addInstall(_ row: StoredRow, _ day: Int) throws {
    let slot = Int64(row.slot)
    nextInstall[row.app] = max(nextInstall[row.app] ?? 0, slot + 1)
    let key = NumberInApp(app: row.app, number: slot)
    // A deletion has forgotten the name, and its rows are left.
    guard !row.install.isEmpty, installs[key] != row.install else { return }
    WriterInstalls.bind(app: row.app, install: row.install, to: addInstall)
    addInstall.bind(slot, at: 3)
    addInstall.bind(Int64(day), at: 4)
    try addInstall.run()
    if installs.count >= Self.maximumKnown { installs.removeAll(keepingCapacity: true) }
    installs[key] = row.install
  }

  private func addUser(_ row: StoredRow) throws {
    guard let number = row.userNumber.map(Int64.init), !row.user.isEmpty else { return }
    nextUser[row.app] = max(nextUser[row.app] ?? 0, number + 1)
    let key = NumberInApp(app: row.app, number: number)
    guard users[key] != row.user else { return }
    try addUser.bind(row.app, row.user, number).run()
    if users.count >= Self.maximumKnown { users.removeAll(keepingCapacity: true) }
    users[key] = row.user
  }

  /// Returns the signature that an error's texts make, if it is the one that it was stored under.
  private static func signature(of error: StoredRow.ErrorDetails, _ row: StoredRow) -> Signature? {
    guard error.hasTexts else { return nil }
    // Earlier versions made fingerprints without the app's build.
    for appBuild in [row.device.facts.appBuildName, ""] {
      let made = IncomingError.signature(
        kind: row.kind, type: error.type, message: error.message, stack: error.stack, raw: error.raw,
        appBuild: appBuild)
      if made.hash(type: error.type, place: error.place) == error.fingerprint { return made }
    }
    return nil
  }

  /// Adds the signature of an error. An error without texts stays in a group of its own.
  private func add(groupOf error: StoredRow.ErrorDetails, _ row: StoredRow) throws {
    let signature = Self.signature(of: error, row)
    if signature == nil { bareGroups.insert(error.group) }
    let group = signature.map { GroupKey($0) }
    addGroup.bind(
      error.group, row.app, Int64(row.kind.rawValue), error.fingerprint, group?.value ?? error.fingerprint,
      signature == nil ? 0 : 1)
    let texts = [
      error.type, error.place, error.message.prefix(utf8Bytes: 300), signature?.text ?? "", group?.place ?? error.place,
    ]
    for (index, text) in texts.enumerated() { addGroup.bind(text, at: Int32(index + 7)) }
    try addGroup.run()
  }

  private func complete(groupOf error: StoredRow.ErrorDetails, _ row: StoredRow) throws {
    guard let signature = Self.signature(of: error, row) else { return }
    bareGroups.remove(error.group)
    let group = GroupKey(signature)
    completeGroup.bind(error.group, group.value)
    completeGroup.bind(signature.text, at: 3)
    completeGroup.bind(group.place, at: 4)
    try completeGroup.run()
  }

  private func add(_ error: StoredRow.ErrorDetails, _ row: StoredRow, _ encoded: EventRow) throws {
    if groups.insert(error.group).inserted {
      try add(groupOf: error, row)
    } else if error.hasTexts, bareGroups.contains(error.group) {
      try complete(groupOf: error, row)
    }
    addError.bind(
      row.id, row.app, error.group, row.time, encoded.lag, Int64(row.slot), row.device.id, row.session)
    addError.bind(error.id, at: 9)
    if row.user.isEmpty { addError.bindNull(at: 10) } else { addError.bind(row.user, at: 10) }
    try addError.run()
    guard error.hasTexts else { return }
    addErrorText.bind(row.id, row.app, Int64(error.message.utf8.count + error.stack.utf8.count + error.raw.count))
    for (index, text) in [error.id, error.message, error.stack].enumerated() {
      addErrorText.bind(text, at: Int32(index + 4))
    }
    addErrorText.bind(error.raw, at: 7)
    try addErrorText.run()
  }

  private func add(_ attachment: StoredRow.Attachment, _ row: StoredRow) throws {
    guard let part = Int(exactly: attachment.part), let parts = Int(exactly: attachment.parts) else { return }
    let piece = IncomingAttachment(
      event: 0, eventID: "", error: attachment.error, id: attachment.id, name: attachment.file,
      contentType: attachment.contentType, part: part, parts: parts, data: attachment.data)
    _ = try errors.add(piece, app: row.app, row: row.id, received: row.received)
  }

  private static func conflict(_ row: StoredRow, _ thing: String, _ id: Int64) -> WarehouseError {
    WarehouseError(.damaged, "Row \(row.id) names \(thing) \(id), which is another one in an earlier row.")
  }
}
