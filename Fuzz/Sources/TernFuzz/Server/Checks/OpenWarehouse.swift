import Dispatch
import Foundation
import Ingest
import TernBase
import TernEvents
import Warehouse
import WarehouseContract

@testable import WarehouseSQLite

/// A warehouse that is kept for several inputs, with random traffic in it.
final class OpenWarehouse {
  let warehouse: SQLiteWarehouse
  let app: App
  private let path = "\(WarehouseCheck.directory)/\(UUID().uuidString)"

  init(batches: Int) {
    let catalog = StoredViews.catalog()
    guard let app = catalog.app(StoredViews.app) else { fatalError("There is no app") }
    self.app = app
    do {
      warehouse = try SQLiteWarehouse(directory: path, catalog: catalog, configuration: WarehouseConfiguration())
    } catch {
      fatalError("The warehouse does not open: \(error)")
    }
    var traffic = RandomTraffic(
      seed: 7, apps: [StoredViews.app], center: FuzzTarget.moments[0], days: 2, isOrdered: true)
    let random = (0..<batches).map { _ in traffic.next().0 }
    wait { warehouse in
      for batch in random { _ = try await warehouse.commit(batch, app: StoredViews.app) }
      try await warehouse.flush()
    }
  }

  /// Runs work that may not fail.
  func wait(_ body: @escaping @Sendable (SQLiteWarehouse) async throws -> Void) {
    let done = DispatchSemaphore(value: 0)
    let warehouse = warehouse
    Task {
      do { try await body(warehouse) } catch { fatalError("A warehouse failed: \(error)") }
      done.signal()
    }
    done.wait()
  }

  /// Reads all reports, verifies everything, and closes and deletes the warehouse.
  func finish() {
    wait { try await WarehouseCheck.check($0) }
    try? FileManager.default.removeItem(atPath: path)
  }
}
