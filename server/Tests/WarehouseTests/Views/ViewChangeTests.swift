import ServerBase
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Changes of views apply from the next day on; days that have begun stay unchanged.
@Suite struct ViewChangeTests {
  private typealias Place = ViewMemoryTests.Place

  private func change(_ set: (inout ViewChange) -> Void) -> ViewChange {
    var change = ViewChange()
    set(&change)
    return change
  }

  private func sessions(_ place: Place, _ view: View, _ date: String) async throws -> SaturatingInt64 {
    try await place.warehouse.reader.viewMetrics(
      view, days: day(date)...day(date), tables: [], now: milliseconds("\(date)T23:00:00Z")
    ).totals.sessions
  }

  @Test func `settings and filters apply from the next day on, even if days are sealed later`() async throws {
    let place = try Place()
    var view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC")
    func visit(_ date: String) async throws {
      for (time, version) in [("12:00", "1"), ("12:45", "1"), ("18:00", "2")] {
        try await place.send("cid=1&t=screenview&cd=A&av=\(version)", at: "\(date)T\(time):00Z")
      }
    }
    try await visit("2024-05-01")
    let filter = try #require(ViewFilter("av=1"))
    view = try place.catalog.changeView(
      view.id,
      change {
        $0.sessionTimeout = .seconds(3_600)
        $0.filters = [filter]
        $0.currency = "EUR"
      })
    #expect(view.changes.map(\.start) == [day("2024-05-02")] && view.first == View.Rules())
    #expect(view.rules(on: day("2024-05-01")) == view.first)
    #expect(view.rules(on: day("2024-05-02")).settings.currency == "EUR")
    #expect(view.rules(on: day("2024-05-01")...day("2024-05-02")).count == 2)
    try await visit("2024-05-02")
    for seals in [false, true] {
      if seals { try await place.seal([view], at: "2024-05-04T12:00:00Z") }
      #expect(try await sessions(place, view, "2024-05-01") == 3)
      #expect(try await sessions(place, view, "2024-05-02") == 1)
    }
    let hits = try await place.warehouse.reader.inspectedHits(
      view, days: day("2024-05-01")...day("2024-05-02"), limit: 9)
    #expect(hits.map(\.status) == ["filtered"] + Array(repeating: "counted", count: 5))
    try await place.warehouse.flush()
    #expect(try await place.warehouse.reader.verify().isClean)
    #expect(try place.catalog.view(view.id) == view)
    try await place.close()
  }

