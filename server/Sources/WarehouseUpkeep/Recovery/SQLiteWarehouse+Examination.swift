import Warehouse
import WarehouseSQLite

extension SQLiteWarehouse {
  /// Examines what the previous process was doing when it ended: finds the rows that make it fail, and sets them aside.
  /// Until then, that work is held. Does nothing after a clean end. No job may change rows meanwhile.
  package func examineInterruptedWork(with trials: any WorkTrials) async {
    for work in journal.unexamined {
      do {
        try await examine(work, with: trials)
      } catch is CancellationError {
        return
      } catch {
        // It is tried as usual. If it ends the server again and again, it is held.
        journal.markExamined(work)
        report("It could not be examined why the server ended while \(work): \(error)")
      }
      reader.updateColumns()
    }
    await finishQuarantine()
  }

  private func examine(_ work: DerivedWork, with trials: any WorkTrials) async throws {
    guard let rows = work.rows else { return journal.markExamined(work) }
    for found in 0...Self.maximumQuarantined {
      var search = FaultSearch(rows)
      while search.finding == nil {
        search.handle(failed: try await trials.endsProcess(work, rows: search.trial))
      }
      switch search.finding {
      case .row(let row)?:
        try await quarantine(row, work: "\(work)", duringDeletion: true)
      case .work?:
        report("The server ended while \(work), and does so without any event. It is held.")
        return journal.hold(work)
      case .notReproduced?, nil:
        return found == 0 ? journal.markExamined(work) : journal.release(work)
      }
    }
    journal.hold(work)
  }
}
