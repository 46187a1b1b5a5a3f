import TernBase
import Testing

@testable import AppCatalog
@testable import RowFiles
@testable import Warehouse
@testable import WarehouseSQLite

/// Tests the free disk space that a warehouse leaves.
@Suite struct DiskSpaceTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog
  private let app: AppID

  init() throws {
    directory = try TemporaryDirectory()
    catalog = try Catalog(directory: directory.path)
    app = try catalog.createApp(name: "App", timeZone: "UTC").id
  }

  @Test func `below the reserve nothing is stored, and above it storing resumes`() async throws {
    let free = Locked<Int64?>(1_000)
    var configuration = WarehouseConfiguration()
    configuration.diskReserve = 1_000
    configuration.freeDiskBytes = { _ in free.withLock { $0 } }
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    #expect(try await warehouse.commit(batch(["a"], firstKey: 1), app: app).accepted == 1)
    #expect(warehouse.hasRoom)
    free.withLock { $0 = 999 }
    #expect(!warehouse.hasRoom && warehouse.shortage?.message.contains("--disk-reserve") == true)
    let error = await #expect(throws: WarehouseError.self) {
      try await warehouse.commit(batch(["b"], firstKey: 2), app: app)
    }
    #expect(error?.code == .full)
    #expect(error?.message.contains("--disk-reserve") == true)
    await #expect(throws: WarehouseError.self) { try await warehouse.probeWrite() }
    free.withLock { $0 = 1_000 }
    try await warehouse.probeWrite()
    #expect(try await warehouse.commit(batch(["b"], firstKey: 2), app: app).accepted == 1)
    #expect(warehouse.shortage == nil)
    // Unknown space is no reason to stop.
    free.withLock { $0 = nil }
    #expect(warehouse.hasRoom)
    #expect(try await warehouse.commit(batch(["c"], firstKey: 3), app: app).accepted == 1)
    try await warehouse.close()
  }

  @Test func `without a reserve only a full disk is too little, and the write itself tells`() {
    let space = DiskSpace(directory: "/data", reserved: 0) { _ in 0 }
    #expect(space.shortage?.message.hasPrefix("The disk of /data is full.") == true)
    #expect(throws: Never.self) { try space.check() }
    #expect(DiskSpace(directory: "/data", reserved: 0) { _ in 1 }.shortage == nil)
  }

  @Test func `the status shows the space of each part and of the disk`() async throws {
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    _ = try await warehouse.commit(batch(["a"]), app: app)
    let status = warehouse.storageStatus
    #expect(Set(status.diskBytes.keys) == ["catalog", "warehouse", "counts", "rows", "keys", "columns", "symbols"])
    #expect(try #require(status.diskBytes["warehouse"]) > 4_096)
    #expect(try #require(status.diskBytes["rows"]) > 0)
    #expect(try #require(status.freeDiskBytes) > 0)
    #expect(status.reservedDiskBytes == 0)
    try await warehouse.close()
  }
}
