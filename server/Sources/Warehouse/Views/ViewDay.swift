/// The figures of one civil day of a view, or of several days added up.
///
/// Sets make it a class's business to be shared; it is used by one thread at a time and stored in its encoded form.
struct ViewDay {
  /// One row of a table.
  struct Tally {
    var numbers: [Int64]
    var users = SlotSet()

    /// Adds in place: a busy day does this millions of times.
    mutating func add(_ more: [Int64], _ user: UInt32) {
      users.insert(user)
      for (index, number) in more.enumerated() where index < numbers.count {
        numbers[index] = numbers[index].addingSaturated(number)
      }
    }
  }

  /// Different keys of one table and day; further ones are counted as "(other)".
  static let maximumKeys = 5_000

  var totals = ViewTotals()
  /// Everybody of the app who was there on the day in time, whatever the view's filters.
  var present = SlotSet()
  /// Who had a session in the view.
  var users = SlotSet()
  /// Who had more than one.
  var repeaters = SlotSet()
  var tables: [ViewTable: [[String]: Tally]] = [:]
  /// What is remembered from now on of the users of whom the day changed it; stored apart from the figures.
  var states: [UInt32: UserState] = [:]

  /// Adds numbers to the row of a key.
  mutating func add(_ table: ViewTable, _ key: [String], _ numbers: [Int64], user: UInt32) {
    var key = key
    if tables[table]?.count ?? 0 >= Self.maximumKeys, tables[table]?[key] == nil {
      key = key.map { _ in WriterDictionary.other }
    }
    tables[table, default: [:]][key, default: Tally(numbers: Array(repeating: 0, count: table.width))]
      .add(numbers, user)
  }

  /// Adds another day.
  mutating func merge(_ other: ViewDay) {
    totals.add(other.totals)
    present.formUnion(other.present)
    users.formUnion(other.users)
    repeaters.formUnion(other.repeaters)
    states.merge(other.states) { $1 }
    for (table, rows) in other.tables {
      for (key, row) in rows {
        let tally = tables[table]?[key] ?? Tally(numbers: Array(repeating: 0, count: table.width))
        tally.users.formUnion(row.users)
        set(table, key, tally, adding: row.numbers)
      }
    }
  }

  private mutating func set(_ table: ViewTable, _ key: [String], _ tally: Tally, adding numbers: [Int64]) {
    var tally = tally
    for (index, number) in numbers.enumerated() where index < tally.numbers.count {
      tally.numbers[index] = tally.numbers[index].addingSaturated(number)
    }
    tables[table, default: [:]][key] = tally
  }
}

// MARK: - Stored form

/// A version; the totals; the sets; the tables in order, each with its rows in order: equal figures give equal bytes.
extension ViewDay {
  private static let version: UInt64 = 3

  /// The stored form of who was there.
  var encodedPresent: [UInt8] {
    var bytes: [UInt8] = []
    present.encode(into: &bytes)
    return bytes
  }

  /// The stored form of everything else.
  var encodedFigures: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendVarint(Self.version)
    for field in ViewTotals.fields { bytes.appendZigzag(totals[keyPath: field]) }
    users.encode(into: &bytes)
    repeaters.encode(into: &bytes)
    let tables = tables.filter { !$0.value.isEmpty }.sorted { $0.key.rawValue < $1.key.rawValue }
    bytes.appendVarint(UInt64(tables.count))
    for (table, rows) in tables {
      bytes.appendVarint(UInt64(table.rawValue))
      bytes.appendVarint(UInt64(rows.count))
      for (key, row) in rows.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
        bytes.appendVarint(UInt64(key.count))
        for part in key { PropertyCoding.append(text: part, to: &bytes) }
        for number in row.numbers { bytes.appendZigzag(number) }
        row.users.encode(into: &bytes)
      }
    }
    return bytes
  }

  /// Reads a stored form; `nil` when it does not check out.
  init?(present: UnsafeRawBufferPointer, figures: UnsafeRawBufferPointer) {
    var sets = ByteReader(present)
    var reader = ByteReader(figures)
    guard let everybody = SlotSet.decode(&sets), reader.varint() == Self.version else { return nil }
    self.present = everybody
    for field in ViewTotals.fields {
      guard let number = reader.zigzag() else { return nil }
      totals[keyPath: field] = number
    }
    guard let users = SlotSet.decode(&reader), let repeaters = SlotSet.decode(&reader),
      let count = reader.varint()
    else { return nil }
    self.users = users
    self.repeaters = repeaters
    for _ in 0..<count { guard readTable(&reader) else { return nil } }
  }

  private mutating func readTable(_ reader: inout ByteReader) -> Bool {
    guard let number = reader.varint(), let table = ViewTable(rawValue: Int(clamping: number)),
      let count = reader.varint()
    else { return false }
    var rows: [[String]: Tally] = [:]
    for _ in 0..<count {
      guard let parts = reader.varint(), parts <= 8 else { return false }
      var key: [String] = []
      for _ in 0..<parts {
        guard let part = PropertyCoding.text(&reader) else { return false }
        key.append(part)
      }
      var numbers: [Int64] = []
      for _ in 0..<table.width {
        guard let number = reader.zigzag() else { return false }
        numbers.append(number)
      }
      guard let users = SlotSet.decode(&reader) else { return false }
      rows[key] = Tally(numbers: numbers, users: users)
    }
    tables[table] = rows
    return true
  }
}
