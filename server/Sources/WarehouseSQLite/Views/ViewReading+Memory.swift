package import Views
package import Warehouse

package extension ViewMemory {
  /// Stores the state changes of a day, in the transaction that seals it.
  static func store(
    _ changes: ViewChanges, of view: ViewID, day: Int, _ connection: SQLConnection
  ) throws {
    let insert = try connection.prepare(
      kept: "INSERT OR IGNORE INTO view_state (view, user, day, state) VALUES (?, ?, ?, ?)")
    for (user, state) in changes.states.sorted(by: { $0.key < $1.key }) {
      insert.bind(view.rawValue, Int64(user), Int64(day))
      insert.bind(state.encoded, at: 4)
      try insert.run()
    }
    let insertOrder = try connection.prepare(
      kept: "INSERT OR IGNORE INTO view_order (view, id, day, change) VALUES (?, ?, ?, ?)")
    let orders = changes.orders.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
    for (id, change) in orders {
      insertOrder.bind(view.rawValue)
      insertOrder.bind(id.bytes, at: 2)
      insertOrder.bind(Int64(day), at: 3)
      insertOrder.bind(change.encoded, at: 4)
      try insertOrder.run()
    }
  }
}

extension ViewReading {
  /// Returns the states of some users at the beginning of a day. Call ``remember(before:)`` first.
  func states(of users: Set<UInt32>, before day: Int) throws -> [UInt32: UserState] {
    var states: [UInt32: UserState] = [:]
    guard try hasStates() else {
      for user in users { states[user] = memory.states[user] }
      return states
    }
    let statement = try connection.prepare(
      kept: "SELECT state FROM view_state WHERE view = ? AND user = ? AND day < ? ORDER BY day DESC LIMIT 1")
    for user in users {
      if let known = memory.states[user] {
        states[user] = known
        continue
      }
      statement.bind(view.id.rawValue, Int64(user), Int64(day))
      guard try statement.step() else { continue }
      defer { statement.reset() }
      guard let state = UserState(statement.bytes(0)) else {
        throw damaged("a user")
      }
      states[user] = state
    }
    return states
  }

  /// Returns the state of an order at the beginning of a day. Call ``remember(before:)`` first.
  func order(_ id: OrderID, before day: Int) throws -> ViewOrder? {
    var order = ViewOrder()
    let statement = try connection.prepare(
      kept: "SELECT change FROM view_order WHERE view = ? AND id = ? AND day < ? ORDER BY day")
    statement.bind(view.id.rawValue)
    statement.bind(id.bytes, at: 2)
    statement.bind(Int64(day), at: 3)
    while try statement.step() {
      guard let change = ViewOrder(statement.bytes(0)) else { throw damaged("an order") }
      order.add(change)
    }
    if let open = memory.orders[id] { order.add(open) }
    return order
  }

  private func damaged(_ what: String) -> WarehouseError {
    WarehouseError(
      .damaged, "What view \(view.id) knows of \(what) is damaged. Restore the data directory from a backup.")
  }

  /// Advances ``memory`` to the beginning of a day, through the earlier days that are not sealed.
  func remember(before day: Int) throws {
    if memory.next.map({ $0 > day }) ?? true {
      // Up to the last sealed day, all state is stored.
      guard let start = try lastSealed().map({ $0 + 1 }) ?? firstDay() else { return memory.restart(at: day) }
      memory.restart(at: min(start, day))
    }
    while let next = memory.next, next < day {
      // Counting a day adds its changes to the memory. Most days aren't busy if a clock was wrong by years, so that is
      // asked before their bounds are found.
      if try isBusy(next), calendar.bounds(of: next) != nil {
        memory.add(try changes(of: next), of: next)
      } else {
        memory.skip(next)
      }
    }
  }

  /// Returns true if exactly these changes are stored for a sealed day, its users and its orders.
  package func hasStored(_ changes: ViewChanges, of day: Int) throws -> Bool {
    let statement = try connection.prepare(kept: "SELECT state FROM view_state WHERE view = ? AND user = ? AND day = ?")
    for (user, state) in changes.states {
      statement.bind(view.id.rawValue, Int64(user), Int64(day))
      guard try statement.step() else { return false }
      defer { statement.reset() }
      guard Array(statement.bytes(0)) == state.encoded else { return false }
    }
    let find = try connection.prepare(kept: "SELECT change FROM view_order WHERE view = ? AND id = ? AND day = ?")
    for (id, change) in changes.orders {
      find.bind(view.id.rawValue)
      find.bind(id.bytes, at: 2)
      find.bind(Int64(day), at: 3)
      guard try find.step() else { return false }
      defer { find.reset() }
      guard Array(find.bytes(0)) == change.encoded else { return false }
    }
    return true
  }

  /// Returns the number of stored rows of users' and orders' states.
  package func storedStateCount() throws -> Int {
    try ["view_state", "view_order"].reduce(0) { count, table in
      count + Int(try connection.integer("SELECT count(*) FROM \(table) WHERE view = \(view.id.rawValue)") ?? 0)
    }
  }

  /// Returns the number of stored states of one sealed day.
  package func storedStateCount(of day: Int) throws -> Int {
    try ["view_state", "view_order"].reduce(0) { count, table in
      let sql = "SELECT count(*) FROM \(table) WHERE view = \(view.id.rawValue) AND day = \(day)"
      return count + Int(try connection.integer(sql) ?? 0)
    }
  }

  private func hasStates() throws -> Bool {
    try connection.integer("SELECT 1 FROM view_state WHERE view = \(view.id.rawValue) LIMIT 1") != nil
  }
}
