import Foundation
import Ingest
import RowFiles
import ServerBase
import TernEvents
import Warehouse
import WarehouseSQLite

/// Adds to rows the texts that they name by number. One object reads rows within one transaction.
struct StoredRowReading {
  // Neighbouring rows have the same ones; the limit bounds the memory for a range of any kind.
  private static let maximumKnown = 50_000
  private let connection: SQLConnection
  private let dictionary: ReaderDictionary
  private let catalog: any CatalogStore
  private let findInstall: SQLStatement
  private let findDevice: SQLStatement
  private let findUser: SQLStatement
  private let findError: SQLStatement
  /// `nil` if attachments are not wanted.
  private let findAttachment: SQLStatement?
  private var installs: [Install: String] = [:]
  private var devices: [Int64: StoredRow.Device] = [:]
  private var users: [User: UInt32?] = [:]
  /// `nil` for the time zone of an app that is being deleted, or that this system doesn't know.
  private var calendars: [Int64: ZoneCalendar?] = [:]

  private struct Install: Hashable {
    let app: Int64
    let slot: UInt32
  }

  private struct User: Hashable {
    let app: Int64
    let name: ExactText
  }

  init(
    _ connection: SQLConnection, _ dictionary: ReaderDictionary, _ catalog: any CatalogStore, hasAttachments: Bool
  ) throws {
    self.connection = connection
    self.dictionary = dictionary
    self.catalog = catalog
    findInstall = try connection.prepare("SELECT name FROM install WHERE app = ? AND slot = ?")
    findDevice = try connection.prepare("SELECT facts FROM device WHERE id = ?")
    findUser = try connection.prepare("SELECT number FROM member WHERE app = ? AND name = ?")
    findError = try connection.prepare(
      """
      SELECT e.name, g.type, g.place, g.fingerprint, g.id, t.id, t.message, t.stack, t.raw
      FROM error e JOIN error_group g ON g.id = e.grp LEFT JOIN error_text t ON t.id = e.id WHERE e.id = ?
      """)
    findAttachment =
      hasAttachments
      ? try connection.prepare(
        """
        SELECT a.error, a.name, a.file, a.type, p.part, a.parts, p.data
        FROM attachment_part p JOIN attachment a ON a.id = p.attachment WHERE p.row = ?
        """) : nil
  }

  /// Returns the row that a scan has just returned.
  mutating func complete(_ row: EventRow, _ scan: EventScan) throws -> StoredRow {
    let kind = row.flags.kind
    let user = scan.userBytes.isEmpty ? "" : scan.user
    return StoredRow(
      id: row.id, app: row.app, day: try day(of: row), time: row.time, received: row.received, kind: kind,
      flags: row.flags.rawValue, name: try name(of: row, scan), nameID: row.name, install: try install(row),
      slot: row.slot, session: row.session, user: user, userNumber: try number(of: user, row.app), key: row.key,
      device: try device(row.device), properties: try properties(scan.properties),
      parameters: scan.parameters.map { HitCoding.decode($0) },
      error: kind == .handledError || kind == .crash ? try error(row.id) : nil,
      attachment: kind == .attachment || kind == .attachmentPart ? try attachment(row.id) : nil)
  }

  private mutating func day(of row: EventRow) throws -> Int {
    let calendar = try calendars[row.app] ?? calendar(row.app)
    calendars[row.app] = .some(calendar)
    return calendar?.day(of: row.time) ?? Int(flooredQuotient(row.time, 86_400_000))
  }

  private func calendar(_ app: Int64) throws -> ZoneCalendar? {
    do {
      return try catalog.calendar(AppID(app))
    } catch let error as WarehouseError where error.code == .unknownApp || error.code == .invalid {
      return nil
    }
  }

  private func name(of row: EventRow, _ scan: EventScan) throws -> String {
    try (row.name == 0 ? PropertyCoding.eventName(scan.properties) : nil) ?? dictionary.text(row.name, connection)
  }

  private mutating func install(_ row: EventRow) throws -> String {
    let key = Install(app: row.app, slot: row.slot)
    if let name = installs[key] { return name }
    let name = try findInstall.bind(row.app, Int64(row.slot)).first { WriterInstalls.name($0, 0) } ?? ""
    if installs.count >= Self.maximumKnown { installs.removeAll(keepingCapacity: true) }
    installs[key] = name
    return name
  }

  private mutating func device(_ id: Int64) throws -> StoredRow.Device {
    if let device = devices[id] { return device }
    let device = try findDevice.bind(id).first { row in
      try WriterDevices.stored(id: id, row.bytes(0)) { try dictionary.text($0, connection) }
    }
    let found =
      device ?? StoredRow.Device(id: id, facts: IncomingDevice(), labels: DeviceLabels(IncomingDevice()), texts: [])
    if devices.count >= Self.maximumKnown { devices.removeAll(keepingCapacity: true) }
    devices[id] = found
    return found
  }

  private mutating func number(of user: String, _ app: Int64) throws -> UInt32? {
    guard !user.isEmpty else { return nil }
    let key = User(app: app, name: ExactText(user))
    if let number = users[key] { return number }
    let number = try findUser.bind(app, user).first { UInt32(clamping: $0.integer(0)) }
    if users.count >= Self.maximumKnown { users.removeAll(keepingCapacity: true) }
    users[key] = .some(number)
    return number
  }

  private func properties(_ bytes: UnsafeRawBufferPointer) throws -> [StoredRow.Property] {
    var reader = ByteReader(bytes)
    var properties: [StoredRow.Property] = []
    while !reader.isAtEnd {
      guard let id = reader.varint() else { break }
      let own = id == 0 ? reader.text() : nil
      var tag = reader
      guard let type = tag.byte(), let value = PropertyCoding.value(&reader) else { break }
      let name = try own ?? dictionary.text(Int64(bitPattern: id), connection)
      properties.append(
        StoredRow.Property(name: name, nameID: Int64(bitPattern: id), type: type, value: EncodedRow.text(value)))
    }
    return properties
  }

  private func error(_ id: Int64) throws -> StoredRow.ErrorDetails? {
    try findError.bind(id).first { row in
      var details = StoredRow.ErrorDetails()
      details.id = row.text(0)
      details.type = row.text(1)
      details.place = row.text(2)
      details.fingerprint = row.integer(3)
      details.group = row.integer(4)
      details.hasTexts = !row.isNull(5)
      guard details.hasTexts else { return details }
      details.message = row.text(6)
      details.stack = row.text(7)
      details.raw = Array(row.bytes(8))
      return details
    }
  }

  private func attachment(_ id: Int64) throws -> StoredRow.Attachment? {
    try findAttachment?.bind(id).first { row in
      var attachment = StoredRow.Attachment()
      attachment.error = row.text(0)
      attachment.id = row.text(1)
      attachment.file = row.text(2)
      attachment.contentType = row.text(3)
      attachment.part = row.integer(4)
      attachment.parts = row.integer(5)
      attachment.data = Array(row.bytes(6))
      return attachment
    }
  }
}
