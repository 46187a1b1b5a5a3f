import Ingest
import Views
import Warehouse

/// Detects events that were already stored.
///
/// The source of truth is the table `seen(ms, hash)`. Inserting keys in order of arrival costs 5 to 6 µs per key, since
/// event times are jittered over seconds; in order of time it costs 0.8 µs. Keys are therefore collected in memory
/// (`arriving`), sorted once there are enough (`draining`), and inserted in chunks within the commit transactions. A
/// crash loses nothing: rows contain their keys, and `seen` in the table `state` records up to which row the table is
/// complete.
///
/// Keys expire by time, once their events are too old to be delivered again. A key's time comes from the device, whose
/// clock may be off by years. Keys far from their arrival are out of window: they are kept in the table `out_of_window`,
/// expire by arrival, and get no filter for their day.
final class DuplicateIndex {
  /// The state of one day in memory.
  private enum DayState {
    case filter(DayFilter)
    /// No complete filter; the table has been queried `lookups` times.
    case cold(lookups: Int)
  }

  /// Sorted keys that are being inserted into the table.
  private struct Draining {
    var pending: PendingKeys
    var keys: [DuplicateKey]
    var position = 0
    /// The latest time of receipt among the keys.
    var received: Int64
    /// The last row whose key is in the table once these are inserted.
    var throughRow: Int64
  }

  private static let dayMilliseconds: Int64 = 86_400_000
  /// The number of look-ups for a day without a filter after which loading its keys is cheaper.
  private static let coldLimit = 2_000
  /// The number of keys loaded per commit, a few milliseconds' worth. Until all are loaded, the table is queried.
  static let keysLoadedPerCommit = 8_192
  /// The maximum memory for filters, in bytes.
  private static let filterLimit = 128 << 20
  /// The lifetime of keys, in days. Older events are not accepted.
  static let lifetimeDays: Int64 = 430
  /// A key is out of window if its time is this many days before its arrival. Keys in `seen` are therefore kept for at
  /// least 400 days after arrival, longer than any working device keeps events.
  private static let earliestDays: Int64 = 30
  /// A key is out of window if its time is this many days after its arrival.
  private static let latestDays: Int64 = 4

  private let connection: SQLConnection
  private let pendingLimit: Int
  private let find: SQLStatement
  private let insertKey: SQLStatement
  private let insertOutOfWindow: SQLStatement
  private let anyOfDay: SQLStatement
  private let storeCursor: SQLStatement
  private var days: [Int64: DayState] = [:]
  private var today = Int64.min
  /// The days that may have a state in memory; all others are looked up.
  private var knownDays: ClosedRange<Int64> = 0...0
  private var lastDay = Int64.min
  private var lastFilter: DayFilter?
  private var hasForgotten = false
  /// The loader of the day that gets its filter next.
  private var loader: DayLoader?
  /// The number of stored keys loaded into filters so far.
  private(set) var loadedKeys = 0
  private var arriving: PendingKeys
  /// The latest time of receipt among `arriving`.
  private var latestReceived = Int64.min
  private var draining: Draining?
  private var mark: (arriving: Int, position: Int) = (0, 0)

  init(_ connection: SQLConnection, pendingLimit: Int) throws {
    self.connection = connection
    self.pendingLimit = max(pendingLimit, 1)
    find = try connection.prepare(
      """
      SELECT 1 FROM seen WHERE ms = ?1 AND hash = ?2
      UNION ALL SELECT 1 FROM out_of_window WHERE ms = ?1 AND hash = ?2
      """)
    insertKey = try connection.prepare("INSERT OR IGNORE INTO seen (ms, hash) VALUES (?, ?)")
    insertOutOfWindow = try connection.prepare(
      "INSERT OR IGNORE INTO out_of_window (ms, hash, received) VALUES (?, ?, ?)")
    let ofDay = "WHERE ms >= ?1 AND ms < ?2"
    anyOfDay = try connection.prepare(
      "SELECT 1 FROM seen \(ofDay) UNION ALL SELECT 1 FROM out_of_window \(ofDay) LIMIT 1")
    storeCursor = try connection.prepare("INSERT OR REPLACE INTO state (name, value) VALUES ('seen', ?)")
    arriving = PendingKeys(capacity: pendingLimit)
  }

  /// The number of days with a state in memory.
  var dayCount: Int { days.count }

  /// True if keys are waiting to be inserted into the table.
  var hasPending: Bool { arriving.count > 0 || draining != nil }

  /// Sets the time of receipt of the keys that follow.
  func arrived(at milliseconds: Int64) {
    latestReceived = max(latestReceived, milliseconds)
    let day = Self.day(of: milliseconds)
    if day != today { move(to: day) }
  }

  /// Adds a key; returns false if it is a duplicate.
  @inline(__always)
  func insert(_ key: DuplicateKey) throws -> Bool {
    let day = Self.day(of: key.milliseconds)
    if day == lastDay, let filter = lastFilter {
      if filter.insert(key), try isKnown(key) { return false }
    } else if try mayBeKnown(key, day: day), try isKnown(key) {
      return false
    }
    arriving.insert(key)
    return true
  }

  private func isKnown(_ key: DuplicateKey) throws -> Bool {
    if arriving.contains(key) || draining?.pending.contains(key) == true { return true }
    find.bind(key.milliseconds, key.hash)
    defer { find.reset() }
    return try find.step()
  }

  private static func day(of milliseconds: Int64) -> Int64 {
    milliseconds >= 0 ? milliseconds / dayMilliseconds : -1
  }

