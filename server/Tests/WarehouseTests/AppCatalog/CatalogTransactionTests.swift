import TernEvents
import Testing

@testable import AppCatalog
@testable import Warehouse

/// Several changes of the catalog in one transaction.
@Suite struct CatalogTransactionTests {
  private struct Stop: Error {}

  @Test func `all changes of a transaction are made, or none`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player")
    let audit = try catalog.audit(limit: 100).count
    #expect(throws: Stop.self) {
      try catalog.atomically {
        _ = try catalog.createDashboard(app: app.id, name: "Mine", cards: [])
        try catalog.changeApp(app.id, AppChange(name: "Other"))
        #expect(try catalog.dashboards(app: app.id).map(\.name).contains("Mine"), "it sees its own changes")
        throw Stop()
      }
    }
    #expect(try !catalog.dashboards(app: app.id).map(\.name).contains("Mine"))
    #expect(try catalog.apps().map(\.name) == ["Player"])
    #expect(try catalog.audit(limit: 100).count == audit)
    _ = try catalog.atomically { try catalog.changeApp(app.id, AppChange(name: "Other")) }
    #expect(try catalog.apps().map(\.name) == ["Other"])
  }

  @Test func `a change that fails in a transaction leaves nothing, also if the transaction goes on`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player")
    try catalog.atomically {
      _ = try catalog.createDashboard(app: app.id, name: "Mine", cards: [])
      #expect(throws: WarehouseError.self) { try catalog.createDashboard(app: app.id, name: "mine", cards: []) }
      #expect(throws: Stop.self) {
        try catalog.atomically {
          _ = try catalog.createDashboard(app: app.id, name: "Second", cards: [])
          throw Stop()
        }
      }
    }
    let names = try catalog.dashboards(app: app.id).map(\.name)
    #expect(names.contains("Mine") && !names.contains("Second"))
  }

  @Test func `transactions of two processes exclude each other`() async throws {
    let directory = try TemporaryDirectory()
    let catalogs = [try Catalog(directory: directory.path), try Catalog(directory: directory.path)]
    await withTaskGroup(of: Void.self) { group in
      for catalog in catalogs {
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<10 {
              try? catalog.atomically {
                let number = Int(try catalog.setting("counter") ?? "0") ?? 0
                try catalog.setSetting("counter", to: "\(number + 1)")
              }
            }
          }
        }
      }
    }
    #expect(try catalogs[1].setting("counter") == "80")
  }

  @Test func `within a transaction of one catalog, another is used as always`() throws {
    let (first, second) = (try TemporaryDirectory(), try TemporaryDirectory())
    let catalogs = (try Catalog(directory: first.path), try Catalog(directory: second.path))
    #expect(throws: Stop.self) {
      try catalogs.0.atomically {
        try catalogs.0.setSetting("name", to: "first")
        try catalogs.1.setSetting("name", to: "second")
        throw Stop()
      }
    }
    #expect(try catalogs.0.setting("name") == nil)
    #expect(try catalogs.1.setting("name") == "second")
  }
}
