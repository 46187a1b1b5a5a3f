import Warehouse

/// The rows of one breakdown while a day is counted.
struct CountingTable {
  private static let nobody = UInt32.max

  let table: ViewTable
  private let width: Int
  private var keys: [ViewKey] = []
  private var numbers: [Int64] = []
  /// The only user of a row without a set; else the user who was added last.
  private var lastUsers: [UInt32] = []
  private var sets: [SlotSet?] = []
  /// The largest of the users with whom rows began.
  private var newestUser: UInt32 = 0
  /// Row numbers plus one by the hash of their keys; 0 where none is. Their number is a power of two.
  private var cells: [UInt32] = []

  init(_ table: ViewTable) {
    self.table = table
    width = table.width
  }

  /// How many rows there are, those without users included.
  var count: Int { keys.count }

  /// About how many bytes the rows take, without their texts.
  var byteCount: Int {
    keys.count * (MemoryLayout<ViewKey>.stride + width * 8 + 12) + cells.count * 4
      + sets.reduce(0) { $0 + ($1.map { $0.byteCount } ?? 0) }
  }

  /// The row of a key, with a user added to it.
  @inline(__always)
  mutating func row(_ key: ViewKey, _ user: UInt32) -> Int {
    let row = find(key) ?? insert(key, from: user)
    if lastUsers[row] != user { add(user, row) }
    return row
  }

  @inline(__always)
  func find(_ key: ViewKey) -> Int? {
    guard !cells.isEmpty else { return nil }
    var cell = Int(truncatingIfNeeded: key.mixedHash) & (cells.count - 1)
    while cells[cell] != 0 {
      let row = Int(cells[cell]) - 1
      if keys[row] == key { return row }
      cell = (cell + 1) & (cells.count - 1)
    }
    return nil
  }

  private mutating func insert(_ key: ViewKey, from user: UInt32) -> Int {
    newestUser = max(newestUser, user)
    if (keys.count + 1) * 2 > cells.count {
      cells = Array(repeating: 0, count: max(16, cells.count * 2))
      for row in keys.indices { place(row) }
    }
    keys.append(key)
    numbers += repeatElement(0, count: width)
    lastUsers.append(Self.nobody)
    sets.append(nil)
    place(keys.count - 1)
    return keys.count - 1
  }

  private mutating func place(_ row: Int) {
    var cell = Int(truncatingIfNeeded: keys[row].mixedHash) & (cells.count - 1)
    while cells[cell] != 0 { cell = (cell + 1) & (cells.count - 1) }
    cells[cell] = UInt32(row + 1)
  }

  private mutating func add(_ user: UInt32, _ row: Int) {
    if let set = sets[row] {
      set.insert(user)
    } else if lastUsers[row] != Self.nobody {
      let set = SlotSet()
      set.insert(lastUsers[row])
      set.insert(user)
      sets[row] = set
    }
    lastUsers[row] = user
  }

  /// Adds to one number of a row.
  ///
  /// - Returns: true if the number is still a sum, and not the end of its range.
  @inline(__always)
  mutating func add(_ number: Int64, at index: Int, of row: Int) -> Bool {
    let (sum, isOver) = numbers[row * width + index].addingReportingOverflow(number)
    numbers[row * width + index] = isOver ? (number < 0 ? .min : .max) : sum
    return !isOver
  }

  /// The users of a row, in a set that nothing else changes until the table does.
  func users(_ row: Int) -> SlotSet {
    if let set = sets[row] { return set }
    let set = SlotSet()
    if lastUsers[row] != Self.nobody { set.insert(lastUsers[row]) }
    return set
  }

  private func firstUser(_ row: Int) -> UInt32 { sets[row].map { $0.first ?? Self.nobody } ?? lastUsers[row] }

  /// True if a further key of another table's row would be given up at once: the rows are as many as may be kept, and all
  /// began with users before.
  func isFull(for other: CountingTable, row: Int) -> Bool {
    table != .flow && count >= table.maximumKeys && other.firstUser(row) > newestUser
  }

