import Ingest
import TernEvents
import Views
import Warehouse

/// Reads an app's stored hits in a time range, with all of their parameters.
final class ViewScan {
  let connection: SQLConnection
  let app: Int64
  private let dictionary: ReaderDictionary
  let spans: [StoredSpan]
  private let months: Set<Int>
  /// The month of the rows being read.
  var month: Int32 = 0
  private(set) var devices: [Int64: IncomingDevice] = [:]
  private let loadDevice: SQLStatement
  /// The statements that read a single row, by month.
  var loadHit: [Int: SQLStatement] = [:]

  init(_ connection: SQLConnection, app: AppID, dictionary: ReaderDictionary) throws {
    self.connection = connection
    self.app = app.rawValue
    self.dictionary = dictionary
    spans = try StoredSpan.all(connection, through: .max).filter { $0.apps?.contains(app.rawValue) ?? true }
    let names = try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'mp_[0-9]*'")
    months = Set(names.compactMap { Int($0.dropFirst(3)) })
    loadDevice = try connection.prepare("SELECT facts FROM device WHERE id = ?")
  }

  /// Returns the time of the first hit, or `nil` if there are none.
  func firstTime() throws -> Int64? {
    var first: Int64?
    for span in spans {
      if let earliest = span.times?.lowerBound, span.apps == [app] {
        first = min(first ?? earliest, earliest)
        continue
      }
      if let first, let earliest = span.times?.lowerBound, earliest >= first { continue }
      let statement = try connection.prepare(
        "SELECT min(t) FROM \(WarehouseSchema.table(span.month)) WHERE id BETWEEN ? AND ? AND app = ?")
      statement.bind(span.ids.lowerBound, span.ids.upperBound, app)
      if try statement.step(), !statement.isNull(0) { first = min(first ?? .max, statement.integer(0)) }
      statement.reset()
    }
    return first
  }

  /// Returns the spans of rows that may have hits in a time range.
  func spans(in times: Range<Int64>) -> [StoredSpan] {
    spans.filter { $0.times.map { $0.lowerBound < times.upperBound && $0.upperBound >= times.lowerBound } ?? true }
  }

  /// Returns the most recently stored hits of a time range, newest first.
  func newest(_ limit: Int, in times: Range<Int64>) throws -> [ViewHit] {
    var hits: [ViewHit] = []
    for span in spans(in: times).sorted(by: { $0.ids.upperBound > $1.ids.upperBound }) {
      if hits.count >= limit, let last = hits.last, span.ids.upperBound < last.id { break }
      // Rows that are no hits must not take the places of some.
      let statement = try connection.prepare(
        select(span.month) + " AND e.kind & 15 NOT IN (\(Self.otherKinds)) ORDER BY e.id DESC LIMIT ?")
      statement.bind(span.ids.lowerBound, span.ids.upperBound, app, times.lowerBound, times.upperBound, Int64(limit))
      while try statement.step() { if let hit = try hit(statement) { hits.append(hit) } }
      hits.sort { $0.id > $1.id }
      if hits.count > limit { hits.removeLast(hits.count - limit) }
    }
    return hits
  }

  /// The kinds of rows that ``hit(_:)`` passes over.
  private static let otherKinds = [StoredKind.drops, .attachment, .attachmentPart].map { String($0.rawValue) }
    .joined(separator: ",")

  private func select(_ month: Int) -> String {
    "\(selectRows(month)) WHERE e.id BETWEEN ? AND ? AND e.app = ? AND e.t >= ? AND e.t < ?"
  }

  /// The columns that ``hit(_:)`` needs, without a condition on rows.
  func selectRows(_ month: Int) -> String {
    let isKept = months.contains(month)
    return """
      SELECT e.id, e.t, e.lag, e.slot, e.device, e.kind, e.name, e.user, e.props, \(isKept ? "m.parameters" : "NULL")
      FROM \(WarehouseSchema.table(month)) e
      \(isKept ? "LEFT JOIN \(WarehouseSchema.hits(month)) m ON m.id = e.id" : "")
      """
  }

  func hit(_ statement: SQLStatement) throws -> ViewHit? {
    let flags = EventRow.Flags(rawValue: statement.integer(5))
    switch flags.kind {
    case .drops, .attachment, .attachmentPart: return nil
    case .event, .screen, .sessionStart, .handledError, .crash, .other: break
    }
    let parameters =
      statement.isNull(9) ? try eventParameters(statement, flags) : Self.dictionary(HitStore.decode(statement.bytes(9)))
    return ViewHit(
      id: statement.integer(0), time: statement.integer(1), received: statement.integer(1) + statement.integer(2),
      slot: UInt32(clamping: statement.integer(3)), user: statement.text(7), device: try device(statement.integer(4)),
      parameters: parameters)
  }

  private static func dictionary(_ parameters: [HitParameter]) -> [String: String] {
    Dictionary(parameters.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
  }

  /// Returns the parameters of an event that arrived by another protocol.
  func eventParameters(_ statement: SQLStatement, _ flags: EventRow.Flags) throws -> [String: String] {
    let name = statement.integer(6)
    let properties = try PropertyCoding.decode(statement.bytes(8)) { try dictionary.text($0, connection) }
    return ViewHit.parameters(
      kind: flags.kind, startsSession: flags.startsSession, isMeasurement: flags.isMeasurement,
      name: try (name == 0 ? PropertyCoding.eventName(statement.bytes(8)) : nil) ?? dictionary.text(name, connection),
      properties: properties.map { ($0.name, Self.text($0.value)) })
  }

  private static func text(_ value: PropertyValue) -> String {
    switch value {
    case .string(let text): text
    case .integer(let number): String(number)
    case .double(let number): String(number)
    case .boolean(let flag): String(flag)
    case .date(let date): String(date.millisecondsSince1970)
    }
  }

  func device(_ id: Int64) throws -> IncomingDevice {
    if let known = devices[id] { return known }
    loadDevice.bind(id)
    defer { loadDevice.reset() }
    guard try loadDevice.step() else { return IncomingDevice() }
    let device = try WriterDevices.decode(loadDevice.bytes(0)) { try dictionary.text($0, connection) }
    devices[id] = device
    return device
  }
}
