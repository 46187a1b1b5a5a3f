import TernBase
import TernEvents
import Testing
import Warehouse

@testable import Alerts
@testable import TernServer

/// Problems of the server itself.
@Suite struct ServerProblemsTests {
  private func summaries(
    _ problems: [WarehouseProblem] = [], free: Int64? = 1 << 40, reserve: Int64 = 1 << 28,
    cluster: ClusterStatus? = nil,
    backup: String? = nil, expiry: Timestamp?? = nil
  ) -> [String] {
    notices(problems, free: free, reserve: reserve, cluster: cluster, backup: backup, expiry: expiry).map(\.summary)
  }

  private func notices(
    _ problems: [WarehouseProblem] = [], free: Int64? = 1 << 40, reserve: Int64 = 1 << 28,
    cluster: ClusterStatus? = nil,
    backup: String? = nil, expiry: Timestamp?? = nil
  ) -> [ProblemNotice] {
    var storage = StorageStatus()
    (storage.freeDiskBytes, storage.reservedDiskBytes) = (free, reserve)
    let shown = storage
    let copy: (@Sendable () -> ClusterStatus?)? = if let cluster { { cluster } } else { nil }
    let certificate: (@Sendable () -> Timestamp?)? = if let expiry { { expiry } } else { nil }
    let problems = ServerProblems(
      problems: { problems }, storage: { shown }, cluster: copy, backupFailure: Locked<String?>(backup),
      certificateExpiry: certificate)
    return problems.current(now: time(0))
  }

  @Test func `a healthy server has nothing to say`() {
    #expect(summaries(cluster: ClusterStatus(), expiry: .some(time(14 * 86_400))) == [])
    #expect(summaries(free: nil) == [], "some file systems don't tell")
  }

  @Test func `each part of the server can have a problem`() {
    #expect(summaries([WarehouseProblem(summary: "Counting fails.", detail: "x")]) == ["Counting fails."])
    let gib: Int64 = 1 << 30
    #expect(summaries(free: gib + (1 << 28)) == [])
    #expect(summaries(free: gib + (1 << 28) - 1) == ["The disk is nearly full."])
    #expect(summaries(free: 0, reserve: .max) == ["The disk is nearly full."])
    var cluster = ClusterStatus()
    cluster.problem = "away"
    #expect(summaries(cluster: cluster) == ["The copy on the ClickHouse cluster is behind."])
    #expect(summaries(backup: "full") == ["The last backup failed."])
    let reason = "/backups can't be written: No space left on device."
    #expect(notices(backup: reason).map(\.detail) == [reason])
    for expiry in [time(14 * 86_400 - 1), time(-1), nil] {
      #expect(summaries(expiry: .some(expiry)) == ["The certificate for https must be renewed."])
    }
  }
}
