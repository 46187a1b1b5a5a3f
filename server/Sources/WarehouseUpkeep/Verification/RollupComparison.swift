import ServerBase
import TernBase
import Warehouse
import WarehouseSQLite

/// Compares recounted rollups with the stored ones, for a range of days.
struct RollupComparison {
  typealias Key = RecountedRollups.Key

  private struct PropertyKey: Hashable {
    var app: Int64
    var day: Int64
    var event: Int64
    var property: Int64
    var value: [UInt8]
  }

  private struct ValueTotals {
    var count: Int64 = 0
    var users = SlotSet()
  }

  private let connection: SQLConnection
  private let days: ClosedRange<Int>
  /// The last day of each app whose counts can't be made of rows again.
  private let lastKept: [Int64: Int]
  private(set) var report = VerificationReport()

  init(_ connection: SQLConnection, days: ClosedRange<Int>, lastKept: [Int64: Int]) {
    self.connection = connection
    self.lastKept = lastKept
    self.days = days
  }

  private mutating func note(_ key: Key, _ expected: String, _ found: String) {
    let dimension = Dimension(rawValue: Int(key.dimension)) ?? .total
    report.add(
      VerificationReport.Difference(
        app: AppID(key.app), day: Day(number: TimeBounds.clamp(day: Int(key.day))), dimension: dimension,
        key: String(key.key),
        expected: expected, found: found))
  }

  private func isKept(_ app: Int64, _ day: Int64) -> Bool { lastKept[app].map { day <= Int64($0) } ?? false }

  // MARK: Counts and users

  /// Compares counts that were taken from an accumulator.
  mutating func compare(_ rollups: inout RecountedRollups) throws {
    try compare(counts: &rollups.counts)
    try compare(users: &rollups.users)
  }

  private mutating func compare(counts: inout [Key: Int64]) throws {
    let stored = try connection.prepare("SELECT app, dim, day, key, n FROM daily_count WHERE day BETWEEN ? AND ?")
    stored.bind(Int64(days.lowerBound), Int64(days.upperBound))
    while try stored.step() {
      let key = Self.key(stored)
      if isKept(key.app, key.day) { continue }
      let expected = counts.removeValue(forKey: key) ?? 0
      report.metrics += 1
      if expected != stored.integer(4) { note(key, "\(expected) times", "\(stored.integer(4)) times") }
    }
    for (key, count) in counts { note(key, "\(count) times", "nothing") }
  }

  private mutating func compare(users: inout [Key: [UInt32]]) throws {
    let stored = try connection.prepare(
      "SELECT app, dim, day, key, n, slots FROM daily_users WHERE day BETWEEN ? AND ?")
    stored.bind(Int64(days.lowerBound), Int64(days.upperBound))
    while try stored.step() {
      let key = Self.key(stored)
      if isKept(key.app, key.day) { continue }
      let expected = users.removeValue(forKey: key) ?? []
      var reader = ByteReader(stored.bytes(5))
      let found = SlotSet.decode(&reader)?.elements
      report.metrics += 1
      if found != expected || stored.integer(4) != Int64(expected.count) {
        note(
          key, "\(expected.count) users",
          "\(found.map { "\($0.count) users" } ?? "damaged"), recorded as \(stored.integer(4))")
      }
    }
    for (key, slots) in users { note(key, "\(slots.count) users", "nothing") }
  }

  private static func key(_ row: SQLStatement) -> Key {
    Key(app: row.integer(0), dimension: row.integer(1), day: row.integer(2), key: row.integer(3))
  }

  // MARK: Properties

