import Ingest
import JSON
import Questions
import RowFiles
import ServerBase
import TernBase
package import TernEvents
package import Warehouse

extension WarehouseReader {
  /// The counts of one value while packs are read.
  private struct ValueTotals {
    var count: Int64 = 0
    var users: SlotSet?
  }

  /// Returns the property values of one event; see ``MetricsStore/properties(app:event:days:limit:)``.
  package func properties(
    app: AppID, event: String, days: ClosedRange<Day>, limit: Int
  ) async throws -> [PropertyTotals] {
    try await reading { [self] connection in
      guard let number = try ReaderDictionary.id(event, app: app.rawValue, kind: .event, connection) else { return [] }
      var properties: [Int64: PropertyValues] = [:]
      try forEachGroup(app, event: number, days, connection) { property, packs in
        try properties[property, default: PropertyValues()].add(packs)
      }
      var metrics: [PropertyTotals] = []
      for (property, values) in properties {
        metrics.append(try values.metrics(property: try dictionary.text(property, connection), limit: limit))
      }
      return metrics.sorted { ($1.count, $0.property) < ($0.count, $1.property) }
    }
  }

  /// Calls `body` with the property and the packs of each day on which it occurred.
  private func forEachGroup(
    _ app: AppID, event: Int64, _ days: ClosedRange<Day>, _ connection: SQLConnection,
    _ body: (Int64, [[UInt8]]) throws -> Void
  ) throws {
    let statement = try connection.prepare(
      kept: "SELECT property, pack FROM property_values WHERE app = ? AND day = ? AND event = ? ORDER BY property, part"
    )
    for day in try activeDays(app, event: event, days, connection) {
      statement.bind(app.rawValue, day, event)
      var property: Int64?
      var packs: [[UInt8]] = []
      while try statement.step() {
        if let property, property != statement.integer(0) {
          try body(property, packs)
          packs = []
        }
        property = statement.integer(0)
        packs.append(Array(statement.bytes(1)))
      }
      if let property { try body(property, packs) }
    }
  }

  private func activeDays(
    _ app: AppID, event: Int64, _ days: ClosedRange<Day>, _ connection: SQLConnection
  ) throws -> [Int64] {
    let statement = try connection.prepare(
      kept: "SELECT day FROM daily_count WHERE app = ? AND dim = ? AND day BETWEEN ? AND ? AND key = ?")
    bind(statement, app, .event, days)
    statement.bind(event, at: 5)
    return try statement.all { $0.integer(0) }
  }
}

/// The values of one property, accumulated over days.
///
/// Counts are read first, and user sets only for the values shown, since sets are most of a pack.
private struct PropertyValues {
  private var days: [[[UInt8]]] = []
  private var counts: [ExactText: Int] = [:]
  private var isCapped = false

  mutating func add(_ packs: [[UInt8]]) throws {
    days.append(packs)
    let texts = try Self.texts(packs)
    for pack in packs {
      try pack.withUnsafeBytes { bytes in
        try PropertyPack.forEach(bytes) { entry in
          if entry.number == PropertyPack.other { isCapped = true }
          counts[ExactText(Self.text(entry.number, texts)), default: 0].addSaturated(Int(entry.count))
        }
      }
    }
  }

  func metrics(property: String, limit: Int) throws -> PropertyTotals {
    let ranked = counts.sorted { ($1.value, $0.key.text) < ($0.value, $1.key.text) }
    let shown = ranked.prefix(max(0, limit))
    let users = try users(of: Set(shown.map(\.key)))
    return PropertyTotals(
      property: property, count: ranked.reduce(0) { $0.addingSaturated($1.value) },
      values: shown.map { KeyTotals(key: $0.key.text, count: $0.value, users: users[$0.key]?.count ?? 0) },
      isCapped: isCapped)
  }

  private func users(of values: Set<ExactText>) throws -> [ExactText: SlotSet] {
    var users: [ExactText: SlotSet] = [:]
    for packs in days {
      let texts = try Self.texts(packs)
      for pack in packs {
        try pack.withUnsafeBytes { bytes in
          try PropertyPack.forEach(bytes) { entry in
            let text = ExactText(Self.text(entry.number, texts))
            guard values.contains(text) else { return }
            let set = try SlotSet.stored(entry.slots)
            if let union = users[text] { union.formUnionLazily(set) } else { users[text] = set }
          }
        }
      }
    }
    for union in users.values { union.repair() }
    return users
  }

  private static func text(_ number: Int, _ texts: [Int: String]) -> String {
    number == PropertyPack.other ? Dimension.otherKey : texts[number] ?? Dimension.otherKey
  }

  /// Returns the texts of a day's values by number.
  private static func texts(_ packs: [[UInt8]]) throws -> [Int: String] {
    var texts: [Int: String] = [:]
    for pack in packs {
      try pack.withUnsafeBytes { bytes in
        try PropertyPack.forEach(bytes) { entry in
          if let value = entry.value { texts[entry.number] = PropertyText.text(value) }
        }
      }
    }
    return texts
  }
}

/// The display form of property values.
package enum PropertyText {
  /// Returns the text of a stored tag and value; a long text may be truncated.
  package static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    var reader = ByteReader(bytes)
    if bytes.first == PropertyCoding.Tag.string.rawValue {
      _ = (reader.byte(), reader.varint())
      let start = reader.position
      return String(decoding: bytes[start...], as: UTF8.self)
    }
    return PropertyCoding.value(&reader).map(text) ?? ""
  }

  package static func text(_ value: PropertyValue) -> String {
    switch value {
    case .string(let text): text
    case .integer(let number): String(number)
    // As questions write it: 4 and 4.0 are one number.
    case .double(let number): JSONNumber.plain(number)
    case .boolean(let flag): flag ? "true" : "false"
    case .date(let time): time.utcText(withMilliseconds: true)
    }
  }
}
