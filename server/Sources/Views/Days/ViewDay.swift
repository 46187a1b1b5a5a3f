package import ServerBase
package import TernBase
package import Warehouse

/// The metrics of one civil day of a view, or the sum of several days.
///
/// Contains sets, which are classes: use it on one thread at a time, and share it in its encoded form.
package struct ViewDay {
  /// One row of a breakdown.
  package struct Tally {
    package var numbers: [SaturatingInt64]
    package var users = SlotSet()
  }

  /// The number of different keys kept per table and day; all others are counted as "(other)".
  package static let maximumKeys = 5_000

  package var totals = ViewTotals()
  /// All users of the app with a hit received in time, regardless of the view's filters.
  package var present = SlotSet()
  /// The users with a session in the view.
  package var users = SlotSet()
  /// The users with more than one session.
  package var repeaters = SlotSet()
  package var tables: [ViewTable: [[String]: Tally]] = [:]
  /// The changes that the day makes to the view's state, stored separately from the metrics.
  package var changes = ViewChanges()

  /// Creates a day without hits.
  package init() {}

  /// True if no sum was clamped. A clamped sum cannot be subtracted from.
  package private(set) var isExact = true

  /// Adds to the revenue.
  package mutating func add(revenue: SaturatingInt64) {
    if !totals.revenue.add(revenue) { isExact = false }
  }

  /// Adds the metrics of another day, with the requested breakdowns only.
  package mutating func merge(_ other: ViewDay, tables wanted: Set<ViewTable> = Set(ViewTable.allCases)) {
    for field in ViewTotals.fields {
      let isAdded = totals[keyPath: field].add(other.totals[keyPath: field])
      isExact = isExact && isAdded
    }
    if !other.isExact { isExact = false }
    present.formUnion(other.present)
    users.formUnion(other.users)
    repeaters.formUnion(other.repeaters)
    for (table, rows) in other.tables where wanted.contains(table) {
      for (key, row) in rows {
        let tally = tables[table]?[key] ?? Tally(numbers: Array(repeating: 0, count: table.width))
        tally.users.formUnion(row.users)
        set(table, key, tally, adding: row.numbers)
      }
    }
  }

  /// Merges the rows of languages and countries for which devices send several codes.
  package mutating func mergeCodes() {
    guard let devices = tables[.devices] else { return }
    tables[.devices] = devices.reduce(into: [:]) { merged, row in
      var key = row.key
      switch key[0] {
      case "language": key[1] = CanonicalCode.language(key[1])
      case "country": key[1] = CanonicalCode.country(key[1])
      default: break
      }
      guard var tally = merged[key] else {
        merged[key] = row.value
        return
      }
      tally.users.formUnion(row.value.users)
      for (index, number) in row.value.numbers.enumerated() { tally.numbers[index] += number }
      merged[key] = tally
    }
  }

  /// Subtracts everything that one user contributed except breakdowns, given as a day of that user only.
  package mutating func subtract(_ part: ViewDay, of user: UInt32) {
    // A sum of terms of both signs can leave the range without one of them.
    for field in ViewTotals.fields {
      let isSubtracted = totals[keyPath: field].subtract(part.totals[keyPath: field])
      isExact = isExact && isSubtracted
    }
    for set in [present, users, repeaters] { set.remove(user) }
    changes.states[user] = nil
    if !part.isExact { isExact = false }
  }

  private mutating func set(_ table: ViewTable, _ key: [String], _ tally: Tally, adding numbers: [SaturatingInt64]) {
    var tally = tally
    for (index, number) in numbers.enumerated() where index < tally.numbers.count {
      tally.numbers[index] += number
    }
    tables[table, default: [:]][key] = tally
  }
}

// MARK: - Stored form

/// The stored form: a version, the totals, the sets, then the tables with their rows, all in a fixed order, so that
/// equal metrics give equal bytes.
extension ViewDay {
  private static let version: UInt64 = 1

  /// The stored form of ``present``.
  package var encodedPresent: [UInt8] {
    var bytes: [UInt8] = []
    present.encode(into: &bytes)
    return bytes
  }

  /// The stored form of everything but ``present``.
  package var encodedMetrics: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendVarint(Self.version)
    for field in ViewTotals.fields { bytes.append(number: totals[keyPath: field]) }
    users.encode(into: &bytes)
    repeaters.encode(into: &bytes)
    let tables = tables.filter { !$0.value.isEmpty }.sorted { $0.key.rawValue < $1.key.rawValue }
    bytes.appendVarint(UInt64(tables.count))
    for (table, rows) in tables {
      bytes.appendVarint(UInt64(table.rawValue))
      bytes.appendVarint(UInt64(rows.count))
      for (key, row) in rows.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
        bytes.appendVarint(UInt64(key.count))
        for part in key { bytes.append(text: part) }
        for number in row.numbers { bytes.append(number: number) }
        row.users.encode(into: &bytes)
      }
    }
    return bytes
  }

  /// Reads a stored form with the requested breakdowns only, or returns `nil` if it is invalid.
  package init?(
    present: UnsafeRawBufferPointer, metrics: UnsafeRawBufferPointer,
    tables wanted: Set<ViewTable> = Set(ViewTable.allCases)
  ) {
    var sets = ByteReader(present)
    var reader = ByteReader(metrics)
    guard let decoded = SlotSet.decode(&sets), reader.varint() == Self.version else { return nil }
    self.present = decoded
    for field in ViewTotals.fields {
      guard let number = reader.number() else { return nil }
      totals[keyPath: field] = number
    }
    guard let users = SlotSet.decode(&reader), let repeaters = SlotSet.decode(&reader),
      let count = reader.varint()
    else { return nil }
    self.users = users
    self.repeaters = repeaters
    for _ in 0..<count { guard readTable(&reader, wanted) else { return nil } }
  }

  private mutating func readTable(_ reader: inout ByteReader, _ wanted: Set<ViewTable>) -> Bool {
    guard let number = reader.varint(), let table = ViewTable(rawValue: Int(clamping: number)),
      let count = reader.varint()
    else { return false }
    guard wanted.contains(table) else {
      for _ in 0..<count { guard Self.skipRow(&reader, table) else { return false } }
      return true
    }
    var rows: [[String]: Tally] = [:]
    for _ in 0..<count {
      guard let parts = reader.varint(), parts <= 8 else { return false }
      var key: [String] = []
      for _ in 0..<parts {
        guard let part = reader.text() else { return false }
        key.append(part)
      }
      var numbers: [SaturatingInt64] = []
      for _ in 0..<table.width {
        guard let number = reader.number() else { return false }
        numbers.append(number)
      }
      guard let users = SlotSet.decode(&reader) else { return false }
      rows[key] = Tally(numbers: numbers, users: users)
    }
    tables[table] = rows
    return true
  }

  private static func skipRow(_ reader: inout ByteReader, _ table: ViewTable) -> Bool {
    guard let parts = reader.varint(), parts <= 8 else { return false }
    for _ in 0..<parts {
      guard let length = reader.varint(), reader.bytes(Int(clamping: length)) != nil else { return false }
    }
    for _ in 0..<table.width { guard reader.varint() != nil else { return false } }
    return SlotSet.skip(&reader) != nil
  }
}
