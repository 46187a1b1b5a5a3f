import Columns
import GRDB
package import Questions
import TernBase
import TernEvents
import Views
package import Warehouse

extension WarehouseReader: QuestionSource {
  /// Answers a question; see ``QuestionSource/answer(_:app:calendar:today:)``.
  package func answer(
    _ question: Question, app: AppID, calendar: sending QuestionCalendar, today: Day
  ) async throws -> QuestionResult {
    let isCancelled = Locked(false)
    // The job below is the only one that uses the calendar from here on.
    nonisolated(unsafe) let calendar = calendar
    return try await withTaskCancellationHandler {
      try await questionThreads.run { [self] in
        // The time begins with the work, not with the wait for it.
        let limits = QuestionLimits { isCancelled.withLock { $0 } }
        let chunks = try chunks(of: app, limits)
        let snapshot = ColumnSnapshot(chunks: chunks, names: StoredNames(pool: pool, app: app.rawValue))
        return try ColumnEvaluation.answer(
          question, snapshot, calendar: calendar, today: today, limits: limits, threads: evaluationThreads)
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  /// Begins to add new rows to the columns, on a thread of its own, unless that is about to happen.
  func updateColumns() {
    guard columns.willUpdate() else { return }
    columnThread.submit { [self] in
      columns.didBegin()
      // A failure shows when a question needs the rows; the next call tries again.
      try? pool.read {
        try columns.update(WarehouseFile.connection($0), dictionary: dictionary, checkCancellation: columns.checkOpen)
      }
    }
  }

  private func chunks(of app: AppID, _ limits: QuestionLimits) throws -> [Chunk] {
    do {
      return try pool.read { database in
        try columns.chunks(
          app: app.rawValue, WarehouseFile.connection(database), dictionary: dictionary,
          checkCancellation: { try limits.check() })
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

/// The names of an app's installs and users, from the database.
private struct StoredNames: PersonNames {
  let pool: DatabasePool
  let app: Int64

  func installs() throws -> [String] {
    try names("SELECT slot, name, typeof(name) = 'blob' FROM install WHERE app = ?") { row in
      guard row.integer(2) != 0, row.bytes(1).count == 16 else { return row.text(1) }
      let bytes = row.bytes(1)
      return UniqueID(
        high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      ).description
    }
  }

  func users() throws -> [String] {
    try names("SELECT number, name FROM member WHERE app = ?") { $0.text(1) }
  }

  private func names(_ sql: String, _ name: (SQLStatement) -> String) throws -> [String] {
    try pool.read { database in
      let statement = try WarehouseFile.connection(database).prepare(sql)
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
