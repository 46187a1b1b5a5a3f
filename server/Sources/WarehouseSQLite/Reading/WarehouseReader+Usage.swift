import Columns
package import Warehouse

extension WarehouseReader: RowUsageSource {
  /// Counts the rows of an app; see ``RowUsageSource/rowUsage(of:before:)``. Reads the times of a chunk only if it
  /// has rows before and after one of them.
  package func rowUsage(of app: AppID, before times: [Int64]) async throws -> RowUsage {
    do {
      return try await onQuestionThread { [self] in
        try RetiredRowCache.$mayFetch.withValue(false) { try countRows(of: app, before: times) }
      }
    } catch let error as WarehouseError where error.code == .rowsAway {
      return try await onFetchingThread { [self] in try countRows(of: app, before: times) }
    }
  }

  private func countRows(of app: AppID, before times: [Int64]) throws -> RowUsage {
    try withChunks(of: app, QuestionLimits { false }) { chunks in
      var usage = RowUsage()
      usage.rowsBefore = [Int](repeating: 0, count: times.count)
      for chunk in chunks where chunk.rows > 0 {
        usage.rows += chunk.rows
        usage.columnBytes += chunk.bytes.count
        usage.earliest = min(usage.earliest ?? .max, chunk.header.earliest)
        for (index, time) in times.enumerated() { usage.rowsBefore[index] += chunk.rows(before: time) }
      }
      return usage
    }
  }
}
