import Foundation
import GRDB
import GRDBSQLite
import Ingest
import TernEvents
import Testing

@testable import AppCatalog
@testable import RowFiles
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Rows after commits that fail, and without their database.
@Suite struct RowFailureTests {
  private func setUp() throws -> (TemporaryDirectory, AppID) {
    let directory = try TemporaryDirectory()
    return (directory, try Catalog(directory: directory.path).createApp(name: "Player").id)
  }

  private func open(_ directory: TemporaryDirectory) throws -> SQLiteWarehouse {
    try SQLiteWarehouse(
      directory: directory.path, catalog: Catalog(directory: directory.path),
      configuration: WarehouseConfiguration(flushInterval: .seconds(3_600)))
  }

  private func batch(_ number: Int) -> IncomingBatch {
    WarehouseTests.batch((0..<7).map { "\(number).\($0)" }, firstKey: Int64(number) * 100)
  }

  private func segments(_ directory: TemporaryDirectory) throws -> [Int64: Data] {
    let rows = directory.path + "/rows"
    return try Dictionary(
      uniqueKeysWithValues: RowSegment.numbers(in: rows).map {
        ($0, try Data(contentsOf: URL(filePath: RowSegment.path($0, in: rows))))
      })
  }

  @Test func `rows of a failed commit are not overwritten, because a crash may bring the commit back`() async throws {
    let (directory, app) = try setUp()
    let warehouse = try open(directory)
    for number in 0..<3 {
      _ = try await warehouse.commit(batch(number), app: app)
      let before = try segments(directory)
      try await warehouse.perform { _ = sqlite3_commit_hook($0.connection.handle, { _ in 1 }, nil) }
      await #expect(throws: WarehouseError.self) { try await warehouse.commit(batch(100 + number), app: app) }
      try await warehouse.perform { _ = sqlite3_commit_hook($0.connection.handle, nil, nil) }
      // One without new rows in between.
      #expect(try await warehouse.commit(batch(number), app: app).accepted == 0)
      let failed = try segments(directory)
      #expect(failed != before, "the rows are in a file")
      _ = try await warehouse.commit(batch(200 + number), app: app)
      for (segment, bytes) in failed { #expect(try segments(directory)[segment]?.starts(with: bytes) == true) }
    }
    let recent = try await warehouse.reader.recent(app: app, limit: 100)
    let numbers = [0, 200, 1, 201, 2, 202]
    let expected: [String] = numbers.flatMap { number in (0..<7).map { "\(number).\($0)" } }
    #expect(recent.reversed().map(\.name) == expected)
    try await warehouse.close()
    let reader = try SQLiteWarehouse.openForReading(
      directory: directory.path, catalog: Catalog(directory: directory.path))
    #expect(try await reader.verify().isClean)
    try reader.close()
  }

  @Test(arguments: [true, false]) func `rows without their database are reported, and are kept`(isDeleted: Bool)
    async throws
  {
    let (directory, app) = try setUp()
    let warehouse = try open(directory)
    _ = try await warehouse.commit(batch(0), app: app)
    try await warehouse.close()
    let rows = try segments(directory)
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: directory.path + "/warehouse.sqlite" + suffix)
    }
    if !isDeleted { try Data().write(to: URL(filePath: directory.path + "/warehouse.sqlite")) }
    let catalog = try Catalog(directory: directory.path)
    let opening = #expect(throws: WarehouseError.self) { try open(directory) }
    #expect(opening?.code == .damaged)
    let rebuild = #expect(throws: WarehouseError.self) {
      try SQLiteWarehouse.rebuild(directory: directory.path, catalog: catalog)
    }
    #expect(rebuild?.code == .damaged)
    let reading = #expect(throws: WarehouseError.self) {
      try SQLiteWarehouse.openForReading(directory: directory.path, catalog: catalog)
    }
    #expect(reading?.code == .damaged)
    #expect(try segments(directory) == rows)
  }

  @Test(arguments: [
    "offset = 9223372036854775807", "offset = -1", "bytes = 9223372036854775807", "bytes = 1099511627776", "bytes = -1",
    "bytes = 0", "first_id = -9223372036854775808", "last_id = 9223372036854775807",
    "last_id = 0", "segment = -1",
  ])
  func `an impossible position of rows is reported as damage`(change: String) async throws {
    let (directory, app) = try setUp()
    let warehouse = try open(directory)
    for number in 0..<2 { _ = try await warehouse.commit(batch(number), app: app) }
    try await warehouse.close()
    let queue = try DatabaseQueue(path: directory.path + "/warehouse.sqlite")
    try await queue.write { try $0.execute(sql: "UPDATE span SET \(change)") }
    try queue.close()
    do {
      let reader = try SQLiteWarehouse.openForReading(
        directory: directory.path, catalog: Catalog(directory: directory.path))
      #expect(try await !reader.verify().isClean)
    } catch let error as WarehouseError {
      #expect(error.code == .damaged)
    }
  }
}
