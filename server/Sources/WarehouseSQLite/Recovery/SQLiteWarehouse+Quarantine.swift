import TernBase
import TernEvents
import Warehouse

extension SQLiteWarehouse {
  /// The number of rows that one process sets aside. If there are more, the rows are not the problem.
  static let maximumQuarantined = 100

  /// Sets a row aside. Then its day must be counted again: ``finishQuarantine()``.
  ///
  /// - Parameters:
  ///   - work: What the row made fail.
  ///   - duringDeletion: True to do so although a deletion of a person has begun and not ended.
  /// - Returns: False if there is no such row, if it can't be set aside now, or if there have been too many.
  @discardableResult
  package func quarantine(_ row: Int64, work: String, duringDeletion: Bool = false) async throws -> Bool {
    let now = now().millisecondsSince1970
    guard quarantined.withLock({ $0 < Self.maximumQuarantined }) else { return false }
    let segment = try await reader.reading { connection in
      try StoredSpan.all(connection, after: row - 1, through: row).first?.segment
    }
    guard let segment else { return false }
    let removed = try await rewriting(segment) { writer in
      try writer.quarantine(row, work: work, duringDeletion: duringDeletion, now: now)
    }
    guard let removed else { return false }
    quarantined.withLock { $0 += 1 }
    report("Event \(row) of app \(removed.app) was set aside, because the server failed while \(work).")
    try await forgetLostRows()
    reader.updateColumns()
    return true
  }

  /// Counts days again that rows were counted on which are set aside now. What fails, or is left undone when the process
  /// ends, the next call does.
  package func finishQuarantine() async {
    do {
      try await forgetLostRows()
      for row in try await reader.reading({ try QuarantinedRow.uncounted($0) }) {
        try await counting.perform { counter in
          guard counter.countedRow >= row.id else { return }
          for day in row.days { _ = try counter.recount([day], app: row.app) }
        }
        try await perform { try $0.didCount(without: row) }
        reader.updateColumns()
      }
      failures.record(Self.recounting, nil)
    } catch is CancellationError {
    } catch {
      failures.record(Self.recounting, error, effect: "Reports may include events that were set aside.")
    }
  }

  private static let recounting = "Counting without events that were set aside"

  /// Sets rows aside at which work fails with an error, until the task is cancelled.
  package func quarantineFailedRows() async {
    for await failure in rowFailures.stream {
      do {
        if try await quarantine(failure.row, work: failure.work) { await finishQuarantine() }
      } catch {
        report("Event \(failure.row) could not be set aside: \(error)")
      }
    }
  }
}
