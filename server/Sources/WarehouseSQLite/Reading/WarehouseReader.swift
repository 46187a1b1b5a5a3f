import Columns
package import GRDB
import Ingest
package import RowFiles
import ServerBase
import TernBase
import Threads
package import Warehouse

/// A reader of a data directory, with its own connections.
///
/// Each read sees one consistent snapshot; successive reads may see newer ones.
package final class WarehouseReader: MetricsStore {
  package let pool: DatabasePool
  package let catalog: any CatalogStore
  package let dictionary = ReaderDictionary()
  package let viewDays: ViewDayCache
  let spanDays = SpanDays()
  package let columns: ColumnStore
  /// Rows that reads left out because they can't be read.
  let damage: DamagedRows
  /// Records on disk the work in progress; `nil` in a process that only reads.
  let journal: WorkJournal?
  let failures: WorkFailures
  /// Receives rows at which a read failed.
  let rowFailed: @Sendable (RowFailure) -> Void

  /// Reads that share an object run one at a time.
  let threads: ThreadPool<ObjectIdentifier>
  let questionThreads = ThreadPool<Never>(.questions)
  private let questionHelpers = ThreadPool<Never>(.questionHelpers)
  var evaluationThreads: ParallelThreads { ParallelThreads(count: ThreadKind.threadsPerQuestion, questionHelpers) }
  let fetchingThreads = ThreadPool<Never>(.fetching)
  let columnThread = ThreadPool<Never>(.columns)

  /// The threads on which reports run, at a lower priority than ingestion.
  package var executor: any TaskExecutor { threads }

  package init(
    pool: DatabasePool, columns: ColumnDirectory, catalog: any CatalogStore,
    chunkRows: Int = Chunk.maximumRows, viewCacheBytes: Int = WarehouseConfiguration.standardViewCacheBytes,
    damage: DamagedRows = DamagedRows(),
    journal: WorkJournal? = nil, failures: WorkFailures = WorkFailures(),
    rowFailed: @escaping @Sendable (RowFailure) -> Void = { _ in }
  ) {
    self.damage = damage
    self.journal = journal
    self.failures = failures
    self.rowFailed = rowFailed
    self.columns = ColumnStore(columns, chunkRows: chunkRows, journal: journal, damage: damage)
    viewDays = ViewDayCache(capacity: viewCacheBytes)
    self.pool = pool
    self.catalog = catalog
    threads = ThreadPool(.reports, limits: FairQueueLimits(runningPerOwner: 1))
  }

  /// Closes the connections. Later reads throw.
  package func close() throws {
    threads.close()
    questionThreads.close()
    questionHelpers.close()
    fetchingThreads.close()
    columnThread.close()
    columns.close()
    do {
      try pool.close()
    } catch {
      throw WarehouseError.from(error)
    }
  }

  /// Runs `body` in a transaction that sees one snapshot of the data. Rows that can't be read are left out, but only after
  /// it is certain that they have not moved.
  package func read<Value>(_ body: (SQLConnection) throws -> Value) throws -> Value {
    do {
      do {
        return try Self.read(pool, body)
      } catch let error as WarehouseError where error.code == .damaged {
        return try DamagedRows.$tolerated.withValue(damage) { try Self.read(pool, body) }
      }
    } catch let failure as RowFailure {
      rowFailed(failure)
      throw failure
    }
  }

  /// A failed read, and the segments of the rows that it could see.
  private struct FailedRead: Error {
    var error: WarehouseError
    var segments: Set<Int64>
  }

  /// Reads again if rows have moved to another segment meanwhile and the old one was deleted.
  package static func read<Value>(_ pool: DatabasePool, _ body: (SQLConnection) throws -> Value) throws -> Value {
    while true {
      do {
        return try pool.unsafeRead { database in
          let connection = try SQLConnection(database, isReader: true)
          try connection.execute("BEGIN")
          // Nothing was written, so there is nothing to commit.
          defer { try? connection.execute("ROLLBACK") }
          // The counts first: the snapshot of the warehouse, which the next read begins, has all that they include.
          _ = try CountSchema.countedRow(connection)
          do {
            return try body(connection)
          } catch let error as WarehouseError where error.code == .damaged {
            throw FailedRead(error: error, segments: try StoredSpan.segments(connection))
          }
        }
      } catch let failed as FailedRead {
        let segments = try pool.read { try StoredSpan.segments(SQLConnection($0)) }
        guard !failed.segments.isSubset(of: segments) else { throw failed.error }
      }
    }
  }

  /// Returns the counts per day and key; see ``MetricsStore/dailyCounts(app:dimension:days:)``.
  package func dailyCounts(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> [DailyCount] {
    try await reading { [self] connection in
      let statement = try connection.prepare(
        kept: "SELECT day, key, n FROM daily_count WHERE app = ? AND dim = ? AND day BETWEEN ? AND ?")
      bind(statement, app, dimension, days)
      let replacements = try replacements(app, dimension, connection)
      var sums: [DayKey: Int] = [:]
      while try statement.step() {
        let key = statement.integer(1)
        sums[DayKey(day: statement.day(0), key: replacements[key] ?? key), default: 0].addSaturated(
          Int(statement.integer(2)))
      }
      var counts = try sums.map { entry, count in
        DailyCount(day: Day(number: entry.day), key: try text(entry.key, dimension, connection), count: count)
      }
      if dimension == .dropped { counts += try rejections(app: app, days: days, connection) }
      return counts.sorted { ($0.day, $0.key) < ($1.day, $1.key) }
    }
  }

  /// Returns the count of all keys; see ``MetricsStore/count(app:dimension:days:)``.
  package func count(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> Int {
    try await reading { [self] connection in
      let counts = try countsByKey(app, dimension, days, connection).values.saturatingSum
      guard dimension == .dropped else { return counts }
      return counts.addingSaturated(try rejections(app: app, days: days, connection).map(\.count).saturatingSum)
    }
  }

  /// Returns the counts per key over the range; see ``MetricsStore/totals(app:dimension:days:limit:)``.
  package func totals(app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int?) async throws -> [KeyTotals]
  {
    try await reading { [self] connection in
      var counts = try countsByKey(app, dimension, days, connection)
      // An install that was active without an event has users, but no count, in device dimensions.
      if limit.map({ counts.count < $0 }) ?? true {
        for key in try keysOfUsers(app, dimension, days, connection) { counts[key, default: 0] += 0 }
      }
      var metrics = try counts.map { key, count in
        (key: key, metrics: KeyTotals(key: try text(key, dimension, connection), count: count, users: 0))
      }
      if dimension == .dropped {
        let refused = Dictionary(grouping: try rejections(app: app, days: days, connection), by: \.key)
        for (key, counts) in refused {
          metrics.append((key: -1, metrics: KeyTotals(key: key, count: counts.map(\.count).saturatingSum, users: 0)))
        }
      }
      metrics.sort {
        $0.metrics.count == $1.metrics.count
          ? dimension.isOrdered($0.metrics.key, before: $1.metrics.key) : $0.metrics.count > $1.metrics.count
      }
      if let limit, metrics.count > limit { metrics.removeLast(metrics.count - max(0, limit)) }
      let users = try unions(app, dimension, days, keys: Set(metrics.map(\.key)), connection)
      return metrics.map { KeyTotals(key: $0.metrics.key, count: $0.metrics.count, users: users[$0.key]?.count ?? 0) }
    }
  }

  /// Returns the counts of some keys; see ``MetricsStore/totals(app:dimension:keys:days:)``.
  package func totals(
    app: AppID, dimension: Dimension, keys: [String], days: ClosedRange<Day>
  ) async throws -> [KeyTotals] {
    try await reading { [self] connection in
      let numbers = try keys.map { try number($0, app, dimension, connection) }
      let wanted = Set(numbers.compactMap(\.self))
      let counts = try countsByKey(app, dimension, days, keys: wanted, connection)
      let users = try unions(app, dimension, days, keys: wanted, connection)
      let rejections = dimension == .dropped ? try rejections(app: app, days: days, connection) : []
      return zip(keys, numbers).map { key, number in
        let rejected = rejections.filter { $0.key == key }.map(\.count).saturatingSum
        return KeyTotals(
          key: key, count: rejected.addingSaturated(number.flatMap { counts[$0] } ?? 0),
          users: number.flatMap { users[$0]?.count } ?? 0)
      }
    }
  }

  /// Returns the counts of one key per day; see ``MetricsStore/series(app:dimension:key:days:)``.
  package func series(
    app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>
  ) async throws -> [DailyTotals] {
    try await reading { [self] connection in
      var metrics: [Int64: (count: Int, users: Int)] = [:]
      if dimension == .dropped, key.hasPrefix(Dimension.rejectedPrefix) {
        for entry in try rejections(app: app, days: days, connection) where entry.key == key {
          metrics[Int64(entry.day.number), default: (0, 0)].count.addSaturated(entry.count)
        }
      } else if let number = try number(key, app, dimension, connection) {
        let replaced = try replacements(app, dimension, connection).filter { $0.value == number }.map(\.key)
        if !replaced.isEmpty {
          return try series(app, dimension, keys: Set(replaced + [number]), days, connection)
        }
        for (table, isCount) in [("daily_count", true), ("daily_users", false)] {
          let statement = try connection.prepare(
            "SELECT day, n FROM \(table) WHERE app = ? AND dim = ? AND day BETWEEN ? AND ? AND key = ?")
          bind(statement, app, dimension, days)
          statement.bind(number, at: 5)
          while try statement.step() {
            let value = Int(statement.integer(1))
            if isCount {
              metrics[statement.integer(0), default: (0, 0)].count = value
            } else {
              metrics[statement.integer(0), default: (0, 0)].users = value
            }
          }
        }
      }
      return metrics.sorted { $0.key < $1.key }.map {
        DailyTotals(day: Day(number: Int($0.key)), count: $0.value.count, users: $0.value.users)
      }
    }
  }
}

/// A day and the number of a key.
private struct DayKey: Hashable {
  let day: Int
  let key: Int64
}

extension WarehouseReader {
  func bind(_ statement: SQLStatement, _ app: AppID, _ dimension: Dimension, _ days: ClosedRange<Day>) {
    statement.bind(
      app.rawValue, Int64(dimension.rawValue), Int64(days.lowerBound.number), Int64(days.upperBound.number))
  }

  /// Returns the text of a stored key.
  func text(_ key: Int64, _ dimension: Dimension, _ connection: SQLConnection) throws -> String {
    switch dimension {
    case .total, .session, .property: ""
    case .kind: (StoredKind(rawValue: Int(key)) ?? .other).name
    case .dropped where key == RollupAccumulator.nameLimitKey: Dimension.nameLimitKey
    case .language: CanonicalCode.language(try dictionary.text(key, connection))
    case .country: CanonicalCode.country(try dictionary.text(key, connection))
    default: try dictionary.text(key, connection)
    }
  }

  /// Returns the stored key of a text, or `nil` if it never occurred.
  private func number(_ key: String, _ app: AppID, _ dimension: Dimension, _ connection: SQLConnection) throws -> Int64?
  {
    switch dimension {
    case .total, .session: key.isEmpty ? 0 : nil
    case .kind: StoredKind.allCases.first { $0.name == key }.map { Int64($0.rawValue) }
    case .dropped where key == Dimension.nameLimitKey: RollupAccumulator.nameLimitKey
    default:
      try dimension.nameKind.flatMap { kind in
        let id = try ReaderDictionary.id(key, app: app.rawValue, kind: kind, connection)
        guard id == nil || CanonicalCode.replacements(in: dimension)[key] != nil else { return id }
        return try number(ofCode: key, app, dimension, kind, connection)
      }
    }
  }

  /// Returns the count of each key over the range, of all keys if `keys` is `nil`.
  private func countsByKey(
    _ app: AppID, _ dimension: Dimension, _ days: ClosedRange<Day>, keys: Set<Int64>? = nil,
    _ connection: SQLConnection
  ) throws -> [Int64: Int] {
    let replacements = try replacements(app, dimension, connection)
    let filter = Self.filter(keys?.adding(replacements))
    let statement =
      filter.isEmpty
      ? try connection.prepare(kept: "SELECT key, n FROM daily_count WHERE app = ? AND dim = ? AND day BETWEEN ? AND ?")
      : try connection.prepare(
        "SELECT key, n FROM daily_count WHERE app = ? AND dim = ? AND day BETWEEN ? AND ?" + filter)
    bind(statement, app, dimension, days)
    var counts: [Int64: Int] = [:]
    while try statement.step() {
      let key = statement.integer(0)
      counts[replacements[key] ?? key, default: 0].addSaturated(Int(statement.integer(1)))
    }
    return counts
  }

  private func keysOfUsers(
    _ app: AppID, _ dimension: Dimension, _ days: ClosedRange<Day>, _ connection: SQLConnection
  ) throws -> Set<Int64> {
    let statement = try connection.prepare(
      kept: "SELECT key FROM daily_users WHERE app = ? AND dim = ? AND day BETWEEN ? AND ?")
    bind(statement, app, dimension, days)
    let replacements = try replacements(app, dimension, connection)
    return Set(try statement.all { $0.integer(0) }.map { replacements[$0] ?? $0 })
  }

  /// Returns the condition of a query for some keys; none if they are so many that reading all is as fast.
  static func filter(_ keys: Set<Int64>?) -> String {
    guard let keys, keys.count <= 1_000 else { return "" }
    return " AND key IN (\(keys.map(String.init).joined(separator: ",")))"
  }

  /// Returns the installs of each key over the range.
  private func unions(
    _ app: AppID, _ dimension: Dimension, _ days: ClosedRange<Day>, keys: Set<Int64>, _ connection: SQLConnection
  ) throws -> [Int64: SlotSet] {
    let replacements = try replacements(app, dimension, connection)
    let statement = try connection.prepare(
      "SELECT key, slots FROM daily_users WHERE app = ? AND dim = ? AND day BETWEEN ? AND ?"
        + Self.filter(keys.adding(replacements)))
    bind(statement, app, dimension, days)
    var unions: [Int64: SlotSet] = [:]
    while try statement.step() {
      let stored = statement.integer(0)
      let key = replacements[stored] ?? stored
      guard keys.contains(key) else { continue }
      let set = try SlotSet.stored(statement.bytes(1))
      if let union = unions[key] { union.formUnionLazily(set) } else { unions[key] = set }
    }
    for union in unions.values { union.repair() }
    return unions
  }

  private func rejections(
    app: AppID, days: ClosedRange<Day>, _ connection: SQLConnection
  ) throws -> [DailyCount] {
    let statement = try connection.prepare(
      kept: "SELECT day, reason, n FROM reject WHERE app = ? AND day BETWEEN ? AND ? ORDER BY day, reason")
    statement.bind(app.rawValue, Int64(days.lowerBound.number), Int64(days.upperBound.number))
    // Added up here: the sum of SQLite fails if it is too large, and imports can bring any count.
    var counts: [DailyCount] = []
    while try statement.step() {
      let (day, key) = (Day(number: statement.day(0)), Dimension.rejectedPrefix + statement.text(1))
      if let last = counts.last, last.day == day, ExactText(last.key) == ExactText(key) {
        counts[counts.count - 1].count.addSaturated(Int(statement.integer(2)))
      } else {
        counts.append(DailyCount(day: day, key: key, count: Int(statement.integer(2))))
      }
    }
    return counts
  }
}

extension Dimension {
  /// The dictionary with the keys of this dimension; `nil` if there is none.
  var nameKind: NameKind? {
    switch self {
    case .event: .event
    case .screen: .screen
    case .version: .version
    case .os: .system
    case .model: .model
    case .country: .country
    case .language: .language
    case .dropped: .property
    case .total, .session, .property, .kind: nil
    }
  }
}
