import ServerBase
import TernBase
import Warehouse

/// The breakdowns of a day while it is being counted.
///
/// A day keeps a limited number of keys per breakdown: those of the users with the smallest numbers, who have been
/// known longest, and for each user those that sort first. All other keys are counted as "(other)". The kept keys
/// therefore depend only on the rows. If users are counted in order, rows can be discarded at any time, because a
/// discarded key can never rank among the kept ones again.
struct DayTables {
  /// The number of rows, over all tables, above which rows of the largest tables are discarded.
  static let heldRows = 250_000

  private(set) var texts: ViewTexts
  var tables = DayTables.empty
  /// The sums of discarded rows, under their "(other)" keys.
  var others = DayTables.empty
  /// The number of rows.
  var count = 0
  /// True if rows were discarded. After that, no user can be subtracted.
  var isLimited = false
  /// True if no sum was clamped. A clamped sum cannot be subtracted from.
  private(set) var isExact = true

  private static var empty: [CountingTable] {
    var tables = Array(repeating: CountingTable(.hours), count: 64)
    for table in ViewTable.allCases { tables[table.index] = CountingTable(table) }
    return tables
  }

  init(texts: ViewTexts = ViewTexts()) { self.texts = texts }

  /// The approximate size of the rows and strings in bytes.
  var byteCount: Int { (tables + others).reduce(texts.byteCount) { $0 + $1.byteCount } }

  /// Adds numbers to a row's leading sums.
  @inline(__always)
  mutating func add(
    _ table: ViewTable, _ key: ViewKey, _ n0: SaturatingInt64, _ n1: SaturatingInt64 = 0, _ n2: SaturatingInt64 = 0,
    _ n3: SaturatingInt64 = 0, _ n4: SaturatingInt64 = 0, _ n5: SaturatingInt64 = 0, user: UInt32
  ) {
    let index = table.index
    let before = tables[index].count
    let row = tables[index].row(key, user)
    var isSum = tables[index].add(n0, at: 0, of: row)
    if n1 != 0 { isSum = tables[index].add(n1, at: 1, of: row) && isSum }
    if n2 != 0 { isSum = tables[index].add(n2, at: 2, of: row) && isSum }
    if n3 != 0 { isSum = tables[index].add(n3, at: 3, of: row) && isSum }
    if n4 != 0 { isSum = tables[index].add(n4, at: 4, of: row) && isSum }
    if n5 != 0 { isSum = tables[index].add(n5, at: 5, of: row) && isSum }
    count += tables[index].count - before
    if !isSum { isExact = false }
  }

  /// Adds numbers to the row of a key given as strings.
  mutating func add(_ table: ViewTable, _ key: [String], _ numbers: [SaturatingInt64], user: UInt32) {
    add(table, ViewKey(key.map { texts.id($0) }), numbers, user: user)
  }

  mutating func add(_ table: ViewTable, _ key: ViewKey, _ numbers: [SaturatingInt64], user: UInt32) {
    let before = tables[table.index].count
    let row = tables[table.index].row(key, user)
    for (index, number) in numbers.enumerated() {
      let isAdded = tables[table.index].add(number, at: index, of: row)
      isExact = isExact && isAdded
    }
    count += tables[table.index].count - before
  }

  /// Adds the rows of users with larger numbers than all users so far.
  ///
  /// - Parameter limit: The maximum number of rows.
  mutating func merge(_ other: DayTables, limit: Int = heldRows) {
    if !other.isExact { isExact = false }
    let numbers = Renumbering(from: other.texts, to: texts)
    for (index, more) in other.tables.enumerated() where more.count > 0 {
      // Taken out, so that each row changes it without looking it up.
      var table = CountingTable(more.table)
      swap(&table, &tables[index])
      let before = table.count
      for row in 0..<more.count where !more.isEmpty(row) {
        let key = more.key(row)
        if isLimited, table.isFull(for: more, row: row), numbers.known(key).flatMap({ table.find($0) }) == nil {
          if !others[index].merge(more, row: row, as: Self.other(key, in: more.table)) { isExact = false }
        } else if !table.merge(more, row: row, as: numbers.own(key)) {
          isExact = false
        }
      }
      count += table.count - before
      swap(&table, &tables[index])
    }
    shrink(to: limit)
  }

