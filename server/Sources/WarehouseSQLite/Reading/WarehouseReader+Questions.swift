package import Columns
import GRDB
import JSON
package import Questions
import RowFiles
import ServerBase
import TernEvents
import Threads
package import Warehouse

extension WarehouseReader: QuestionSource {
  /// Answers a question; see ``QuestionSource/answer(_:app:calendar:today:)``.
  package func answer(
    _ question: Question, app: AppID, calendar: sending QuestionCalendar, today: Day
  ) async throws -> QuestionResult {
    try await asking([question], app, calendar, today) { [self] chunks, calendar, limits in
      var result = try evaluate(question, chunks, app: app, calendar: calendar, today: today, limits)
      result.firstKeptDay = try Self.read(pool) { try firstKeptDay(app, $0) }
      return result
    }
  }

  /// Answers queries together; see ``QuestionSource/answers(_:app:calendar:today:)``.
  package func answers(
    _ questions: [QueryQuestion], app: AppID, calendar: sending QuestionCalendar, today: Day
  ) async throws -> [QuestionResult] {
    try await asking(questions.map { .query($0) }, app, calendar, today) { [self] chunks, calendar, limits in
      #if DEBUG
        Self.trapAtFaults(in: chunks)
      #endif
      let results = try ColumnEvaluation.answers(
        questions, snapshot(chunks, app), calendar: calendar, today: today, limits: limits, threads: evaluationThreads)
      let kept = try Self.read(pool) { try firstKeptDay(app, $0) }
      return results.map { QuestionResult($0.answer, rowsRead: $0.rowsRead, firstKeptDay: kept) }
    }
  }

  /// Returns the errors that pass; see ``QuestionSource/errors(in:app:calendar:today:)``.
  package func errors(
    in scope: QuestionScope, app: AppID, calendar: sending QuestionCalendar, today: Day
  ) async throws -> [Int64] {
    // The journal knows questions, and this one reads the same rows.
    let question = Question.query(QueryQuestion(scope: scope, metrics: [.plain(.errors)]))
    return try await asking([question], app, calendar, today) { [self] chunks, calendar, limits in
      try ColumnEvaluation.errors(
        in: scope, snapshot(chunks, app), calendar: calendar, today: today, limits: limits, threads: evaluationThreads)
    }
  }

  /// Evaluates an app's chunks on a thread for questions, with a mark of each question in the journal.
  private func asking<Value: Sendable>(
    _ questions: [Question], _ app: AppID, _ calendar: sending QuestionCalendar, _ today: Day,
    _ evaluate: @escaping @Sendable ([Chunk], QuestionCalendar, QuestionLimits) throws -> Value
  ) async throws -> Value {
    // The job below is the only one that uses the calendar from here on.
    nonisolated(unsafe) let calendar = calendar
    return try await withCancellationFlag { flag in
      let work: @Sendable () throws -> Value = { [self] in
        // The time begins with the work, not with the wait for it.
        let limits = QuestionLimits { flag.isSet }
        return try withChunks(of: app, limits) { chunks in
          let last = chunks.last?.header.last ?? 0
          return try journal.perform(
            all: questions.map { .question($0, app, today: today, through: last) }[...]
          ) { try evaluate(chunks, calendar, limits) }
        }
      }
      do {
        return try await onQuestionThread { try RetiredRowCache.$mayFetch.withValue(false, operation: work) }
      } catch let error as WarehouseError where error.code == .rowsAway {
        try await onFetchingThread { [self] in _ = try chunks(of: app, QuestionLimits { flag.isSet }) }
        // It has all rows now, unless columns were lost meanwhile: then it may be asked again.
        return try await onQuestionThread { try RetiredRowCache.$mayFetch.withValue(false, operation: work) }
      }
    }
  }

  /// Answers a question from some chunks.
  package func evaluate(
    _ question: Question, _ chunks: [Chunk], app: AppID, calendar: QuestionCalendar, today: Day,
    _ limits: QuestionLimits
  ) throws -> QuestionResult {
    #if DEBUG
      Self.trapAtFaults(in: chunks)
    #endif
    return try ColumnEvaluation.answer(
      question, snapshot(chunks, app), calendar: calendar, today: today, limits: limits, threads: evaluationThreads)
  }

  #if DEBUG
    private static func trapAtFaults(in chunks: [Chunk]) {
      for chunk in chunks { chunk.forEachProperty { name, _ in InjectedFault.question.trap(name) } }
    }
  #endif

  private func snapshot(_ chunks: [Chunk], _ app: AppID) -> ColumnSnapshot {
    ColumnSnapshot(chunks: chunks, names: StoredNames(pool: pool, app: app.rawValue))
  }

  /// Returns an app's properties; see ``QuestionSource/properties(app:)``.
  package func properties(app: AppID) async throws -> [PropertyUse] {
    do {
      return try await onQuestionThread { [self] in
        try RetiredRowCache.$mayFetch.withValue(false) { try propertyUses(of: app) }
      }
    } catch let error as WarehouseError where error.code == .rowsAway {
      return try await onFetchingThread { [self] in try propertyUses(of: app) }
    }
  }

  private func propertyUses(of app: AppID) throws -> [PropertyUse] {
    try withChunks(of: app, QuestionLimits { false }) { chunks in
      let names = ByteTable(seed: 0x7465_726E)
      var counts: [Int] = []
      for chunk in chunks {
        chunk.forEachProperty { name, rows in
          let key = names.key(name)
          let number = names.find(name, key) ?? names.insert(name, key)
          if number == counts.count { counts.append(0) }
          counts[number] += rows
        }
      }
      return counts.enumerated().map {
        PropertyUse(name: String(decoding: names.string($0), as: UTF8.self), rows: $1)
      }.sorted { ($1.rows, $0.name) < ($0.rows, $1.name) }
    }
  }

