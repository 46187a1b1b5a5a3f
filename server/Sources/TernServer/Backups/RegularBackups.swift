import Answering
import TernBase
import Warehouse
import WarehouseSQLite

/// The regular backups as the HTTP API shows them, and the pending request for another one.
struct RegularBackups: BackupControl {
  private struct State {
    var isRequested = false
    /// True while the requested one is being made.
    var isRunning = false
  }

  let series: BackupSeries
  /// The reason of the last failure, until a backup succeeds.
  let failure: Locked<String?>
  private let state = Locked(State())

  init(series: BackupSeries, failure: Locked<String?>) {
    (self.series, self.failure) = (series, failure)
  }

  func status() throws -> BackupStatus {
    BackupStatus(
      interval: series.interval, kept: series.kept, backups: try series.list(),
      isRequested: state.withLock { $0.isRequested || $0.isRunning }, failure: failure.withLock { $0 })
  }

  func request() {
    // A backup being made for an earlier request is recent enough; a regular one may have begun long ago.
    state.withLock { $0.isRequested = !$0.isRunning }
  }

  /// True if a backup should begin although none is due.
  var isWanted: Bool { state.withLock { $0.isRequested } }

  func begin() { state.withLock { $0 = State(isRequested: false, isRunning: $0.isRequested) } }

  func end() { state.withLock { $0.isRunning = false } }
}
