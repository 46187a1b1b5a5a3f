import Ingest
import RowFiles
import TernEvents
import Views
import Warehouse

/// Reads an app's stored hits in a time range, with all of their parameters.
final class ViewScan {
  let connection: SQLConnection
  let app: Int64
  private let dictionary: ReaderDictionary
  let spans: [StoredSpan]
  /// Ends a long scan with `CancellationError` when true.
  var isCancelled: () -> Bool = { false }
  private(set) var devices: [Int64: IncomingDevice] = [:]
  private let loadDevice: SQLStatement

  init(_ connection: SQLConnection, app: AppID, dictionary: ReaderDictionary) throws {
    self.connection = connection
    self.app = app.rawValue
    self.dictionary = dictionary
    spans = try StoredSpan.all(connection).filter { $0.apps.contains(app.rawValue) }
    loadDevice = try connection.prepare("SELECT facts FROM device WHERE id = ?")
  }

  /// Returns the time of the first hit, or `nil` if there are none.
  func firstTime() throws -> Int64? {
    var first: Int64?
    for span in spans where span.times.lowerBound < first ?? .max {
      guard span.apps != [app] else {
        first = span.times.lowerBound
        continue
      }
      let rows = EventScan(connection, [span])
      while let row = try rows.next() { if row.app == app { first = min(first ?? .max, row.time) } }
    }
    return first
  }

  /// Returns the spans of rows that may have hits in a time range.
  func spans(in times: Range<Int64>) -> [StoredSpan] {
    spans.filter { $0.times.lowerBound < times.upperBound && $0.times.upperBound >= times.lowerBound }
  }

  /// Returns the most recently stored hits of a time range, newest first.
  func newest(_ limit: Int, in times: Range<Int64>) throws -> [ViewHit] {
    var hits: [ViewHit] = []
    for span in spans(in: times).reversed() {
      guard hits.count < limit else { break }
      var ids: [Int64] = []
      let rows = EventScan(connection, [span])
      while let row = try rows.next() {
        // Rows that are no hits must not take the places of some.
        if row.app == app, times.contains(row.time), row.flags.kind.isHit { ids.append(row.id) }
      }
      let newest = EventScan(connection, [span])
      hits += try ids.suffix(limit - hits.count).compactMap { id in try newest.find(id).flatMap { try hit($0, newest) }
      }
      .reversed()
    }
    return hits
  }

  /// Returns the hit of a row just read, or `nil` if it is none.
  func hit(_ row: EventRow, _ rows: EventScan) throws -> ViewHit? {
    guard row.flags.kind.isHit else { return nil }
    let parameters = try rows.parameters.map { Self.dictionary(HitCoding.decode($0)) } ?? eventParameters(row, rows)
    return ViewHit(
      id: row.id, time: row.time, received: row.received, slot: row.slot, user: rows.user,
      device: try device(row.device), parameters: parameters)
  }

  private static func dictionary(_ parameters: [HitParameter]) -> [String: String] {
    Dictionary(parameters.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
  }

  /// Returns the parameters of an event that arrived by another protocol.
  func eventParameters(_ row: EventRow, _ rows: EventScan) throws -> [String: String] {
    let properties = try PropertyCoding.decode(rows.properties) { try dictionary.text($0, connection) }
    return ViewHit.parameters(
      kind: row.flags.kind, startsSession: row.flags.startsSession, isMeasurement: row.flags.isMeasurement,
      name: try (row.name == 0 ? PropertyCoding.eventName(rows.properties) : nil)
        ?? dictionary.text(row.name, connection), properties: properties.map { ($0.name, Self.text($0.value)) })
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

extension StoredKind {
  /// True for rows that views count.
  var isHit: Bool {
    switch self {
    case .drops, .attachment, .attachmentPart: false
    case .event, .screen, .sessionStart, .handledError, .crash, .other: true
    }
  }
}
