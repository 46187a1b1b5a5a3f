import Foundation
import Ingest
import RowFiles
import ServerBase
import TernEvents
import Warehouse
import WarehouseSQLite

/// Writes the lines of an export (docs/export-format.md).
struct ExportText {
  static let version: Int64 = 1

  let request: ExportRequest
  let connection: SQLConnection
  let dictionary: ReaderDictionary
  var json = JSONWriter(capacity: 1 << 20)
  /// The times of the wanted rows; `nil` for all.
  let times: Range<Int64>?
  private let app: Int64
  /// The person whose rows are wanted; `nil` for all rows.
  private let person: ExportedPerson?
  private let findInstall: SQLStatement
  private let findDevice: SQLStatement
  private let findError: SQLStatement
  // Neighbouring rows have mostly the same ones. The caches are bounded, since an export may have any size.
  private static let maximumKnown = 10_000
  private var installs: [UInt32: [UInt8]] = [:]
  private var devices: [Int64: [UInt8]] = [:]
  private var texts: [Int64: [UInt8]] = [:]

  /// - Parameter identifiers: Those that aliases join with the person, if it is a user.
  /// - Throws: ``WarehouseError`` with code `invalid` if the person is unknown.
  init(
    _ request: ExportRequest, joined identifiers: [String]? = nil, _ connection: SQLConnection,
    _ dictionary: ReaderDictionary
  ) throws {
    self.request = request
    self.connection = connection
    self.dictionary = dictionary
    app = request.app.id.rawValue
    times = try Self.times(request)
    findInstall = try connection.prepare("SELECT name FROM install WHERE app = ? AND slot = ?")
    findDevice = try connection.prepare("SELECT facts FROM device WHERE id = ?")
    findError = try connection.prepare(
      """
      SELECT e.name, g.type, g.place, g.fingerprint, t.id, t.message, t.stack, t.raw, g.message
      FROM error e JOIN error_group g ON g.id = e.grp LEFT JOIN error_text t ON t.id = e.id WHERE e.id = ?
      """)
    person = try request.person.map {
      try ExportedPerson($0, joined: identifiers, app: request.app.id.rawValue, connection)
    }
  }

  private static func times(_ request: ExportRequest) throws -> Range<Int64>? {
    guard request.from != nil || request.to != nil else { return nil }
    let calendar = ZoneCalendar(request.app.zone)
    // A day that a zone has skipped has no bounds; its neighbours have.
    let start = request.from.flatMap { day in (0...2).lazy.compactMap { calendar.bounds(of: day.number + $0) }.first }
    let end = request.to.flatMap { day in (0...2).lazy.compactMap { calendar.bounds(of: day.number - $0) }.first }
    let first = start?.lowerBound ?? .min
    return first..<max(first, end?.upperBound ?? .max)
  }

  /// True if a row belongs to the person who is exported.
  @inline(__always)
  func isOfPerson(_ row: EventRow, _ scan: EventScan) -> Bool {
    person.map { $0.has(slot: row.slot, user: scan.userBytes) } ?? true
  }

  func isOfPerson(slot: Int64, user: String) throws -> Bool {
    person.map { $0.has(slot: UInt32(clamping: slot), user: user.utf8) } ?? true
  }

  // MARK: - Lines

  mutating func header() {
    guard request.format == .ndjson else { return csvHeader() }
    json.raw("{\"tern\":\"export\",\"version\":")
    json.integer(Self.version)
    member(",\"server\":", request.server)
    json.raw(",\"app\":")
    json.integer(app)
    member(",\"name\":", request.app.name)
    member(",\"timeZone\":", request.app.timeZone)
    if let from = request.from { member(",\"from\":", from.description) }
    if let to = request.to { member(",\"to\":", to.description) }
    switch request.person {
    case .install(let name): member(",\"install\":", name)
    case .user(let name): member(",\"user\":", name)
    case nil: break
    }
    json.raw("}\n")
  }

  mutating func end() { json.raw("{\"end\":true}\n") }

  mutating func addError(_ id: Int64) throws {
    findError.bind(id)
    defer { findError.reset() }
    guard try findError.step() else { return }
    let isKept = !findError.isNull(4)
    json.raw(",\"error\":{\"id\":")
    json.string(findError.text(0))
    member(",\"type\":", findError.text(1))
    member(",\"place\":", findError.text(2))
    member(",\"fingerprint\":", Self.hexadecimal(findError.integer(3)))
    member(",\"message\":", isKept ? findError.text(5) : findError.text(8))
    if isKept {
      member(",\"stack\":", findError.text(6))
      member(",\"raw\":", Data(findError.bytes(7)).base64EncodedString())
    } else {
      json.raw(",\"isTextRemoved\":true")
    }
    json.raw("}")
  }

  // MARK: - Texts

  mutating func member(_ name: StaticString, _ value: String) {
    json.raw(name)
    json.string(value)
  }

  static func hexadecimal(_ number: Int64) -> String { String(UInt64(bitPattern: number), radix: 16) }

  /// Returns a text of the dictionary as it is written in this format.
  mutating func text(_ id: Int64) throws -> [UInt8] {
    if let text = texts[id] { return text }
    let text = encoded(try dictionary.text(id, connection))
    if texts.count >= Self.maximumKnown { texts.removeAll(keepingCapacity: true) }
    texts[id] = text
    return text
  }

  /// Returns the name of an install as it is written in this format.
  mutating func install(_ slot: UInt32) throws -> [UInt8] {
    if let name = installs[slot] { return name }
    let name = encoded(try findInstall.bind(app, Int64(slot)).first { WriterInstalls.name($0, 0) } ?? "")
    if installs.count >= Self.maximumKnown { installs.removeAll(keepingCapacity: true) }
    installs[slot] = name
    return name
  }

  /// Returns a device as `encode` writes it.
  mutating func device(_ id: Int64, encode: (IncomingDevice) -> [UInt8]) throws -> [UInt8] {
    if let text = devices[id] { return text }
    let device =
      try findDevice.bind(id).first { row in
        try WriterDevices.decode(row.bytes(0)) { try dictionary.text($0, connection) }
      } ?? IncomingDevice()
    let text = encode(device)
    if devices.count >= Self.maximumKnown { devices.removeAll(keepingCapacity: true) }
    devices[id] = text
    return text
  }

  private func encoded(_ text: String) -> [UInt8] {
    guard request.format == .ndjson else { return request.csv.field(text) }
    var json = JSONWriter(capacity: text.utf8.count + 2)
    json.string(text)
    return json.bytes
  }
}
