import Ingest
import TernEvents
import Testing

@testable import AppCatalog
@testable import RowFiles
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Devices whose clocks are off by years: each of their events is still counted exactly once.
@Suite struct OutOfWindowKeyTests {
  private static let start = milliseconds("2026-05-04T10:00:00Z")
  private static let day: Int64 = 86_400_000

  private func setUp() throws -> (TemporaryDirectory, Catalog, AppID) {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    return (directory, catalog, try catalog.createApp(name: "Player").id)
  }

  /// Times of the device's clock, for events that happened a second apart.
  private static let clocks: [Int64] = [
    0, 5_000, milliseconds("2001-01-01T00:00:00Z"), milliseconds("2024-02-29T12:00:00Z"),
    milliseconds("2025-09-01T00:00:00Z"),
    milliseconds("2026-04-20T00:00:00Z"), milliseconds("2031-07-01T00:00:00Z"), milliseconds("9999-12-31T00:00:00Z"),
    -1_000, .min, .max - 100_000,
  ]

  /// All events in one request, as the collector submits them `days` after they happened. The corrected times of a
  /// retry differ slightly from those of the first attempt.
  private func request(after days: Int64 = 0) -> IncomingBatch {
    let received = Timestamp(millisecondsSince1970: Self.start + days * Self.day)
    let events = Self.clocks.enumerated().flatMap { clock, shown in
      (0..<3).map { number in
        let index = clock * 3 + number
        return IncomingEvent(
          index: index,
          duplicateKey: key(Int64(index), at: Timestamp(millisecondsSince1970: shown + Int64(number) * 1_000)),
          time: Timestamp(millisecondsSince1970: Self.start + Int64(number) * 1_000 + days * 17), name: "e")
      }
    }
    return IncomingBatch(
      source: .native, received: received, installs: ["install"], devices: [phone], events: events)
  }

  private var all: [Int] { Array(0..<Self.clocks.count * 3) }

  private func expectKnown(_ warehouse: SQLiteWarehouse, _ app: AppID, after days: Int64, _ comment: Comment)
    async throws
  {
    let receipt = try await warehouse.commit(request(after: days), app: app)
    #expect(receipt == CommitReceipt(accepted: 0, duplicates: all), comment)
  }