  /// True if the row has no user any more, so that it is none.
  private func isEmpty(_ row: Int) -> Bool { sets[row].map(\.isEmpty) ?? (lastUsers[row] == Self.nobody) }

  /// Calls `body` with each row that has users.
  func forEach(_ body: (ViewKey, Int) -> Void) {
    for row in keys.indices where !isEmpty(row) { body(keys[row], row) }
  }

  func numbers(_ row: Int) -> ArraySlice<Int64> { numbers[row * width..<(row + 1) * width] }

  /// Adds a row of another table of the same kind.
  ///
  /// - Returns: true if all numbers are still sums.
  mutating func merge(_ other: CountingTable, row: Int, as key: ViewKey) -> Bool {
    let target = find(key) ?? insert(key, from: other.firstUser(row))
    if let set = other.sets[row] {
      if sets[target] == nil {
        let own = set.copy()
        if lastUsers[target] != Self.nobody { own.insert(lastUsers[target]) }
        sets[target] = own
      } else {
        sets[target]?.formUnion(set)
      }
      lastUsers[target] = other.lastUsers[row]
    } else if other.lastUsers[row] != Self.nobody {
      add(other.lastUsers[row], target)
    }
    var isExact = true
    for (index, number) in other.numbers(row).enumerated() where number != 0 {
      if !add(number, at: index, of: target) { isExact = false }
    }
    return isExact
  }

  /// Adds a row that isn't there yet.
  mutating func add(_ key: ViewKey, _ more: [Int64], _ users: SlotSet) {
    guard let first = users.first else { return }
    let row = insert(key, from: first)
    numbers.replaceSubrange(row * width..<(row + 1) * width, with: more)
    if users.count == 1 { lastUsers[row] = first } else { sets[row] = users }
  }

  /// Takes a user's numbers away from a row.
  mutating func subtract(_ less: ArraySlice<Int64>, of user: UInt32, from key: ViewKey) {
    guard let row = find(key) else { return }
    for (index, number) in less.enumerated() { numbers[row * width + index] &-= number }
    if let set = sets[row] { set.remove(user) }
    if lastUsers[row] == user { lastUsers[row] = Self.nobody }
  }

  /// Gives the rows sets of their own, so that they can change beside the table that they were copied from.
  mutating func unshare() { for row in sets.indices { sets[row] = sets[row]?.copy() } }

  /// The rows of a group in the order in which they are kept: by the users who are known longest, then by name.
  func ordered(_ rows: [Int], _ texts: ViewTexts) -> [Int] {
    let parts = table.parts
    return rows.map { (user: firstUser($0), row: $0) }.sorted { left, right in
      if left.user != right.user { return left.user < right.user }
      for (one, other) in zip(keys[left.row].parts(parts), keys[right.row].parts(parts)) where one != other {
        return texts.precedes(one, other)
      }
      return false
    }.map(\.row)
  }

  /// The rows that have users, those of one step of the flow together.
  func groups() -> [[Int]] {
    let rows = keys.indices.filter { !isEmpty($0) }
    return table == .flow ? Array(Dictionary(grouping: rows) { keys[$0].first }.values) : [rows]
  }

  func key(_ row: Int) -> ViewKey { keys[row] }
}

extension ViewTable {
  /// How many texts a key has.
  var parts: Int {
    switch self {
    case .hours, .screens, .transactions, .metrics, .landings, .exits, .depths, .eventSessions, .exceptionSessions,
      .exceptionVersions, .shopping, .checkoutSteps, .lists:
      1
    case .exceptions, .products, .devices, .versions, .applications, .orders, .productFacts, .checkoutOptions: 2
    case .events, .timings, .acquisition, .social, .dimensions, .screenVersions, .eventScreens, .listProducts: 3
    case .promotions: 4
    case .flow: 5
    }
  }

  /// How many keys a day keeps, of the flow for each step.
  var maximumKeys: Int { self == .flow ? ViewDayBuilder.maximumWays : ViewDay.maximumKeys }

  /// A number below 64 for each case.
  var index: Int { rawValue < 64 ? rawValue : rawValue - 64 + 14 }
}
