import TernBase
import TernEvents
import Warehouse
import WarehouseSQLite

extension SQLiteWarehouse {
  /// The number of rows that one process sets aside. If there are more, the rows are not the problem.
  static let maximumQuarantined = 100

  /// Sets a row aside. Then its day must be counted again: ``finishQuarantine()``.
  ///
  /// - Parameters:
  ///   - work: The work that the row made fail.
  ///   - duringDeletion: True to do so although a deletion of a person has begun and not ended.
  /// - Returns: False if there is no such row, if it can't be set aside now, or if there have been too many.
  @discardableResult
  package func quarantine(_ row: Int64, work: String, duringDeletion: Bool = false) async throws -> Bool {
    let now = now().millisecondsSince1970
    guard quarantined.withLock({ $0 < Self.maximumQuarantined }) else { return false }
    let search = try await reader.reading { try NextHit(after: row, $0) }
    let removed: QuarantinedRow??
    do {
      removed = try await rewriting(rows: [row] + [search?.next].compactMap { $0 }) { writer, _ in
        try writer.quarantine(row, inherited: search, work: work, duringDeletion: duringDeletion, now: now)
      }
    } catch let error as DamagedSegments {
      throw error.error
    }
    guard let removed = removed ?? nil else { return false }
    quarantined.withLock { $0 += 1 }
    report("Event \(row) of app \(removed.app) was set aside, because the server failed while \(work).")
    try await forgetLostRows()
    reader.updateColumns()
    return true
  }

  /// Counts days again whose rows have been set aside or have come back. What fails, or is left undone when the process
  /// ends, the next call does.
  ///
  /// - Returns: False if something has failed. That keeps no other app waiting.
  @discardableResult
  package func finishQuarantine() async -> Bool {
    var failure: (any Error)?
    do {
      try await forgetLostRows()
      let apps = try await reader.reading { connection in
        try Set(QuarantinedRow.uncounted(connection).map(\.app)).union(UncountedDays(connection).days.keys)
      }
      for app in apps.sorted() where !recounting.withLock({ $0.contains(app) }) {
        do {
          try await recountChangedDays(of: app)
        } catch let error where !(error is CancellationError) {
          failure = failure ?? error
        }
      }
    } catch is CancellationError {
      return true
    } catch {
      failure = error
    }
    failures.record(Self.recountingWork, failure, effect: failure == nil ? "" : "Reports of some days may be wrong.")
    return failure == nil
  }

  private static let recountingWork = "Counting days again"

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