  /// Returns the time range of a day's keys. All times before 1970 count as one day.
  private static func range(of day: Int64) -> (Int64, Int64) {
    let start = day < 0 ? Int64.min : day * dayMilliseconds
    let (end, overflow) = (day < 0 ? 0 : day * dayMilliseconds).addingReportingOverflow(day < 0 ? 0 : dayMilliseconds)
    return (start, overflow ? .max : end)
  }
}

// MARK: - Days

extension DuplicateIndex {
  private func mayBeKnown(_ key: DuplicateKey, day: Int64) throws -> Bool {
    guard knownDays.contains(day) else {
      // Clients choose a key's time, but must not be able to choose how much memory it takes.
      hasForgotten = true
      return true
    }
    switch try days[day] ?? firstTouch(day) {
    case .filter(let filter):
      lastDay = day
      lastFilter = filter
      return filter.insert(key)
    case .cold(let lookups):
      days[day] = .cold(lookups: lookups + 1)
      if lookups + 1 >= Self.coldLimit, loader == nil { try startLoading(day) }
      if let loader, loader.day == day { _ = loader.filter.insert(key) }
      return true
    }
  }

  private func firstTouch(_ day: Int64) throws -> DayState {
    let (start, end) = Self.range(of: day)
    anyOfDay.bind(start, end)
    let isStored = try anyOfDay.step()
    anyOfDay.reset()
    // A day without a state may have keys still waiting, which an empty filter would miss.
    let state: DayState = isStored || hasForgotten ? .cold(lookups: 0) : .filter(DayFilter())
    days[day] = state
    return state
  }

  private func move(to day: Int64) {
    today = day
    knownDays = max(-1, day - Self.lifetimeDays)...max(0, day + Self.latestDays)
    let count = days.count
    days = days.filter { knownDays.contains($0.key) }
    if days.count < count { hasForgotten = true }
    if let loader, !knownDays.contains(loader.day) { self.loader = nil }
    guard !knownDays.contains(lastDay) else { return }
    lastDay = .min
    lastFilter = nil
  }

  private func startLoading(_ day: Int64) throws {
    let loader = try DayLoader(connection, day: day, times: Self.range(of: day))
    for key in arriving.keys where Self.day(of: key.milliseconds) == day { _ = loader.filter.insert(key) }
    for key in draining?.pending.keys ?? [] where Self.day(of: key.milliseconds) == day {
      _ = loader.filter.insert(key)
    }
    self.loader = loader
  }

  /// Loads some keys of a day that is queried often, so that its filter can eventually answer.
  func load(atMost count: Int) throws {
    guard let loader else { return }
    loadedKeys += try loader.load(atMost: count)
    guard loader.isComplete else { return }
    days[loader.day] = .filter(loader.filter)
    self.loader = nil
    coolOldest(except: loader.day)
  }

  /// Drops the filters of the earliest days until the rest fit, since late events are rare.
  private func coolOldest(except kept: Int64) {
    var sizes = days.compactMap { day, state -> (Int64, Int)? in
      guard case .filter(let filter) = state else { return nil }
      return (day, filter.byteCount)
    }
    var total = sizes.reduce(0) { $0 + $1.1 }
    sizes.sort { $0.0 < $1.0 }
    for (day, size) in sizes where total > Self.filterLimit && day != kept {
      days[day] = .cold(lookups: 0)
      total -= size
      if day == lastDay { lastFilter = nil }
    }
  }
}

// MARK: - Transactions

extension DuplicateIndex {
  /// Saves the state to restore if the transaction that starts now is rolled back.
  func begin() { mark = (arriving.count, draining?.position ?? 0) }

  /// Inserts some keys into the table, in the open transaction.
  func drain(atMost count: Int) throws {
    guard let batch = draining else { return }
    let end = min(batch.position + count, batch.keys.count)
    let regular = Self.regularTimes(received: batch.received)
    for key in batch.keys[batch.position..<end] {
      let insert = regular.contains(key.milliseconds) ? insertKey : insertOutOfWindow
      insert.bind(key.milliseconds, at: 1)
      insert.bind(key.hash, at: 2)
      if insert === insertOutOfWindow { insert.bind(batch.received, at: 3) }
      try insert.run()
    }
    draining?.position = end
    if end == batch.keys.count { try storeCursor.bind(batch.throughRow).run() }
  }

  /// Must be called after a commit; `row` is the last row stored.
  func committed(throughRow row: Int64, all: Bool = false) {
    if let batch = draining, batch.position == batch.keys.count { draining = nil }
    guard draining == nil, arriving.count >= (all ? 1 : pendingLimit) else { return }
    draining = Draining(
      pending: arriving, keys: arriving.sortedByTime(), received: latestReceived, throughRow: row)
    arriving = PendingKeys(capacity: pendingLimit)
    latestReceived = .min
    let filters = days.values.reduce(0) { sum, state in
      guard case .filter(let filter) = state else { return sum }
      return sum + filter.byteCount
    }
    if filters > Self.filterLimit { coolOldest(except: lastDay) }
  }

  /// Must be called after a rollback.
  func rolledBack() {
    arriving.truncate(to: mark.arriving)
    draining?.position = mark.position
  }

  private static func regularTimes(received: Int64) -> ClosedRange<Int64> {
    received - earliestDays * dayMilliseconds...received + latestDays * dayMilliseconds
  }

  /// Adds the key of a stored row that may be missing from the table, at startup.
  func recollect(_ key: DuplicateKey, received: Int64) throws {
    arrived(at: received)
    _ = try insert(key)
    try load(atMost: .max)
  }

  /// True if waiting keys must be inserted before more are collected.
  var isFull: Bool { arriving.count >= pendingLimit }
}
