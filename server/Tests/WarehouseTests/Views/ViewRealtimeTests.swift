import Ingest
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// The current users of a view.
@Suite struct ViewRealtimeTests {
  @Test func `active users are those of the last five minutes, and minutes cover half an hour`() async throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    let app = try catalog.createApp(name: "A", trackingID: "UA-1-1").id
    let filter = try #require(ViewFilter("an!=Internal"))
    let view = try catalog.createView(app: app, name: "V", timeZone: "UTC", filters: [filter])
    let now = milliseconds("2024-05-14T12:00:00Z")
    func send(_ cid: String, _ more: String, before: Int64) async throws {
      let hit = "v=1&tid=UA-1-1&cid=\(cid)&\(more)"
      let received = Timestamp(millisecondsSince1970: now - before)
      for batch in MeasurementParser.collect(hit, received: received, key: DuplicateHashKey(1, 2)) {
        _ = try await warehouse.commit(batch.batch, app: app)
      }
    }
    try await send("old", "t=screenview&cd=Home&an=App", before: 86_400_000)
    try await send("old", "t=screenview&cd=Home&an=App&av=2&geoid=DE", before: 1_000)
    try await send("old", "t=screenview&cd=Home&an=App&av=2&geoid=DE", before: 59_999)
    try await send("new", "t=event&ec=Video&ea=Play&an=App", before: 299_999)
    try await send("gone", "t=screenview&cd=Home&an=App", before: 300_000)
    try await send("gone", "t=screenview&cd=Home&an=App", before: 1_799_999)
    try await send("gone", "t=screenview&cd=Home&an=App", before: 1_800_000)
    try await send("staff", "t=screenview&cd=Home&an=Internal", before: 1_000)
    let metrics = try await warehouse.reader.viewRealtime(view, now: now)
    #expect(metrics.activeUsers == 2 && metrics.newUsers == 1 && metrics.hits == 3)
    #expect(metrics.facts[.screen] == [ViewRealtime.Row(key: ["Home"], hits: 2, users: 1)])
    #expect(metrics.facts[.event] == [ViewRealtime.Row(key: ["Video", "Play"], hits: 1, users: 1)])
    #expect(metrics.facts[.app] == [ViewRealtime.Row(key: ["App"], hits: 3, users: 2)])
    #expect(metrics.facts[.version]?.map(\.key) == [["2"], ["(not set)"]])
    #expect(metrics.facts[.country]?.map(\.key).contains(["DE"]) == true)
    #expect(metrics.minutes.map(\.screenViews).enumerated().filter { $0.element > 0 }.map(\.offset) == [0, 5, 29])
    #expect(metrics.minutes[0].users == 1 && metrics.minutes[0].hits == 2 && metrics.minutes[4].hits == 1)
    try await warehouse.close()
    try catalog.close()
  }
}
