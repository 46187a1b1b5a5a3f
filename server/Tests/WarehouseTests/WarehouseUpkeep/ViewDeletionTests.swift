import Ingest
import TernEvents
import Testing
import WarehouseContract

@testable import AppCatalog
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// The deletion of a view.
@Suite struct ViewDeletionTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog
  private let app: App
  private let views: [View]
  private let now = timestamp("2026-06-30T12:00:00Z")

  init() throws {
    directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    self.catalog = catalog
    let app = try catalog.createApp(name: "Player")
    self.app = app
    views = try ["Web", "Beta"].map { try catalog.createView(app: app.id, name: $0, timeZone: "UTC") }
  }

  private func open() async throws -> SQLiteWarehouse {
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    var traffic = RandomTraffic(
      seed: 5, apps: [app.id], center: timestamp("2026-05-04T12:00:00Z"), days: 10, isOrdered: true)
    for _ in 0..<30 { _ = try await warehouse.commit(traffic.next().0, app: app.id) }
    try await warehouse.flush()
    try await warehouse.perform { try $0.finishHits() }
    return warehouse
  }

  private func storedDays(_ warehouse: SQLiteWarehouse, _ view: View) async throws -> Int64 {
    try await warehouse.reader.reading { connection in
      try connection.integer("SELECT count(*) FROM view_day WHERE view = \(view.id)") ?? 0
    }
  }

  @Test func `a deleted view is gone with its days and links, and the other one stays as it is`() async throws {
    let warehouse = try await open()
    try await warehouse.sealDays(of: views, now: now)
    let kept = try await storedDays(warehouse, views[1])
    #expect(kept > 0)
    let links = try ["view=1&days=7", "days=7&view=1", "view=12", "days=7", "view=2"].map {
      try catalog.createLink(app: app.id, report: "screens", query: $0, sites: []).link
    }
    let job = try catalog.deleteView(views[0])
    #expect(try catalog.views() == [views[1]])
    #expect(try catalog.links(app: app.id).map(\.query) == links.dropFirst(2).map(\.query))
    #expect(try catalog.nextJob() == job && job.kind == .deleteView)
    #expect(try catalog.audit(limit: 1).first?.subject == "1 Web")
    try await warehouse.delete(view: views[0].id)
    #expect(try await storedDays(warehouse, views[0]) == 0)
    #expect(try await storedDays(warehouse, views[1]) == kept)
    #expect(try await warehouse.reader.verify().isClean)
    // Sealed days of the other view are still protected.
    await #expect(throws: WarehouseError.self) {
      try await warehouse.perform { try $0.connection.execute("DELETE FROM view_day") }
    }
    #expect(try catalog.createView(app: app.id, name: "New", timeZone: "UTC").id > views[1].id)
    try await warehouse.close()
  }

  @Test func `days that were being counted while their view was deleted are not stored`() async throws {
    let warehouse = try await open()
    try catalog.deleteView(views[0])
    try await warehouse.delete(view: views[0].id)
    // The server read the views before the deletion.
    #expect(try await warehouse.sealDays(of: views, now: now) > 0)
    #expect(try await storedDays(warehouse, views[0]) == 0)
    #expect(try await storedDays(warehouse, views[1]) > 0)
    try await warehouse.close()
  }
}
