import Foundation
import Testing

@testable import RowFiles
@testable import Warehouse
@testable import WarehouseContract
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Deletion of rows that have left home.
@Suite struct RetiredDeletionTests {
  private let directory: TemporaryDirectory
  private let catalog = MemoryCatalog(zones: ["UTC", "UTC"])
  private let cluster = MemoryRows()

  init() throws { directory = try TemporaryDirectory() }

  @Test func `an app is deleted without fetching the rows of files that it has alone`() async throws {
    RetiredRowCache.connect(directory.path, to: cluster)
    let configuration = WarehouseConfiguration(spanRows: 30, segmentBytes: 1_500)
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    func add(_ batches: Range<Int64>, to app: Int64) async throws {
      for number in batches {
        _ = try await warehouse.commit(batch((0..<10).map { "e\($0)" }, firstKey: number * 20), app: AppID(app))
      }
    }
    try await add(0..<20, to: 1)
    try await add(20..<22, to: 2)
    try await add(22..<40, to: 1)
    // The last file stays at home.
    try await add(40..<80, to: 2)
    try await warehouse.flush()
    #expect(try await warehouse.retireAll(to: cluster) > 6)
    let units = try warehouse.reader.retiredUnits()
    let shared = try await warehouse.reader.reading { connection in
      let files = Dictionary(grouping: try StoredSpan.all(connection), by: \.segment).values
      let shared = files.filter { spans in Set(spans.flatMap(\.apps)).count == 2 }
      return shared.flatMap { $0.map(\.ids) }
    }
    // Of the files that have left, those with rows of both apps.
    let needed = units.filter { unit in shared.contains { $0.overlaps(unit.ids) } }.count
    #expect(needed > 0 && needed < units.count / 2)
    let fetches = cluster.fetches
    try await warehouse.delete(app: AppID(1), views: [])
    #expect(cluster.fetches - fetches == needed)
    let rows = try await warehouse.reader.reading { connection in
      let scan = try EventScan(connection, after: 0)
      var apps: [Int64] = []
      while let row = try scan.next() { apps.append(row.app) }
      return apps
    }
    #expect(rows == Array(repeating: 2, count: 420))
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }
}
