import Ingest
import Reports
import ReportsTestSupport
import TernBase
import TernEvents
import Warehouse
import WarehouseContract
import WarehouseSQLite

/// An in-memory warehouse that can fail or wait on request.
final class FakeWarehouse: EventSink, ForwardingStore {
  private let naive = NaiveWarehouse()
  var base: any MetricsStore { naive }
  var pendingRequests: PendingRequests { naive.pendingRequests }
  private struct State {
    var batches: [(app: AppID, batch: IncomingBatch)] = []
    var failure: WarehouseError?
    var isHeld = false
    var isBehind = false
    var isFlooded = false
    var writeProbes = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
    var watchers: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())
  /// Blocks the threads of reports that request totals.
  let reports = Blockade()

  /// The committed batches, in order.
  var batches: [IncomingBatch] { state.withLock { $0.batches.map(\.batch) } }
  var apps: [AppID] { state.withLock { $0.batches.map(\.app) } }
  var names: [String] { batches.flatMap(\.events).map(\.name) }

  func fail(with error: WarehouseError?) { state.withLock { $0.failure = error } }
  /// Makes stored events lose their names from now on.
  func flood() { state.withLock { $0.isFlooded = true } }
  func fallBehind(_ isBehind: Bool) { state.withLock { $0.isBehind = isBehind } }
  /// The number of write probes.
  var writeProbes: Int { state.withLock { $0.writeProbes } }
  var isBehind: Bool { state.withLock { $0.isBehind } }

  func reject(_ count: Int, _ reason: RejectionReason, source: IngestProtocol, app: AppID, received: Timestamp)
    async throws
  {
    try await naive.reject(count, reason, source: source, app: app, received: received)
  }

  func probeWrite() async throws {
    try state.withLock { state in
      state.writeProbes += 1
      if let failure = state.failure { throw failure }
    }
  }

  func hold() { state.withLock { $0.isHeld = true } }

  /// Returns once a commit waits for its release.
  func commitWaits() async {
    await withCheckedContinuation { continuation in
      let isWaiting = state.withLock { state in
        if state.waiting.isEmpty { state.watchers.append(continuation) }
        return !state.waiting.isEmpty
      }
      if isWaiting { continuation.resume() }
    }
  }

  func release() {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      state.isHeld = false
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func commit(_ batch: IncomingBatch, app: AppID) async throws -> CommitReceipt {
    await withCheckedContinuation { continuation in
      let (isHeld, watchers) = state.withLock { state in
        guard state.isHeld else { return (false, [CheckedContinuation<Void, Never>]()) }
        state.waiting.append(continuation)
        defer { state.watchers = [] }
        return (true, state.watchers)
      }
      for watcher in watchers { watcher.resume() }
      if !isHeld { continuation.resume() }
    }
    return try state.withLock { state in
      if let failure = state.failure { throw failure }
      var receipt = try naive.store(batch, app: app)
      state.batches.append((app, batch))
      if state.isFlooded { receipt.unnamed = receipt.accepted }
      return receipt
    }
  }

  func errorVersions(app: AppID, since: [Int64: Timestamp]) async throws -> [Int64: Set<String>] { [:] }
  func errorSignature(app: AppID, error: Int64) async throws -> Int64? { nil }
  func errorGroupMembers(app: AppID, _ group: Int64) async throws -> [Int64] { [group] }
  func errorGroupNumbers(app: AppID, _ ids: Set<Int64>) async throws -> [Int64: Int64] {
    ids.contains(1) ? [1: 1] : [:]
  }
  func totals(
    app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int?
  ) async throws -> [KeyTotals] {
    reports.pass()
    return []
  }
}