  /// Subtracts everything that one user contributed to the day, given as tables of that user only.
  mutating func subtract(_ part: DayTables, of user: UInt32) {
    if !part.isExact { isExact = false }
    for (index, less) in part.tables.enumerated() {
      less.forEach { key, row in
        let own = part.texts === texts ? key : key.map { texts.id(part.texts.bytes($0)) }
        if !tables[index].subtract(less.numbers(row), of: user, from: own) { isExact = false }
      }
    }
  }

  mutating func unshare(_ wanted: [ViewTable]) { for table in wanted { tables[table.index].unshare() } }

  /// Discards rows of the largest tables if there are too many rows.
  mutating func shrink(to limit: Int = heldRows) {
    guard count > limit else { return }
    isLimited = true
    let largest = tables.sorted { ($1.count, $1.table.rawValue) < ($0.count, $0.table.rawValue) }
    // Shrinks all large tables at once, so that the next time is far off.
    for table in largest where count > limit / 2 && table.count > table.table.maximumKeys {
      let (kept, rest) = limited(table)
      count -= table.count - kept.count
      tables[table.table.index] = kept
      others[table.table.index] = rest
    }
    dropTexts()
  }

  /// Splits a table into the rows to keep and the "(other)" rows.
  private func limited(_ table: CountingTable) -> (kept: CountingTable, rest: CountingTable) {
    var kept = CountingTable(table.table)
    var rest = others[table.table.index]
    rest.unshare()
    for rows in table.groups() {
      let isOver = rows.count > table.table.maximumKeys
      for (position, row) in (isOver ? table.ordered(rows, texts) : rows).enumerated() {
        if position < table.table.maximumKeys {
          _ = kept.merge(table, row: row, as: table.key(row))
        } else {
          _ = rest.merge(table, row: row, as: Self.other(table.key(row), in: table.table))
        }
      }
    }
    return (kept, rest)
  }

  private static func other(_ key: ViewKey, in table: ViewTable) -> ViewKey {
    let other = KnownText.otherName.id
    guard table == .flow else { return ViewKey(Array(repeating: other, count: table.parts)) }
    // The flow has one "(other)" per step, with exits kept apart.
    let isExit = key.fourth == KnownText.exit.id
    return ViewKey(
      key.first, KnownText.other.id, other, isExit ? KnownText.exit.id : KnownText.other.id, isExit ? key.fifth : other)
  }

  /// Frees the strings of discarded rows.
  private mutating func dropTexts() {
    let fresh = ViewTexts()
    func renumbered(_ table: CountingTable) -> CountingTable {
      var renumbered = CountingTable(table.table)
      table.forEach { key, row in
        _ = renumbered.merge(table, row: row, as: key.map { fresh.id(texts.bytes($0)) })
      }
      return renumbered
    }
    tables = tables.map(renumbered)
    others = others.map(renumbered)
    texts = fresh
    count = tables.reduce(0) { $0 + $1.count }
  }

  /// The tables with keys as strings; surplus keys are combined.
  func finished(_ wanted: Set<ViewTable>) -> [ViewTable: [[String]: ViewDay.Tally]] {
    var finished: [ViewTable: [[String]: ViewDay.Tally]] = [:]
    for kind in wanted {
      let table = tables[kind.index]
      var rows: [[String]: ViewDay.Tally] = [:]
      let (kept, rest) = table.count > kind.maximumKeys ? limited(table) : (table, others[kind.index])
      for part in [kept, rest] {
        part.forEach { key, row in add(part.numbers(row), part.users(row), texts(of: key, in: kind), to: &rows) }
      }
      if !rows.isEmpty { finished[kind] = rows }
    }
    return finished
  }

  private func texts(of key: ViewKey, in table: ViewTable) -> [String] {
    key.parts(table.parts).map { texts.string($0) }
  }

  /// Combines keys that are equal as Swift strings but differ in bytes into one row, under the spelling that sorts
  /// first.
  private func add(
    _ numbers: ArraySlice<SaturatingInt64>, _ users: SlotSet, _ key: [String], to rows: inout [[String]: ViewDay.Tally]
  ) {
    guard let index = rows.index(forKey: key) else {
      rows[key] = ViewDay.Tally(numbers: Array(numbers), users: users)
      return
    }
    let (known, tally) = rows.remove(at: index)
    let sums = zip(tally.numbers, numbers).map { $0 + $1 }
    let isBefore = key.lazy.flatMap(\.utf8).lexicographicallyPrecedes(known.lazy.flatMap(\.utf8))
    rows[isBefore ? key : known] = ViewDay.Tally(numbers: sums, users: tally.users.union(users))
  }
}
