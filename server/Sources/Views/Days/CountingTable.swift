import ServerBase
import TernBase
import Warehouse

/// The rows of one breakdown while a day is being counted.
struct CountingTable {
  private static let noUser = UInt32.max

  let table: ViewTable
  private let width: Int
  private var keys: [ViewKey] = []
  private var numbers: [SaturatingInt64] = []
  /// For a row without a set, its only user; otherwise the user added last.
  private var lastUsers: [UInt32] = []
  private var sets: [SlotSet?] = []
  /// The largest user number with which any row began.
  private var newestUser: UInt32 = 0
  /// A hash index of the rows: row number plus one, or 0 for a free cell. Its size is a power of two.
  private var cells: [UInt32] = []

  init(_ table: ViewTable) {
    self.table = table
    width = table.width
  }

  /// The number of rows, including rows without users.
  var count: Int { keys.count }

  /// The approximate size of the rows in bytes, without their strings.
  var byteCount: Int {
    keys.count * (MemoryLayout<ViewKey>.stride + width * 8 + 12) + cells.count * 4
      + sets.reduce(0) { $0 + ($1.map { $0.byteCount } ?? 0) }
  }

  /// Returns the row of a key after adding a user to it.
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
    lastUsers.append(Self.noUser)
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
    } else if lastUsers[row] != Self.noUser {
      let set = SlotSet()
      set.insert(lastUsers[row])
      set.insert(user)
      sets[row] = set
    }
    lastUsers[row] = user
  }

  /// Adds to one of a row's sums.
  ///
  /// - Returns: False if the sum overflowed and was clamped.
  @inline(__always)
  mutating func add(_ number: SaturatingInt64, at index: Int, of row: Int) -> Bool {
    numbers[row * width + index].add(number)
  }

  /// The users of a row. The set stays unchanged until the table changes.
  func users(_ row: Int) -> SlotSet {
    if let set = sets[row] { return set }
    let set = SlotSet()
    if lastUsers[row] != Self.noUser { set.insert(lastUsers[row]) }
    return set
  }

  private func firstUser(_ row: Int) -> UInt32 { sets[row].map { $0.first ?? Self.noUser } ?? lastUsers[row] }

  /// Returns true if a new key from another table's row would be discarded at once: the table is full, and all of its
  /// rows began with earlier users.
  func isFull(for other: CountingTable, row: Int) -> Bool {
    table != .flow && count >= table.maximumKeys && other.firstUser(row) > newestUser
  }

  /// True if the row has no users left.
  func isEmpty(_ row: Int) -> Bool { sets[row].map(\.isEmpty) ?? (lastUsers[row] == Self.noUser) }

  /// Calls `body` with each row that has users.
  func forEach(_ body: (ViewKey, Int) -> Void) {
    for row in keys.indices where !isEmpty(row) { body(keys[row], row) }
  }

  func numbers(_ row: Int) -> ArraySlice<SaturatingInt64> { numbers[row * width..<(row + 1) * width] }

  /// Adds a row of another table of the same kind.
  ///
  /// - Returns: False if a sum overflowed and was clamped.
  mutating func merge(_ other: CountingTable, row: Int, as key: ViewKey) -> Bool {
    let target = find(key) ?? insert(key, from: other.firstUser(row))
    if let set = other.sets[row] {
      if sets[target] == nil {
        let own = set.copy()
        if lastUsers[target] != Self.noUser { own.insert(lastUsers[target]) }
        sets[target] = own
      } else {
        sets[target]?.formUnion(set)
      }
      lastUsers[target] = other.lastUsers[row]
    } else if other.lastUsers[row] != Self.noUser {
      add(other.lastUsers[row], target)
    }
    var isExact = true
    for (index, number) in other.numbers(row).enumerated() where number != 0 {
      if !add(number, at: index, of: target) { isExact = false }
    }
    return isExact
  }

  /// Adds a row for a key that has none.
  mutating func add(_ key: ViewKey, _ more: [SaturatingInt64], _ users: SlotSet) {
    guard let first = users.first else { return }
    let row = insert(key, from: first)
    numbers.replaceSubrange(row * width..<(row + 1) * width, with: more)
    if users.count == 1 { lastUsers[row] = first } else { sets[row] = users }
  }

  /// Subtracts a user's numbers from a row.
  ///
  /// - Returns: False if a difference overflowed and was clamped.
  mutating func subtract(_ less: ArraySlice<SaturatingInt64>, of user: UInt32, from key: ViewKey) -> Bool {
    guard let row = find(key) else { return true }
    var isExact = true
    for (index, number) in less.enumerated() {
      let isSubtracted = numbers[row * width + index].subtract(number)
      isExact = isExact && isSubtracted
    }
    if let set = sets[row] { set.remove(user) }
    if lastUsers[row] == user { lastUsers[row] = Self.noUser }
    return isExact
  }

  /// Copies the rows' sets, so that they can change independently of the table they came from.
  mutating func unshare() { for row in sets.indices { sets[row] = sets[row]?.copy() } }

  /// Sorts rows by priority: those of the longest-known users first, then by key.
  func ordered(_ rows: [Int], _ texts: ViewTexts) -> [Int] {
    let parts = table.parts
    return rows.map { (user: firstUser($0), row: $0) }.sorted { left, right in
      if left.user != right.user { return left.user < right.user }
      let (one, other) = (keys[left.row], keys[right.row])
      // Without arrays: a day of many rows compares millions of keys.
      for part in 0..<parts where one[part] != other[part] { return texts.precedes(one[part], other[part]) }
      return false
    }.map(\.row)
  }

  /// The rows that have users, grouped by step for the flow.
  func groups() -> [[Int]] {
    let rows = keys.indices.filter { !isEmpty($0) }
    return table == .flow ? Array(Dictionary(grouping: rows) { keys[$0].first }.values) : [rows]
  }

  func key(_ row: Int) -> ViewKey { keys[row] }
}

extension ViewTable {
  /// The number of parts in a key.
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

  /// The number of keys that a day keeps; for the flow, per step.
  var maximumKeys: Int { self == .flow ? ViewDayBuilder.maximumFlowPaths : ViewDay.maximumKeys }

  /// An index below 64, unique to each case.
  var index: Int { rawValue < 64 ? rawValue : rawValue - 64 + 14 }
}
