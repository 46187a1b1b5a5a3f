import TernBase
import TernEvents
import Warehouse

extension SQLiteWarehouse {
  /// The number of rows that one process sets aside. If there are more, the rows are not the problem.
  static let maximumQuarantined = 100

  /// Sets a row aside, and makes everything again that may include it. From then on, it is as if it had never arrived.
  ///
  /// - Parameter work: What the row made fail.
  /// - Returns: False if the row can't be set aside now.
  @discardableResult
  func quarantine(_ row: Int64, work: String) async throws -> Bool {
    let now = now().millisecondsSince1970
    guard quarantinedNow.withLock({ $0 < Self.maximumQuarantined }) else { return false }
    guard let removed = try await perform({ try $0.quarantine(row, work: work, now: now) }) else { return false }
    quarantinedNow.withLock { $0 += 1 }
    report("Event \(row) of app \(removed.app) was set aside, because the server failed while \(work).")
    try await makeAgain(without: removed)
    return true
  }

  /// Makes everything again that may include a row that was set aside. If the process ends before, the next one does it.
  private func makeAgain(without row: QuarantinedRow) async throws {
    reader.viewDays.forget(app: AppID(row.app))
    try reader.columns.forget(app: row.app)
    try await counting.perform { counter in
      guard counter.countedRow >= row.id else { return }
      _ = try counter.recount([row.day], app: row.app)
    }
    try await perform { try $0.didCount(without: row) }
    reader.updateColumns()
  }

  /// Does what a process left undone that ended while it set a row aside.
  func finishQuarantine() async throws {
    for row in try await reader.reading({ try QuarantinedRow.uncounted($0) }) { try await makeAgain(without: row) }
  }

  /// Sets rows aside at which work fails with an error, until the task is cancelled.
  package func quarantineFailedRows() async {
    for await failure in rowFailures.stream {
      do {
        try await quarantine(failure.row, work: failure.work)
      } catch {
        report("Event \(failure.row) could not be set aside: \(error)")
      }
    }
  }
}
