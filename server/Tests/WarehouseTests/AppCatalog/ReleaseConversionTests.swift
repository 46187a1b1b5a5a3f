import Testing

@testable import AppCatalog
@testable import Warehouse

/// The conversions of releases in the catalog.
@Suite struct ReleaseConversionTests {
  @Test func `a team's conversions are kept, bounded, and deleted with the app`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player")
    #expect(try catalog.releaseConversions(app: app.id).isEmpty)
    let chosen = ["event A", "funnel s1=event+A&s2=event+B"]
    try catalog.setReleaseConversions(app: app.id, to: chosen)
    #expect(try catalog.releaseConversions(app: app.id) == chosen)
    for refused in [["a", "b", "c"], [String(repeating: "a", count: 5_000)]] {
      #expect(throws: WarehouseError.self) { try catalog.setReleaseConversions(app: app.id, to: refused) }
    }
    #expect(throws: WarehouseError.self) { try catalog.setReleaseConversions(app: AppID(99), to: []) }
    let job = try catalog.requestDeletion(of: app)
    try catalog.finishDeletion(of: app.id, job: job.id, DataJob.Result(message: "done"))
    #expect(try catalog.releaseConversions(app: app.id).isEmpty)
  }
}
