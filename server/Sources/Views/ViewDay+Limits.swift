package import Warehouse

/// How many different keys a day keeps: those of the users with the smallest numbers, who are the longest known, and of one
/// user those that come first by name. Further ones are "(other)".
///
/// So which keys are kept follows from the rows alone, and not from the order in which they were counted.
extension ViewDay {
  /// Rows of all tables that a day holds while it is counted, before it stops to keep further keys of the largest.
  package static let heldRows = 250_000

  /// The tables without the keys that are too many.
  package func limited(_ wanted: Set<ViewTable>) -> [ViewTable: [[String]: Tally]] {
    var limited: [ViewTable: [[String]: Tally]] = [:]
    for table in wanted {
      guard let rows = tables[table] else { continue }
      limited[table] = closed.contains(table) ? rows : Self.limited(rows, of: table)
    }
    return limited
  }

  /// Stops to keep keys of the largest tables while more rows are held than may be; between users, whose numbers ascend.
  package mutating func closeTables(most: Int = heldRows) {
    while tables.reduce(0, { $0 + $1.value.count }) > most {
      let largest = tables.filter { !closed.contains($0.key) }
        .max { ($0.value.count, $1.key.rawValue) < ($1.value.count, $0.key.rawValue) }
      guard let largest else { return }
      tables[largest.key] = Self.limited(largest.value, of: largest.key)
      closed.insert(largest.key)
      if largest.key == .flow {
        closedWays = Dictionary(grouping: tables[.flow] ?? [:]) { $0.key[0] }.mapValues(\.count)
      }
    }
  }

  /// What a key of a table that keeps no more is counted as.
  package mutating func kept(_ key: [String], in table: ViewTable) -> [String] {
    if tables[table]?[key] != nil { return key }
    // Each step of the flow has room of its own.
    guard table == .flow, closedWays[key[0], default: 0] < ViewDayBuilder.maximumWays else {
      return Self.other(key, in: table)
    }
    closedWays[key[0], default: 0] += 1
    return key
  }

  private static func other(_ key: [String], in table: ViewTable) -> [String] {
    guard table == .flow else { return key.map { _ in Dimension.otherKey } }
    // Of each step by itself, and who leaves is still told from who goes on.
    let isExit = key[3] == "exit"
    return [
      key[0], "other", Dimension.otherKey, isExit ? "exit" : "other", isExit ? key[4] : Dimension.otherKey,
    ]
  }

  private static func limited(_ rows: [[String]: Tally], of table: ViewTable) -> [[String]: Tally] {
    guard table == .flow else { return limited(rows, of: table, to: maximumKeys) }
    var limited: [[String]: Tally] = [:]
    for (_, ways) in Dictionary(grouping: rows, by: { $0.key[0] }) {
      let ways = Dictionary(ways.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
      limited.merge(Self.limited(ways, of: table, to: ViewDayBuilder.maximumWays)) { $1 }
    }
    return limited
  }

  private static func limited(_ rows: [[String]: Tally], of table: ViewTable, to most: Int) -> [[String]: Tally] {
    guard rows.count > most else { return rows }
    let order = rows.map { (first: $0.value.users.first ?? 0, key: $0.key, row: $0.value) }.sorted {
      $0.first == $1.first ? $0.key.lexicographicallyPrecedes($1.key) : $0.first < $1.first
    }
    var limited = Dictionary(order[..<most].map { ($0.key, $0.row) }, uniquingKeysWith: { $1 })
    var rest = ViewDay()
    for (_, key, row) in order[most...] {
      let key = other(key, in: table)
      var tally =
        rest.tables[table]?[key] ?? limited[key].map { Tally(numbers: $0.numbers, users: $0.users.copy()) }
        ?? Tally(numbers: Array(repeating: 0, count: table.width))
      tally.users.formUnion(row.users)
      for (index, number) in row.numbers.enumerated() {
        tally.numbers[index] = tally.numbers[index].addingSaturated(number)
      }
      rest.tables[table, default: [:]][key] = tally
    }
    limited.merge(rest.tables[table] ?? [:]) { $1 }
    return limited
  }
}
