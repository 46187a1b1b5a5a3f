import TernBase
import Testing
import WarehouseContract

@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// The contract of a warehouse, checked on the embedded one, and on the naive one that is its oracle.
@Suite struct SQLiteWarehouseContractTests {
  /// Small limits, so that spans, flushes, drains and evictions happen all the time.
  private static let tight = {
    var configuration = WarehouseConfiguration(
      flushInterval: .milliseconds(1), flushEvents: 37, pendingKeys: 50, cachedInstalls: 8, checkpointPages: 5)
    configuration.spanRows = 60
    return configuration
  }()

  private func contract(_ configuration: WarehouseConfiguration = WarehouseConfiguration()) throws -> WarehouseContract
  {
    let directory = try TemporaryDirectory()
    return WarehouseContract { catalog in
      let failure = Locked<WarehouseError?>(nil)
      var configuration = configuration
      configuration.beforeBatch = { _ in try failure.withLock { if let failure = $0 { throw failure } } }
      let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
      return ContractBackend(
        sink: warehouse, store: warehouse.reader, settle: { try await warehouse.flush() },
        seal: { try await warehouse.sealDays(of: $0, now: $1) }, fail: { error in failure.withLock { $0 = error } },
        close: {
          try await warehouse.flush()
          let report = try await warehouse.reader.verify()
          #expect(report.isClean, "\(report.differences)")
          #expect(report.metrics > 0)
          try await warehouse.close()
        })
    }
  }

  /// All parts, those that chance decides with several seeds.
  private static func runs(_ seeds: [UInt64]) -> [(WarehouseContract.Case, UInt64)] {
    WarehouseContract.Case.allCases.flatMap { part in seeds.prefix(part.isRandom ? seeds.count : 1).map { (part, $0) } }
  }

  @Test(arguments: runs([1, 2]))
  func `the embedded warehouse keeps the contract`(part: WarehouseContract.Case, seed: UInt64) async throws {
    try await contract().check(part, seed: seed)
  }

  @Test(arguments: runs([11, 12]))
  func `the embedded warehouse keeps the contract with limits so small that they are always reached`(
    part: WarehouseContract.Case, seed: UInt64
  ) async throws {
    try await contract(Self.tight).check(part, seed: seed)
  }

  @Test(arguments: WarehouseContract.Case.allCases)
  func `the naive warehouse keeps the contract`(part: WarehouseContract.Case) async throws {
    let warehouses = Locked<[NaiveWarehouse]>([])
    let contract = WarehouseContract { catalog in
      // Committed events stay: the same warehouse opens again.
      let warehouse = warehouses.withLock { warehouses in
        if warehouses.isEmpty { warehouses.append(NaiveWarehouse(catalog: catalog)) }
        return warehouses[0]
      }
      warehouse.reopen()
      return ContractBackend(
        sink: warehouse, store: warehouse, settle: {}, seal: { try warehouse.seal($0, now: $1) },
        fail: { warehouse.fail(with: $0) }, close: { warehouse.close() })
    }
    try await contract.check(part, seed: 1)
  }

  /// A store that loses something, by which the contract shows that it looks.
  @Test(arguments: WarehouseContract.Case.allCases)
  func `the contract notices a warehouse that stores each batch but its last event`(
    part: WarehouseContract.Case
  ) async throws {
    let contract = WarehouseContract { catalog in
      let warehouse = NaiveWarehouse(catalog: catalog)
      return ContractBackend(
        sink: ForgetfulSink(base: warehouse), store: warehouse, settle: {}, seal: { try warehouse.seal($0, now: $1) },
        fail: { warehouse.fail(with: $0) }, close: { warehouse.close() })
    }
    await #expect(throws: ContractViolation.self) { try await contract.check(part, seed: 1) }
  }
}
