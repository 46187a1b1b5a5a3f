import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// The ledgers of devices: the latest of each install counts.
@Suite struct LedgerTests {
  private func open() throws -> (TemporaryDirectory, SQLiteWarehouse, AppID, AppID) {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let (app, other) = (try catalog.createApp(name: "Player").id, try catalog.createApp(name: "Other").id)
    return (directory, try SQLiteWarehouse(directory: directory.path, catalog: catalog), app, other)
  }

  private func ledger(
    _ tracked: SaturatingInt64, delivered: SaturatingInt64 = 0, dropped: SaturatingInt64 = 0
  ) -> DeviceLedger {
    DeviceLedger(
      tracked: tracked, delivered: delivered, waiting: tracked - delivered - dropped - 1, inFlight: 1, dropped: dropped)
  }

  private func report(
    _ ledger: DeviceLedger, install: String = "a", at time: String = "2026-05-04T10:00:00Z",
    _ warehouse: SQLiteWarehouse,
    _ app: AppID
  ) async throws {
    var batch = batch(["e"], at: time, install: install, firstKey: 1)
    batch.ledger = ledger
    _ = try await warehouse.commit(batch, app: app)
  }

  private func sums(_ source: some MetricsStore, _ app: AppID, since: String = "2026-04-10T00:00:00Z") async throws
    -> LedgerTotals
  {
    try await source.ledger(app: app, since: timestamp(since))
  }

  @Test func `each install counts once, with its latest ledger, in its own app`() async throws {
    let (directory, warehouse, app, other) = try open()
    #expect(try await sums(warehouse.reader, app) == LedgerTotals())
    try await report(ledger(10), warehouse, app)
    // The same event again is a duplicate, but the ledger is new.
    try await report(ledger(20, delivered: 10), at: "2026-05-04T10:00:01Z", warehouse, app)
    try await report(ledger(5, dropped: 1), install: "b", at: "2026-05-03T10:00:00Z", warehouse, app)
    try await report(ledger(100), warehouse, other)
    let expected = LedgerTotals(
      installs: 2, tracked: 25, delivered: 10, waiting: 12, inFlight: 2, dropped: 1,
      updated: timestamp("2026-05-04T10:01:01Z"))
    #expect(try await sums(warehouse.reader, app) == expected)
    #expect(try await sums(warehouse.reader, other).tracked == 100)
    #expect(try await sums(warehouse.reader, app, since: "2026-05-04T00:00:00Z").installs == 1)
    #expect(try await sums(warehouse.reader, app, since: "2026-05-05T00:00:00Z") == LedgerTotals())
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
    let catalog = try Catalog(directory: directory.path)
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: catalog)
    let reader = try SQLiteWarehouse.openForReading(directory: directory.path, catalog: catalog)
    #expect(try await sums(reader, app) == expected, "neither closing nor rebuilding changes the sums")
    try reader.close()
  }

  @Test func `a ledger overtaken by a later one changes nothing`() async throws {
    let (directory, warehouse, app, _) = try open()
    try await report(ledger(20, delivered: 10), warehouse, app)
    try await report(ledger(10), at: "2026-05-04T10:00:05Z", warehouse, app)
    #expect(try await sums(warehouse.reader, app).tracked == 20)
    // Events moved from waiting to in flight: the total is equal, so the later ledger counts.
    var moved = ledger(20, delivered: 10)
    (moved.waiting, moved.inFlight) = (moved.waiting - 3, 4)
    try await report(moved, at: "2026-05-04T10:00:06Z", warehouse, app)
    #expect(try await sums(warehouse.reader, app).inFlight == 4)
    try await report(ledger(20, delivered: 10), at: "2026-05-04T10:00:02Z", warehouse, app)
    #expect(try await sums(warehouse.reader, app).inFlight == 4)
    // A ledger that restarts from zero counts once the old one has expired.
    try await report(ledger(3), at: "2026-05-29T09:00:00Z", warehouse, app)
    #expect(try await sums(warehouse.reader, app).tracked == 20)
    try await report(ledger(3), at: "2026-05-29T10:00:07Z", warehouse, app)
    #expect(try await sums(warehouse.reader, app).tracked == 3)
    try await warehouse.close()
    _ = directory
  }

  @Test func `an attachment refused by the warehouse doesn't count as delivered`() async throws {
    let (directory, warehouse, app, _) = try open()
    func send(_ bytes: [UInt8], key: Int64, _ ledger: DeviceLedger) async throws {
      var batch = batch(["e", "attachment"], firstKey: key)
      batch.events[1].kind = .attachment
      batch.attachments = [
        IncomingAttachment(event: 1, eventID: "e", error: "error", id: "file", data: bytes)
      ]
      batch.ledger = ledger
      _ = try await warehouse.commit(batch, app: app)
    }
    let before = DeviceLedger(tracked: 10, delivered: 2, waiting: 8, inFlight: 0, dropped: 0)
    try await send([1], key: 1, before)
    #expect(try await sums(warehouse.reader, app).delivered == 2)
    #expect(try await sums(warehouse.reader, app).dropped == 0)
    try await send([2], key: 3, DeviceLedger(tracked: 10, delivered: 4, waiting: 6, inFlight: 0, dropped: 0))
    #expect(try await sums(warehouse.reader, app).delivered == 3)
    #expect(try await sums(warehouse.reader, app).dropped == 1)
    #expect(try await sums(warehouse.reader, app).tracked == 10)
    try await warehouse.close()
    _ = directory
  }

  @Test func `sums saturate, and a ledger without an event is ignored`() async throws {
    let (directory, warehouse, app, _) = try open()
    let maximum = SaturatingInt64(DeviceLedger.maximum)
    let most = DeviceLedger(tracked: maximum, delivered: maximum, waiting: 1, inFlight: 0, dropped: maximum)
    var empty = batch([])
    empty.ledger = most
    empty.rejections = [Rejection(index: 0, reason: "name_missing", message: "no")]
    _ = try await warehouse.commit(empty, app: app)
    #expect(try await sums(warehouse.reader, app) == LedgerTotals())
    try await warehouse.perform { writer in
      try writer.transact {
        for slot in 0..<1_030 as Range<UInt32> {
          try writer.ledgers.add(most, app: app.rawValue, slot: slot, received: milliseconds("2026-05-04T10:00:00Z"))
        }
      }
    }
    let metrics = try await sums(warehouse.reader, app)
    #expect(metrics.installs == 1_030 && metrics.waiting == 1_030 && metrics.inFlight == 0)
    #expect(metrics.tracked == .max && metrics.delivered == .max && metrics.dropped == .max)
    try await warehouse.close()
    _ = directory
  }
}