  @Test(arguments: [1, 7, 1 << 19])
  func `an install with a clock years off is counted once, across retries, restarts, crashes and key expiry`(
    pendingKeys: Int
  ) async throws {
    let (directory, catalog, app) = try setUp()
    let configuration = WarehouseConfiguration(flushInterval: .seconds(3_600), pendingKeys: pendingKeys)
    func open(_ directory: TemporaryDirectory) throws -> SQLiteWarehouse {
      try SQLiteWarehouse(
        directory: directory.path, catalog: try Catalog(directory: directory.path), configuration: configuration)
    }
    var warehouse = try open(directory)
    #expect(try await warehouse.commit(request(), app: app).accepted == all.count)
    try await expectKnown(warehouse, app, after: 1, "a retry")
    for round in 0..<3 {
      let copy = try directory.copy()
      let revived = try open(copy)
      try await expectKnown(revived, app, after: 2, "after crash \(round)")
      #expect(try await revived.reader.verify().isClean)
      try await revived.close()
      try await warehouse.close()
      warehouse = try open(directory)
      try await expectKnown(warehouse, app, after: 3, "after restart \(round)")
    }
    for days in [1, 30, 200, 399] as [Int64] {
      let bound = Self.start + (days - 400) * Self.day - DuplicateIndex.margin
      try await warehouse.perform { $0.duplicates.expire(before: bound) }
      try await expectKnown(warehouse, app, after: days, "after \(days) days of expiry")
    }
    try await warehouse.close()
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: catalog)
    warehouse = try open(directory)
    try await expectKnown(warehouse, app, after: 400, "after a rebuild")
    let day = Day(number: Int(Self.start / Self.day))
    #expect(try await warehouse.reader.total(app: app, dimension: .event, key: "e", days: day...day).count == all.count)
    try await warehouse.close()
  }

  @Test func `keys expire by their arrival, whatever their clocks`() async throws {
    let (directory, catalog, app) = try setUp()
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    #expect(try await warehouse.commit(request(), app: app).accepted == all.count)
    let bound = Self.start + Self.day
    try await warehouse.perform { writer in
      writer.duplicates.drain(throughRow: writer.lastID)
      writer.duplicates.expire(before: Self.start)
    }
    try await expectKnown(warehouse, app, after: 1, "not yet expired")
    try await warehouse.perform { $0.duplicates.expire(before: bound) }
    #expect(try await warehouse.commit(request(after: 1), app: app).accepted == all.count)
    try await warehouse.close()
  }

  @Test func `an event that may have been forgotten is refused, also after the age that is accepted grew`() async throws
  {
    let (directory, catalog, app) = try setUp()
    var configuration = WarehouseConfiguration(pendingKeys: 1, recognizedAge: .seconds(7 * 86_400))
    func at(_ day: Int64, number: Int64, sent: Int64) -> IncomingBatch {
      let time = Timestamp(millisecondsSince1970: Self.start + day * Self.day)
      return IncomingBatch(
        source: .native, received: Timestamp(millisecondsSince1970: Self.start + sent * Self.day),
        installs: ["install"], devices: [phone],
        events: [IncomingEvent(index: 0, duplicateKey: key(number, at: time), time: time, name: "e")])
    }
    var warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    #expect(try await warehouse.commit(at(0, number: 1, sent: 0), app: app).accepted == 1)
    #expect(try await warehouse.commit(at(36, number: 2, sent: 36), app: app).accepted == 1)
    #expect(try await warehouse.commit(at(0, number: 1, sent: 36), app: app).duplicates == [0], "not forgotten yet")
    #expect(try await warehouse.commit(at(38, number: 3, sent: 38), app: app).accepted == 1)
    try await warehouse.perform { #expect($0.duplicates.coveredRow >= 1) }
    try await warehouse.close()

    configuration.recognizedAge = .seconds(400 * 86_400)
    warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    let refused = try await warehouse.commit(at(0, number: 1, sent: 39), app: app)
    #expect(refused.rejections.map(\.reason) == [RejectionReason.timeTooOld.rawValue] && refused.accepted == 0)
    #expect(try await warehouse.commit(at(29, number: 4, sent: 39), app: app).accepted == 0)
    #expect(try await warehouse.commit(at(31, number: 5, sent: 39), app: app).accepted == 1)
    #expect(try await warehouse.commit(at(36, number: 2, sent: 39), app: app).duplicates == [0])
    try await warehouse.close()
  }

  @Test func `a clock that was a year ahead once doesn't have new events refused`() async throws {
    let (directory, catalog, app) = try setUp()
    let warehouse = try SQLiteWarehouse(
      directory: directory.path, catalog: catalog, configuration: WarehouseConfiguration(pendingKeys: 1))
    func batch(_ day: Int64, number: Int64) -> IncomingBatch {
      let time = Timestamp(millisecondsSince1970: Self.start + day * Self.day)
      return IncomingBatch(
        source: .native, received: time, installs: ["install"], devices: [phone],
        events: [IncomingEvent(index: 0, duplicateKey: key(number, at: time), time: time, name: "e")])
    }
    #expect(try await warehouse.commit(batch(0, number: 1), app: app).accepted == 1)
    #expect(try await warehouse.commit(batch(500, number: 2), app: app).accepted == 1)
    #expect(try await warehouse.commit(batch(501, number: 3), app: app).accepted == 1)
    #expect(try await warehouse.perform { try $0.keysSince() } != nil)
    #expect(try await warehouse.commit(batch(1, number: 4), app: app).accepted == 1)
    try await warehouse.close()
  }

  @Test func `keys of a clock that is off are found after restarts`() async throws {
    let (directory, catalog, app) = try setUp()
    var batch = request()
    batch.events = (0..<2_500).map { index in
      let shown = timestamp("2025-09-01T00:00:00Z") + .seconds(index)
      return IncomingEvent(
        index: index, duplicateKey: key(Int64(index), at: shown), time: batch.received, name: "e")
    }
    let sent = batch
    for round in 0..<3 {
      let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
      #expect(try await warehouse.commit(sent, app: app).accepted == (round == 0 ? 2_500 : 0))
      #expect(try await warehouse.commit(sent, app: app).accepted == 0)
      try await warehouse.close()
    }
  }

  @Test func `times spread over centuries are found like others`() async throws {
    let (directory, catalog, app) = try setUp()
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    var batch = request()
    batch.events = (0..<20_000).map { index in
      let shown = Timestamp(millisecondsSince1970: Int64(index) * 7 * Self.day)
      return IncomingEvent(
        index: index, duplicateKey: key(Int64(index), at: shown), time: batch.received, name: "e")
    }
    let sent = batch
    #expect(try await warehouse.commit(sent, app: app).accepted == 20_000)
    #expect(try await warehouse.commit(sent, app: app).duplicates.count == 20_000)
    try await warehouse.perform { $0.duplicates.drain(throughRow: $0.lastID) }
    #expect(try await warehouse.commit(sent, app: app).duplicates.count == 20_000)
    try await warehouse.close()
  }
}
