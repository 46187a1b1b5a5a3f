import TernBase
import Warehouse

/// The finding that rows can't be read back that this process has just written and synced: the disk doesn't keep what it confirms.
///
/// Counting reads rows within about a second, so such a disk is found out soon. From then on, nothing is confirmed until a restart.
/// Damage to older rows is no such finding: then new ones go to another file.
final class ReadBack: Sendable {
  private struct State {
    /// The last row that another process may have written; `nil` until the rows are known.
    var lastKnown: Int64?
    var failure: WarehouseError?
  }

  private let state = Locked(State())
  private let directory: String
  private let report: @Sendable (String) -> Void

  /// - Parameter report: Receives a message once, when rows are lost.
  init(_ directory: String, report: @escaping @Sendable (String) -> Void) {
    (self.directory, self.report) = (directory, report)
  }

  /// Begins, with the last row of those that were there before.
  func begin(after row: Int64) { state.withLock { $0.lastKnown = row } }

  /// Notes rows that were not counted before, and can't be read.
  func note(_ ids: [ClosedRange<Int64>]) {
    let failure = state.withLock { state -> WarehouseError? in
      guard state.failure == nil, let last = state.lastKnown, let lost = ids.first(where: { $0.upperBound > last })
      else { return nil }
      state.failure = self.failure(lost)
      return state.failure
    }
    if let failure { report(failure.message) }
  }

  /// Throws if rows are lost.
  func check() throws { if let failure = state.withLock({ $0.failure }) { throw failure } }

  /// The finding as a problem of the server; `nil` if there is none.
  var problem: WarehouseProblem? {
    state.withLock { $0.failure }.map {
      WarehouseProblem(summary: "The disk doesn't keep what it confirms. Nothing is collected.", detail: $0.message)
    }
  }

  private func failure(_ ids: ClosedRange<Int64>) -> WarehouseError {
    WarehouseError(
      .unavailable,
      """
      The disk of \(directory) doesn't keep what it confirms: events \(ids.lowerBound) to \(ids.upperBound) were just written and synced, \
      and can't be read back. This server confirms no more events until it is restarted; clients keep theirs. Move the directory to \
      another disk or file system ("File systems" in docs/operations.md).
      """)
  }
}