  /// Begins to add new rows to the columns, on a thread of its own, unless that is about to happen.
  package func updateColumns() {
    guard columns.willUpdate() else { return }
    columnThread.submit { [self] in
      columns.didBegin()
      // The next call tries again.
      do {
        try read { try columns.update($0, dictionary: dictionary, checkCancellation: columns.checkOpen) }
        failures.record("Adding events to columns", nil)
      } catch is CancellationError {
      } catch {
        failures.record("Adding events to columns", error)
      }
    }
  }

  /// Returns the result of `body` for an app's chunks. If a file turns out to be cut short, it is made again, and so is the result.
  func withChunks<Value>(
    of app: AppID, _ limits: QuestionLimits, _ body: ([Chunk]) throws -> Value
  ) throws -> Value {
    for _ in 0..<3 {
      let chunks = try chunks(of: app, limits)
      let result = Result { try body(chunks) }
      if !chunks.contains(where: \.isIncomplete) { return try result.get() }
    }
    throw WarehouseError(
      .unavailable, "The files in \(columns.directory.path) lose bytes while they are read. Check the disk.")
  }

  func chunks(of app: AppID, _ limits: QuestionLimits) throws -> [Chunk] {
    do {
      return try read { connection in
        try columns.chunks(
          app: app.rawValue, connection, dictionary: dictionary, checkCancellation: { try limits.check() })
      }
    } catch let error as QuestionError {
      throw error
    } catch let error as CancellationError {
      throw error
    } catch {
      throw WarehouseError.from(error)
    }
  }
}

/// The names of an app's installs and users and the groups of its errors, from the database.
struct StoredNames: PersonNames {
  let pool: DatabasePool
  let app: Int64

  func installs() throws -> [String] {
    try names("SELECT slot, name, typeof(name) = 'blob' FROM install WHERE app = ?") { Self.installName($0, at: 1) }
  }

  func install(_ number: UInt32) throws -> String {
    try name("SELECT name, typeof(name) = 'blob' FROM install WHERE app = ? AND slot = ?", number) {
      Self.installName($0, at: 0)
    }
  }

  func users() throws -> [String] {
    try names("SELECT number, name FROM member WHERE app = ?") { $0.text(1) }
  }

  func user(_ number: UInt32) throws -> String {
    try name("SELECT name FROM member WHERE app = ? AND number = ?", number) { $0.text(0) }
  }

  func numbers(of persons: [[String]]) throws -> [IdentifierNumbers] {
    try pool.read { database in
      let lookup = try IdentifierLookup(app: app, SQLConnection(database))
      return try persons.map(lookup.numbers)
    }
  }

  func errors(ofGroup number: Int64) throws -> [Int64] {
    try pool.read { database in
      let find = try SQLConnection(database).prepare(
        "SELECT id FROM error WHERE grp IN (\(WarehouseReader.signatures(of: "?1"))) AND app = ?2 ORDER BY id")
      return try find.bind(number, app).all { $0.integer(0) }
    }
  }

  func firstErrors() throws -> [Int64: Int64] {
    try pool.read { database in
      let find = try SQLConnection(database).prepare(
        """
        SELECT g.number, e.t, e.id FROM
        (SELECT id, min(id) OVER (PARTITION BY kind, key) AS number FROM error_group WHERE app = ?) g
        JOIN error e ON e.id = (SELECT f.id FROM error f WHERE f.grp = g.id ORDER BY f.t, f.id LIMIT 1)
        """)
      var first: [Int64: (time: Int64, id: Int64)] = [:]
      for (group, time, id) in try find.bind(app).all({ ($0.integer(0), $0.integer(1), $0.integer(2)) }) {
        if let known = first[group], known < (time, id) { continue }
        first[group] = (time, id)
      }
      return first.mapValues(\.id)
    }
  }

  /// The name of an install; the column after it is true if it is a binary UUID.
  static func installName(_ row: SQLStatement, at column: Int32) -> String {
    guard row.integer(column + 1) != 0, row.bytes(column).count == 16 else { return row.text(column) }
    let bytes = row.bytes(column)
    return UniqueID(
      high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    ).description
  }

  private func name(_ sql: String, _ number: UInt32, _ name: (SQLStatement) -> String) throws -> String {
    try pool.read { database in
      let statement = try SQLConnection(database).prepare(sql)
      statement.bind(app, Int64(number))
      return try statement.first(name) ?? ""
    }
  }

  private func names(_ sql: String, _ name: (SQLStatement) -> String) throws -> [String] {
    try pool.read { database in
      let statement = try SQLConnection(database).prepare(sql)
      statement.bind(app)
      var names: [String] = []
      while try statement.step() {
        let number = Int(statement.integer(0))
        while names.count <= number { names.append("") }
        names[number] = name(statement)
      }
      return names
    }
  }
}

extension DerivedWork {
  fileprivate static func question(_ question: Question, _ app: AppID, today: Day, through row: Int64) -> DerivedWork {
    .question(
      kind: question.kind.rawValue, json: String(decoding: question.understood(today: today).encoded, as: UTF8.self),
      app: app.rawValue, today: today.number, through: row)
  }
}

extension WarehouseReader {
  /// Returns the first day whose rows are kept; `nil` if all are.
  func firstKeptDay(_ app: AppID, _ connection: SQLConnection) throws -> Day? {
    try Horizons(connection).counted[app.rawValue].map { Day(number: try catalog.calendar(app).day(of: $0)) }
  }
}