  /// Compares the packs of all properties with the stored ones.
  mutating func compare(_ packs: inout [PropertyPacks.Group: [UInt8]]) throws {
    var stored: [PropertyKey: ValueTotals] = [:]
    let statement = try connection.prepare(
      """
      SELECT app, day, event, property, pack FROM property_values WHERE day BETWEEN ? AND ?
      ORDER BY app, day, event, property, part
      """)
    statement.bind(Int64(days.lowerBound), Int64(days.upperBound))
    var texts: [Int: [UInt8]] = [:]
    var group: PropertyKey?
    while try statement.step() {
      if isKept(statement.integer(0), statement.integer(1)) { continue }
      let next = PropertyKey(
        app: statement.integer(0), day: statement.integer(1), event: statement.integer(2),
        property: statement.integer(3), value: [])
      if next != group {
        if let group { compare(&stored, &packs, of: group) }
        texts = [:]
        group = next
      }
      Self.add(statement.bytes(4), of: next, &texts, to: &stored)
    }
    if let group { compare(&stored, &packs, of: group) }
    for (group, pack) in packs {
      for (key, totals) in Self.totals(pack, of: Self.key(group)) { note(key, totals, nil) }
    }
  }

  /// Compares the stored values of one group.
  private mutating func compare(
    _ stored: inout [PropertyKey: ValueTotals], _ packs: inout [PropertyPacks.Group: [UInt8]], of group: PropertyKey
  ) {
    let counted = PropertyPacks.Group(
      first: RollupAccumulator.first(app: group.app, day: Int(group.day)), event: group.event,
      property: group.property)
    var expected = packs.removeValue(forKey: counted).map { Self.totals($0, of: group) } ?? [:]
    for (key, found) in stored {
      report.metrics += 1
      let wanted = expected.removeValue(forKey: key) ?? ValueTotals()
      if wanted.count != found.count || !wanted.users.isEqual(found.users) { note(key, wanted, found) }
    }
    for (key, totals) in expected { note(key, totals, nil) }
    stored.removeAll(keepingCapacity: true)
  }

  private static func key(_ group: PropertyPacks.Group) -> PropertyKey {
    PropertyKey(
      app: RollupAccumulator.app(group.first), day: Int64(RollupAccumulator.day(group.first)), event: group.event,
      property: group.property, value: [])
  }

  private static func totals(_ pack: [UInt8], of group: PropertyKey) -> [PropertyKey: ValueTotals] {
    var totals: [PropertyKey: ValueTotals] = [:]
    var texts: [Int: [UInt8]] = [:]
    pack.withUnsafeBytes { add($0, of: group, &texts, to: &totals) }
    return totals
  }

  /// Adds a pack's entries to counts keyed by the text of the value.
  private static func add(
    _ pack: UnsafeRawBufferPointer, of group: PropertyKey, _ texts: inout [Int: [UInt8]],
    to totals: inout [PropertyKey: ValueTotals]
  ) {
    var entries = PropertyPack.Entries(pack)
    while let entry = entries.next() {
      if let value = entry.value { texts[entry.number] = Array(value) }
      var key = group
      // No value has tag 255: "(other)" must differ from a value with that text.
      key.value = entry.number == PropertyPack.other ? [255] : texts[entry.number] ?? [254]
      var reader = ByteReader(entry.slots)
      let sum = totals[key] ?? ValueTotals()
      if let slots = SlotSet.decode(&reader) { sum.users.formUnion(slots) }
      totals[key] = ValueTotals(count: sum.count.addingSaturated(entry.count), users: sum.users)
    }
    if entries.isDamaged {
      // Bytes that can't be read must show as a difference even if everything before them is right.
      var key = group
      key.value = Array("(damaged)".utf8)
      totals[key] = ValueTotals(count: 1, users: SlotSet())
    }
  }

  private mutating func note(_ key: PropertyKey, _ expected: ValueTotals, _ found: ValueTotals?) {
    report.add(
      VerificationReport.Difference(
        app: AppID(key.app), day: Day(number: TimeBounds.clamp(day: Int(key.day))), dimension: .property,
        key: "\(key.event)/\(key.property)/" + key.value.withUnsafeBytes { PropertyText.text($0) },
        expected: "\(expected.count) times, \(expected.users.count) users",
        found: found.map { "\($0.count) times, \($0.users.count) users" } ?? "nothing"))
  }
}
