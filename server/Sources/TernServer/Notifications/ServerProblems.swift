import Alerts
import TernBase
import TernEvents
import Warehouse

/// The problems of the server itself, for alerts to the operator.
struct ServerProblems: Sendable {
  /// The free space above the reserve, in bytes, below which the disk counts as nearly full.
  private static let margin: Int64 = 1 << 30
  /// The remaining validity below which a certificate should have been renewed. Programs that renew certificates do so
  /// a month before they expire.
  private static let certificateMargin: Duration = .seconds(14 * 86_400)

  let problems: @Sendable () -> [WarehouseProblem]
  let storage: @Sendable () -> StorageStatus
  /// The state of the copy on a cluster; `nil` if there is none.
  let cluster: (@Sendable () -> ClusterStatus?)?
  /// The reason why the last backup failed; `nil` if it succeeded.
  let backupFailure: Locked<String?>
  /// Returns the end of the certificate's validity, or `nil` if it can't be read; `nil` without TLS.
  let certificateExpiry: (@Sendable () -> Timestamp?)?

  /// Returns all current problems.
  func current(now: Timestamp) -> [ProblemNotice] {
    var notices = problems().map { ProblemNotice(summary: $0.summary, detail: $0.detail) }
    let storage = storage()
    if let free = storage.freeDiskBytes, free - Self.margin < storage.reservedDiskBytes {
      notices.append(
        ProblemNotice(
          summary: "The disk is nearly full.",
          detail: "\(free >> 20) MiB are free. Below \(storage.reservedDiskBytes >> 20) MiB, no events are collected."))
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
    if let certificateExpiry {
      let expiry = certificateExpiry()
      if expiry.map({ $0.since(now) < Self.certificateMargin }) ?? true {
        notices.append(
          ProblemNotice(
            summary: "The certificate for https must be renewed.",
            detail: expiry.map { "It is valid until \($0.utcText(withMilliseconds: false))." } ?? "It can't be read."))
      }
    }
    return notices
  }
}
