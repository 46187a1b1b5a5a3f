/// What a view remembers of users from days that are not sealed: what they changed, added up in order.
///
/// What sealed days changed is stored, a row for each user and day with all that is remembered of the user from then on.
/// So what is known of a user when a day begins is one row, and the figures of a day are a pure function of its hits and
/// of the days before: no state is carried along that could get lost, or depend on when it was asked for.
struct ViewMemory {
  private(set) var states: [UInt32: UserState] = [:]
  /// The first day that is not in it; `nil` as long as it covers none.
  private(set) var next: Int?

  /// Begins with a day.
  mutating func restart(at day: Int) {
    states = [:]
    next = day
  }

  /// Adds what a day changed if it is the next one; others are known or will be asked for.
  mutating func add(_ changes: [UInt32: UserState], of day: Int) {
    guard day == next else { return }
    states.merge(changes) { $1 }
    next = day + 1
  }

  /// Leaves out a date that does not exist.
  mutating func skip(_ day: Int) { add([:], of: day) }

  /// Stores what a day changed, in the transaction that seals it.
  static func store(
    _ states: [UInt32: UserState], of view: ViewID, day: Int, _ connection: SQLConnection
  ) throws {
    guard !states.isEmpty else { return }
    let insert = try connection.prepare(
      "INSERT OR IGNORE INTO view_state (view, user, day, state) VALUES (?, ?, ?, ?)")
    for (user, state) in states.sorted(by: { $0.key < $1.key }) {
      insert.bind(view.rawValue, Int64(user), Int64(day))
      insert.bind(state.encoded, at: 4)
      try insert.run()
    }
  }
}

extension ViewReading {
  /// What is remembered of some users when a day begins; ``remember(before:)`` comes first.
  func states(of users: Set<UInt32>, before day: Int) throws -> [UInt32: UserState] {
    var states: [UInt32: UserState] = [:]
    guard try rememberedStates(limit: 1) > 0 else {
      for user in users { states[user] = memory.states[user] }
      return states
    }
    let statement = try connection.prepare(
      "SELECT state FROM view_state WHERE view = ? AND user = ? AND day < ? ORDER BY day DESC LIMIT 1")
    for user in users {
      if let known = memory.states[user] {
        states[user] = known
        continue
      }
      statement.bind(view.id.rawValue, Int64(user), Int64(day))
      guard try statement.step() else { continue }
      defer { statement.reset() }
      guard let state = UserState(statement.bytes(0)) else {
        throw WarehouseError(
          code: .damaged,
          message: "What view \(view.id) knows of a user is damaged. Restore the data directory from a backup.")
      }
      states[user] = state
    }
    return states
  }

  /// Brings ``memory`` to the beginning of a day, from the days before it that are not sealed.
  func remember(before day: Int) throws {
    if memory.next.map({ $0 > day }) ?? true {
      // Before the first day that is not sealed, all that is known is stored.
      guard let start = try lastSealed().map({ $0 + 1 }) ?? firstDay() else { return memory.restart(at: day) }
      memory.restart(at: min(start, day))
    }
    while let next = memory.next, next < day {
      // Counting a day adds it.
      if calendar.bounds(of: next) == nil { memory.skip(next) } else { memory.add(try states(after: next), of: next) }
    }
  }

  /// Whether exactly these states are stored for these users and a sealed day.
  func remembers(_ states: [UInt32: UserState], of day: Int) throws -> Bool {
    let statement = try connection.prepare("SELECT state FROM view_state WHERE view = ? AND user = ? AND day = ?")
    for (user, state) in states {
      statement.bind(view.id.rawValue, Int64(user), Int64(day))
      guard try statement.step() else { return false }
      defer { statement.reset() }
      guard Array(statement.bytes(0)) == state.encoded else { return false }
    }
    return true
  }

  /// How many states are stored, counted up to a limit.
  func rememberedStates(limit: Int = .max) throws -> Int {
    guard try hasSealed() else { return 0 }
    return Int(
      try connection.integer(
        "SELECT count(*) FROM (SELECT 1 FROM view_state WHERE view = \(view.id.rawValue) LIMIT \(limit))") ?? 0)
  }
}
