import Dispatch
import Foundation
import Ingest
import TernBase
import TernEvents

@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// A cluster in memory.
final class MemoryRows: RetiredRowSource {
  private struct State {
    var units: [RetiredUnit: [StoredRow]] = [:]
    var isAway = false
    /// Changes what is sent.
    var change: (@Sendable ([StoredRow]) -> [StoredRow])?
    var fetches = 0
    /// Copies of rows at home, with the segments that had the rows when they were copied.
    var copies: [(segment: Int64, unit: RetiredUnit)] = []
    var hasOthers = false
  }

  private let state = Locked(State())
  private let answering = NSLock()
  private let asked = DispatchSemaphore(value: 0)

  /// Answers nothing until ``answer()``.
  func hold() { answering.lock() }
  func answer() { answering.unlock() }
  /// Waits until rows were asked for since the last call.
  func waitUntilAsked() async {
    await withCheckedContinuation { waiter in
      // A thread of its own: those of Swift and Dispatch may all be blocked.
      Thread.detachNewThread { [asked] in
        asked.wait()
        waiter.resume()
      }
    }
  }

  var fetches: Int { state.withLock { $0.fetches } }
  var isAway: Bool {
    get { state.withLock { $0.isAway } }
    set { state.withLock { $0.isAway = newValue } }
  }

  func change(_ change: (@Sendable ([StoredRow]) -> [StoredRow])?) { state.withLock { $0.change = change } }

  /// Adds a unit; returns its number.
  func add(_ ids: ClosedRange<Int64>, _ rows: [StoredRow]) -> RetiredUnit {
    state.withLock { state in
      let unit = RetiredUnit(
        home: 1, epoch: 2, shard: "s", number: Int64(state.units.count + 1), generation: 0, ids: ids, rows: rows.count,
        checksum: 3)
      state.units[unit] = rows
      return unit
    }
  }

  /// Adds a copy of rows that stay at home.
  func copy(_ ids: ClosedRange<Int64>, _ rows: [StoredRow], segment: Int64) {
    let unit = add(ids, rows)
    state.withLock { $0.copies.append((segment, unit)) }
  }

  /// Adds copies that aren't known to be those of home.
  func setOthers(_ hasOthers: Bool) { state.withLock { $0.hasOthers = hasOthers } }

  func copies(of ids: ClosedRange<Int64>, segment: Int64) throws -> RowCopies {
    state.withLock { state in
      let found = state.copies.filter { $0.unit.ids.overlaps(ids) }
      return RowCopies(
        units: found.filter { $0.segment == segment }.map(\.unit),
        hasOthers: state.hasOthers || found.contains { $0.segment != segment })
    }
  }

  func forEachRow(of unit: RetiredUnit, _ add: (StoredRow) throws -> Void) throws -> RetiredUnit {
    asked.signal()
    answering.lock()
    answering.unlock()
    let rows = try state.withLock { state in
      state.fetches += 1
      guard !state.isAway, let rows = state.units[unit] else { throw WarehouseError(.rowsAway, "The cluster is away.") }
      return state.change?(rows) ?? rows
    }
    for row in rows { try add(row) }
    return unit
  }
}

extension SQLiteWarehouse {
  /// Copies rows of a segment to a cluster, in units of some rows.
  func copy(_ segment: RetirementCandidate, to cluster: MemoryRows, unitRows: Int64 = 40) async throws {
    var first = segment.ids.lowerBound
    while first <= segment.ids.upperBound {
      let ids = first...min(first + unitRows - 1, segment.ids.upperBound)
      cluster.copy(ids, try await storedRows(ids), segment: segment.number)
      first = ids.upperBound + 1
    }
  }

  /// Retires all segments that may be.
  ///
  /// - Returns: The number of segments.
  @discardableResult
  func retireAll(to cluster: MemoryRows, unitRows: Int64 = 40) async throws -> Int {
    var retired = 0
    for segment in try await segments(receivedBefore: .max) {
      var units: [RetiredUnit] = []
      var first = segment.ids.lowerBound
      while first <= segment.ids.upperBound {
        let ids = first...min(first + unitRows - 1, segment.ids.upperBound)
        units.append(cluster.add(ids, try await storedRows(ids)))
        first = ids.upperBound + 1
      }
      if try await retire(segment, units) { retired += 1 }
    }
    return retired
  }

  /// Returns rows as a cluster gets them.
  func storedRows(_ ids: ClosedRange<Int64>) async throws -> [StoredRow] {
    try await reader.reading { [reader] connection in
      var reading = try StoredRowReading(connection, reader.dictionary, reader.catalog, hasAttachments: false)
      let scan = try EventScan(connection, ids: ids)
      var rows: [StoredRow] = []
      while let row = try scan.next() { rows.append(try reading.complete(row, scan)) }
      return rows
    }
  }

  /// All rows and counts, as texts. Values of properties and sessions of spans are left to the verification: how they are divided
  /// depends on when they were stored.
  func everything() async throws -> [String] {
    try await flush()
    return try await reader.reading { connection in
      var lines: [String] = []
      let scan = try EventScan(connection, after: 0)
      while let row = try scan.next() {
        lines.append("\(row) \(scan.user) \(Array(scan.properties)) \(scan.parameters.map { Array($0) } ?? [])")
      }
      for table in ["daily_count", "daily_users"] {
        let columns = try connection.texts("SELECT name FROM pragma_table_info('\(table)')")
          .map { "quote(\($0))" }.joined(separator: " || ' ' || ")
        lines += try connection.texts("SELECT \(columns) FROM \(table) ORDER BY 1").map { "\(table) \($0)" }
      }
      return lines
    }
  }
}

/// A sink that retires all rows that may be, before and after each batch.
struct RetiringSink: EventSink {
  let base: SQLiteWarehouse
  let cluster: MemoryRows

  var isBehind: Bool { base.isBehind }
  var pendingRequests: PendingRequests { base.pendingRequests }

  func commit(_ batch: IncomingBatch, app: AppID) async throws -> CommitReceipt {
    _ = try? await base.retireAll(to: cluster)
    let receipt = try await base.commit(batch, app: app)
    try await base.retireAll(to: cluster)
    return receipt
  }

  func reject(_ count: Int, _ reason: RejectionReason, source: IngestProtocol, app: AppID, received: Timestamp)
    async throws
  {
    try await base.reject(count, reason, source: source, app: app, received: received)
  }

  func probeWrite() async throws { try await base.probeWrite() }
}
