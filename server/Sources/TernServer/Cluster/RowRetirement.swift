import Ingest
import Reports
package import Shipping
package import TernEvents
import Warehouse
package import WarehouseSQLite
import WarehouseUpkeep

/// Moves old rows to the cluster, segment by segment. The process must hold the warehouse's lock.
package struct RowRetirement {
  /// The rows that have left, and the reason why others stay.
  package struct Summary {
    package var rows = 0
    package var bytes = 0
    /// The old segments that stay.
    package var waiting = 0
    /// The reason why the first of them stays.
    package var reason: String?

    package var text: String {
      let left = rows == 0 ? "No rows have left." : "\(grouped(rows)) rows have left, \(grouped(bytes >> 20)) MiB."
      let files = waiting == 1 ? "A file of old rows stays" : "\(grouped(waiting)) files of old rows stay"
      return waiting == 0 ? left : "\(left) \(files). The first reason: \(reason ?? "its rows have changed meanwhile")."
    }
  }

  let warehouse: SQLiteWarehouse
  let shipping: ClusterShipping

  package init(warehouse: SQLiteWarehouse, shipping: ClusterShipping) {
    (self.warehouse, self.shipping) = (warehouse, shipping)
  }

  /// Returns the time before which rows may leave: their duplicates would not be recognized at home any more.
  package static func limit(before time: Timestamp, recognizedAge: Duration, now: Timestamp) -> Int64 {
    min(time, now - recognizedAge - SQLiteWarehouse.keyMargin).millisecondsSince1970
  }

  /// - Parameter progress: Receives the number of rows that have left.
  package func run(receivedBefore time: Int64, progress: (Int) -> Void = { _ in }) async throws -> Summary {
    try await renewNotes()
    var summary = Summary()
    let segments = try await warehouse.segments(receivedBefore: time)
    guard !segments.isEmpty else { return summary }
    let retirement = try await ClusterRetirement(shipping)
    for segment in segments {
      try Task.checkCancellation()
      switch try await retirement.check(segment) {
      case .blocked(let reason):
        summary.waiting += 1
        summary.reason = summary.reason ?? reason
      case .ready(let units):
        guard try await warehouse.retire(segment, units) else {
          summary.waiting += 1
          continue
        }
        summary.rows += units.reduce(0) { $0 + $1.rows }
        summary.bytes += segment.bytes
        progress(summary.rows)
      }
    }
    return summary
  }

  /// Updates the notes of units that were sent again after they had left: after a repair, a change of time zone, or the restore
  /// of an older backup. Backups then refer to the copy that exists.
  private func renewNotes() async throws {
    try await warehouse.renew(try shipping.manifest.renewed(warehouse.reader.retiredUnits()))
  }
}