  @Test func `a change replaces an earlier one of the same day, and is not stored if it has no effect`()
    async throws
  {
    let place = try Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "America/New_York")
    // In New York it is still the previous day.
    try await place.send("cid=1&t=screenview&cd=A", at: "2024-05-02T03:00:00Z")
    var changed = try place.catalog.changeView(view.id, change { $0.campaignDays = 7 })
    #expect(changed.changes.map(\.start) == [day("2024-05-02")])
    changed = try place.catalog.changeView(view.id, change { $0.hasQuotas = true })
    #expect(changed.changes.map(\.settings) == [ViewSettings(campaignDays: 7, hasQuotas: true)])
    changed = try place.catalog.changeView(
      view.id,
      change {
        $0.campaignDays = 183
        $0.hasQuotas = false
        $0.name = "W"
      })
    #expect(changed.changes.isEmpty && changed.name == "W")
    try await place.close()
  }

  @Test func `rules already in effect are kept, even if the clock is set back`() async throws {
    let place = try Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC")
    try await place.send("cid=1&t=screenview&cd=A", at: "2024-05-02T03:00:00Z")
    _ = try place.catalog.changeView(view.id, change { $0.campaignDays = 7 })
    try await place.send("cid=1&t=screenview&cd=A", at: "2024-05-09T03:00:00Z")
    _ = try place.catalog.changeView(view.id, change { $0.campaignDays = 8 })
    try place.define(.hit, at: "2024-04-01T00:00:00Z")
    let changed = try place.catalog.changeView(view.id, change { $0.campaignDays = 9 })
    #expect(changed.changes.map(\.start) == [day("2024-05-03"), day("2024-05-10")])
    #expect(changed.changes.map(\.settings.campaignDays) == [7, 9])
    try await place.close()
  }

  @Test func `open-ended days become final with the last of them if the change was confirmed`() async throws {
    let place = try Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC", lateness: .none)
    try await place.send("cid=1&t=screenview&cd=A", at: "2024-05-01T12:00:00Z")
    try await place.send("cid=1&t=screenview&cd=A&qt=90000000", at: "2024-05-03T12:00:00Z")
    let cutoff = change { $0.lateness = .cutoff }
    #expect(throws: WarehouseError.self) { try place.catalog.changeView(view.id, cutoff) }
    #expect(try place.catalog.view(view.id) == view)
    let changed = try place.catalog.changeView(view.id, cutoff, endsOpenDays: true)
    // The change must be confirmed first.
    #expect(try place.catalog.changeView(view.id, change { $0.name = "W" }).latest.lateness == .cutoff)
    let calendar = ViewCalendar(changed)
    let (first, end) = (milliseconds("2024-05-01T12:00:00Z"), milliseconds("2024-05-04T04:00:00Z"))
    #expect(calendar.counts(time: first, received: end - 1) && !calendar.counts(time: first, received: end))
    #expect(calendar.final(day("2024-05-01").number) == end && calendar.final(day("2024-05-03").number) == end)
    #expect(calendar.final(day("2024-05-04").number) == end + 86_400_000)
    try await place.send("cid=1&t=screenview&cd=B&qt=90000000", at: "2024-05-04T03:59:59Z")
    try await place.send("cid=1&t=screenview&cd=C&qt=90000000", at: "2024-05-04T04:00:00Z")
    #expect(try await place.warehouse.sealDays(of: [changed], now: timestamp("2024-05-04T04:10:00Z")) == 3)
    #expect(try await place.rows(changed, .screens, "2024-05-03").keys.sorted { $0[0] < $1[0] } == [["B"]])
    try await place.warehouse.flush()
    #expect(try await place.warehouse.reader.verify().isClean)
    try await place.close()
  }

  @Test(arguments: [View.Lateness.window, .none]) func `another lateness rule applies to later days`(
    lateness: View.Lateness
  ) throws {
    let start = day("2024-05-02")
    let view = View(
      id: ViewID(1), app: AppID(1), name: "V",
      zones: [.init(.utc, start: timestamp("1970-01-01T00:00:00Z"))],
      changes: [View.Rules(start: start, lateness: lateness)])
    let calendar = ViewCalendar(view)
    let (before, after) = (milliseconds("2024-05-01T23:00:00Z"), milliseconds("2024-05-02T01:00:00Z"))
    let late = milliseconds("2024-05-20T00:00:00Z")
    #expect(!calendar.counts(time: before, received: late) && calendar.counts(time: after, received: late))
    #expect(calendar.final(start.number - 1) == milliseconds("2024-05-02T04:00:00Z"))
    #expect(calendar.final(start.number) == (lateness == .none ? nil : milliseconds("2024-05-28T00:00:00Z") + 1))
  }

  @Test func `invalid changes are rejected with advice`() async throws {
    let place = try Place()
    let clients = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC")
    let users = try place.catalog.createView(
      app: place.app.id, name: "U", timeZone: "UTC", settings: ViewSettings(identity: .user))
    let unkept = try #require(ViewFilter("cid=1"))
    for wrong in [
      change { $0.name = "" }, change { $0.sessionTimeout = .seconds(30) }, change { $0.campaignDays = 0 },
      change { $0.currency = "euro" }, change { $0.filters = [unkept] }, change { $0.hasUnification = false },
    ] {
      #expect(throws: WarehouseError.self) { try place.catalog.changeView(clients.id, wrong) }
    }
    let error = #expect(throws: WarehouseError.self) {
      try place.catalog.changeView(clients.id, change { $0.hasUnification = false })
    }
    #expect(error?.message.contains("Create another") == true)
    #expect(throws: WarehouseError.self) { try place.catalog.changeView(ViewID(99), change { $0.name = "X" }) }
    let explicit = try place.catalog.changeView(users.id, change { $0.hasUnification = false })
    #expect(explicit.latest.settings.identity == .explicitUser && explicit.countsUserIDs)
    #expect(ViewChange().isEmpty && !change { $0.name = "X" }.isEmpty)
    try await place.close()
  }
}
