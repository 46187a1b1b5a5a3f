import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// Rows that are set aside because they can't be used.
@Suite struct QuarantineTests {
  private static let days = day("2026-05-01")...day("2026-05-30")

  private let directory: TemporaryDirectory
  private let app: AppID

  init() throws {
    directory = try TemporaryDirectory()
    app = try Catalog(directory: directory.path).createApp(name: "Player").id
  }

  private func open() throws -> SQLiteWarehouse {
    var configuration = WarehouseConfiguration(flushInterval: .seconds(3_600), spanRows: 5, segmentBytes: 600)
    configuration.now = { timestamp("2026-05-04T12:00:00Z") }
    return try SQLiteWarehouse(
      directory: directory.path, catalog: Catalog(directory: directory.path), configuration: configuration)
  }

  private func names(_ warehouse: SQLiteWarehouse) async throws -> [String] {
    try await warehouse.reader.recent(app: app, limit: 1_000).reversed().map(\.name)
  }

  private func counts(_ warehouse: SQLiteWarehouse) async throws -> [String: Int] {
    let totals = try await warehouse.reader.totals(app: app, dimension: .event, days: Self.days, limit: nil)
    return Dictionary(uniqueKeysWithValues: totals.map { ($0.key, $0.count) })
  }

  @Test(arguments: [true, false])
  func `a row that is set aside is gone everywhere, named among the dropped events, and no other is`(
    isCounted: Bool
  ) async throws {
    var warehouse = try open()
    for number in 0..<4 {
      _ = try await warehouse.commit(
        batch((0..<7).map { "\(number).\($0)" }, firstKey: Int64(number) * 100), app: app)
    }
    if isCounted { try await warehouse.flush() }
    let all = (0..<4).flatMap { number in (0..<7).map { "\(number).\($0)" } }
    var left = all
    for row in [28, 1, 13, 14] {
      #expect(try await warehouse.quarantine(Int64(row), work: "counting it"))
      left.removeAll { $0 == all[row - 1] }
      try await warehouse.flush()
      #expect(try await names(warehouse) == left)
      #expect(try await counts(warehouse) == Dictionary(uniqueKeysWithValues: left.map { ($0, 1) }))
      #expect(try await warehouse.reader.verify().isClean)
    }
    #expect(try await !warehouse.quarantine(13, work: "counting it"), "it is gone")
    let dropped = try await warehouse.reader.totals(app: app, dimension: .dropped, days: Self.days, limit: nil)
    #expect(dropped.map(\.key) == ["rejected:quarantined"] && dropped.map(\.count) == [4])
    #expect(warehouse.storageStatus.quarantinedRows == 4)

    // The same events don't come back, and everything is as it was after a restart.
    #expect(try await warehouse.commit(batch((0..<7).map { "1.\($0)" }, firstKey: 100), app: app).accepted == 0)
    try await warehouse.close()
    warehouse = try open()
    #expect(try await names(warehouse) == left && warehouse.storageStatus.quarantinedRows == 4)
    try await warehouse.close()
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: Catalog(directory: directory.path))
    let reader = try SQLiteWarehouse.openForReading(
      directory: directory.path, catalog: Catalog(directory: directory.path))
    #expect(try await reader.verify().isClean)
    try reader.close()
  }

  @Test func `a row that can't be counted does not keep others from being counted`() async throws {
    let warehouse = try open()
    var broken = phone
    broken.model = "Broken"
    _ = try await warehouse.commit(batch(["a", "b"]), app: app)
    _ = try await warehouse.commit(batch(["c"], device: broken), app: app)
    _ = try await warehouse.commit(batch(["d"]), app: app)
    try await warehouse.perform { try $0.connection.execute("DELETE FROM device WHERE id = 2") }
    let setAside = Task { await warehouse.quarantineFailedRows() }
    // Counting runs when it is asked to, and fails once.
    while (try? await warehouse.flush()) == nil { await Task.yield() }
    setAside.cancel()
    #expect(try await counts(warehouse) == ["a": 1, "b": 1, "d": 1])
    #expect(warehouse.problems.isEmpty)
    try await warehouse.close()
  }
}
