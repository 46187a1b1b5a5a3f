import Alerts
import TernBase
import Warehouse

/// What the server itself has to complain about, for alerts to the operator.
struct ServerProblems: Sendable {
  /// The free bytes above the reserve below which someone should act.
  private static let margin: Int64 = 1 << 30

  let problems: @Sendable () -> [WarehouseProblem]
  let storage: @Sendable () -> StorageStatus
  /// The state of the copy on a cluster; `nil` if there is none.
  let cluster: (@Sendable () -> ClusterStatus?)?
  /// The reason why the last backup failed; `nil` if it did not.
  let backupFailure: Locked<String?>

  /// Everything that is wrong at the moment.
  func current() -> [ProblemNotice] {
    var notices = problems().map { ProblemNotice(summary: $0.summary, detail: $0.detail) }
    let storage = storage()
    if let free = storage.freeDiskBytes, free - Self.margin < storage.reservedDiskBytes {
      notices.append(
        ProblemNotice(
          summary: "The disk is nearly full.",
          detail: "\(free >> 20) MiB are free. Below \(storage.reservedDiskBytes >> 20) MiB, nothing is collected."))
    }
    if let problems = cluster?()?.problems, !problems.isEmpty {
      notices.append(
        ProblemNotice(
          summary: "The copy on the ClickHouse cluster is behind.",
          detail: problems.prefix(3).joined(separator: " ")))
    }
    if let reason = backupFailure.withLock({ $0 }) {
      notices.append(ProblemNotice(summary: "The last backup failed.", detail: reason))
    }
    return notices
  }
}
