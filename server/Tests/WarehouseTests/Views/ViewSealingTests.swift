import Dispatch
import Foundation
import Ingest
import ServerBase
import TernBase
import TernEvents
import Testing
import WarehouseContract

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// A sealed day equals a recount, however slowly hits are stored.
@Suite struct ViewSealingTests {
  private static let lastMoment = "2024-05-15T03:59:59Z"
  private static let sealing = "2024-05-15T04:10:00Z"

  /// Holds the writer before a batch until it is released.
  private final class Gate: Sendable {
    let isHeld = DispatchSemaphore(value: 0)
    let go = DispatchSemaphore(value: 0)
    let isShut = Locked(false)

    func pass() {
      guard isShut.withLock({ $0 }) else { return }
      isHeld.signal()
      go.wait()
    }

    /// Waits for the writer without blocking threads that run tasks.
    func held() async {
      await withCheckedContinuation { waiter in
        Thread { [isHeld] in
          isHeld.wait()
          waiter.resume()
        }.start()
      }
    }
  }

  private func open(_ directory: TemporaryDirectory, _ gate: Gate = Gate()) throws -> (Catalog, SQLiteWarehouse) {
    let catalog = try Catalog(directory: directory.path)
    var configuration = WarehouseConfiguration()
    configuration.beforeBatch = { _ in gate.pass() }
    return (
      catalog, try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    )
  }

  private func send(
    _ warehouse: SQLiteWarehouse, _ app: AppID, _ screen: String, qt: Int64 = 0, received: String
  ) async throws {
    let hit = "v=1&tid=UA-1-1&cid=c1&t=screenview&cd=\(screen)&av=7&qt=\(qt)"
    for batch in MeasurementParser.collect(hit, received: timestamp(received), key: DuplicateHashKey(1, 2)) {
      _ = try await warehouse.commit(batch.batch, app: app)
    }
  }

  private func hits(_ warehouse: SQLiteWarehouse, _ view: View) async throws -> ViewMetrics.DayRow? {
    try await warehouse.reader.viewMetrics(
      view, days: day("2024-05-14")...day("2024-05-14"), tables: [], now: milliseconds("2024-06-01T00:00:00Z")
    ).days.first
  }

  @Test func `a hit held up in the writer is included in a day sealed in the meantime`() async throws {
    let (directory, gate) = (try TemporaryDirectory(), Gate())
    let (catalog, warehouse) = try open(directory, gate)
    let app = try catalog.createApp(name: "A", trackingID: "UA-1-1").id
    let view = try catalog.createView(app: app, name: "V", timeZone: "UTC")
    try await send(warehouse, app, "A", received: "2024-05-14T10:00:00Z")
    gate.isShut.withLock { $0 = true }
    async let stored: Void = send(warehouse, app, "B", qt: 4 * 3_600_000, received: Self.lastMoment)
    await gate.held()
    async let sealed = warehouse.sealDays(of: [view], now: timestamp(Self.sealing))
    for _ in 0..<1_000 { await Task.yield() }
    gate.isShut.withLock { $0 = false }
    gate.go.signal()
    try await stored
    #expect(try await sealed == 1)
    #expect(try await hits(warehouse, view)?.totals.hits == 2)
    try await warehouse.flush()
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `a day waits for requests received before its cutoff, and for no others`() async throws {
    let directory = try TemporaryDirectory()
    let (catalog, warehouse) = try open(directory)
    let app = try catalog.createApp(name: "A", trackingID: "UA-1-1").id
    let view = try catalog.createView(app: app, name: "V", timeZone: "UTC")
    try await send(warehouse, app, "A", received: "2024-05-14T10:00:00Z")
    let slow = warehouse.pendingRequests.begin { timestamp(Self.lastMoment) }
    let other = warehouse.pendingRequests.begin { timestamp("2024-05-15T04:00:00Z") }
    #expect(warehouse.pendingRequests.oldest == slow.time)
    #expect(try await warehouse.sealDays(of: [view], now: timestamp(Self.sealing)) == 0)
    #expect(try await hits(warehouse, view)?.state != .final)
    try await send(warehouse, app, "B", qt: 4 * 3_600_000, received: Self.lastMoment)
    slow.end()
    slow.end()
    #expect(try await warehouse.sealDays(of: [view], now: timestamp(Self.sealing)) == 1)
    #expect(try await hits(warehouse, view).map { $0.state == .final && $0.totals.hits == 2 } == true)
    other.end()
    #expect(warehouse.pendingRequests.oldest == nil)
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `days are counted for sealing on threads of their own, not on those of Swift's tasks`() async throws {
    let directory = try TemporaryDirectory()
    let isTask = Locked<[Bool]>([])
    let catalog = MemoryCatalog(zones: ["UTC"]) { isTask.withLock { $0.append(withUnsafeCurrentTask { $0 != nil }) } }
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    let view = View(
      id: ViewID(1), app: AppID(1), name: "V",
      zones: [View.Zone(.utc, start: Timestamp(millisecondsSince1970: 0))])
    try await send(warehouse, AppID(1), "A", received: "2024-05-14T10:00:00Z")
    isTask.withLock { $0 = [] }
    #expect(try await warehouse.sealDays(of: [view], now: timestamp(Self.sealing)) == 1)
    #expect(isTask.withLock { !$0.isEmpty && !$0.contains(true) })
    try await warehouse.close()
  }

  @Test func `a server that stops does not wait for a long history to be sealed`() async throws {
    let directory = try TemporaryDirectory()
    let (catalog, warehouse) = try open(directory)
    let app = try catalog.createApp(name: "A", trackingID: "UA-1-1").id
    let views = try ["V", "W"].map { try catalog.createView(app: app, name: $0, timeZone: "UTC") }
    try await send(warehouse, app, "A", received: "2024-03-01T10:00:00Z")
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await warehouse.sealDays(of: views, now: timestamp(Self.sealing))
    }
    #expect(try await cancelled.value == 0)
    #expect(try await warehouse.sealDays(of: views, now: timestamp(Self.sealing)) == 2 * 75)
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `a hit stored after its day was sealed is late regardless of its time of receipt, even after a restart`()
    async throws
  {
    let directory = try TemporaryDirectory()
    var (catalog, warehouse) = try open(directory)
    let app = try catalog.createApp(name: "A", trackingID: "UA-1-1").id
    let view = try catalog.createView(app: app, name: "V", timeZone: "UTC")
    try await send(warehouse, app, "A", received: "2024-05-14T10:00:00Z")
    #expect(try await warehouse.sealDays(of: [view], now: timestamp(Self.sealing)) == 1)
    for round in 1...2 {
      try await send(warehouse, app, "B\(round)", qt: 4 * 3_600_000, received: Self.lastMoment)
      try await warehouse.flush()
      #expect(try await warehouse.reader.verify().isClean)
      #expect(try await hits(warehouse, view)?.totals.hits == 1)
      let late = try await warehouse.reader.lateHits(view, days: day("2024-05-01")...day("2024-05-20"))
      #expect(late == [LateHits(day: day("2024-05-14"), version: "7", hours: 1, count: round)])
      #expect(
        try await warehouse.reader.inspectedHits(view, days: day("2024-05-01")...day("2024-05-20"), limit: 1).map(
          \.status) == [
            "late"
          ])
      try await warehouse.close()
      try catalog.close()
      (catalog, warehouse) = try open(directory)
    }
    await #expect(throws: (any Error).self) {
      try await warehouse.perform { try $0.connection.execute("UPDATE view_day SET row = 99") }
    }
    try await warehouse.close()
    try catalog.close()
  }
}
