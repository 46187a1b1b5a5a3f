import Answering
import TernBase
import TernEvents
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

/// The regular backups as the HTTP API shows them, and the pending request for another one.
struct RegularBackups: BackupControl {
  private struct State {
    var isRequested = false
    /// True while the requested one is being made.
    var isRunning = false
    /// The time of the state in the last complete backup.
    var latest: Timestamp?
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

  var health: BackupHealth {
    BackupHealth(
      interval: series.interval, latest: state.withLock { $0.latest }, isFailing: failure.withLock { $0 != nil })
  }

  /// Stores the time of the last complete backup, as it is on the disk.
  func found(_ latest: Timestamp?) { state.withLock { $0.latest = latest } }

  func request() {
    // A backup being made for an earlier request is recent enough; a regular one may have begun long ago.
    state.withLock { $0.isRequested = !$0.isRunning }
  }

  /// True if a backup should begin although none is due.
  var isWanted: Bool { state.withLock { $0.isRequested } }

  func begin() { state.withLock { ($0.isRequested, $0.isRunning) = (false, $0.isRequested) } }

  func end() { state.withLock { $0.isRunning = false } }
}
