import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// Days to which hits still come are counted before a report asks for them, and stay counted over a restart.
@Suite struct ViewOpenDayTests {
  private typealias Place = ViewMemoryTests.Place
  private static let event = "t=event&ec=c&ea=a"
  private static let number = day("2024-05-14").number

  private func key(_ place: Place, _ view: View) throws -> LiveView.Key {
    LiveView.Key(view: view, rules: CustomRules(try place.catalog.definitions(app: place.app.id)))
  }

  private func kept(_ place: Place, _ view: View, _ date: Int = number) throws -> LiveDay? {
    place.warehouse.reader.viewDays.liveViews[try key(place, view)]?.withLock { $0[date] }
  }

  private func count(_ place: Place, _ view: View, at now: String) async throws {
    try await place.warehouse.countOpenDays(of: [view], now: timestamp(now))
  }

  /// Expects the report of a day to be what a count of everything gives, and returns the kept day.
  @discardableResult
  private func check(_ place: Place, _ view: View, _ date: Int = number, at now: String) async throws -> LiveDay? {
    let reader = place.warehouse.reader
    let asked = try await reader.asking(view, now: milliseconds(now)) {
      try $0.day(date, tables: Set(ViewTable.allCases)).encodedMetrics
    }
    let counted = try await reader.reading { try ViewReading(view, $0, reader).counted(date).encodedMetrics }
    #expect(asked == counted)
    return try kept(place, view, date)
  }

  /// Days of two users with orders, one of which a refund of the next day names.
  private func filled() async throws -> (Place, View) {
    let place = try Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC")
    try await place.send("cid=1&t=screenview&cd=A&cs=news", at: "2024-05-14T20:00:00Z")
    try await place.send("cid=1&\(Self.event)&pa=purchase&ti=A&tr=7", at: "2024-05-14T20:01:00Z")
    try await place.send("cid=2&\(Self.event)&pa=purchase&ti=B&tr=9", at: "2024-05-14T20:02:00Z")
    try await place.send("cid=2&t=screenview&cd=e%CC%81", at: "2024-05-15T00:10:00Z")
    try await place.send("cid=1&t=screenview&cd=%C3%A9", at: "2024-05-15T00:10:00Z")
    return (place, view)
  }

  @Test func `hits are counted before a report asks for them`() async throws {
    let (place, view) = try await filled()
    try await count(place, view, at: "2024-05-15T01:00:00Z")
    let days = [Self.number, Self.number + 1]
    let first = try days.map { try #require(try kept(place, view, $0)) }
    #expect(first.map(\.places.count) == [3, 2])
    try await place.send("cid=3&t=screenview&cd=C", at: "2024-05-15T01:05:00Z")
    try await count(place, view, at: "2024-05-15T01:06:00Z")
    #expect(try kept(place, view, Self.number + 1)?.places.count == 3)
    for (index, date) in days.enumerated() {
      #expect(try await check(place, view, date, at: "2024-05-15T01:07:00Z") === first[index], "not counted again")
    }
    try await place.close()
  }

  @Test func `days that are sealed or of a view that there is no room for are left alone`() async throws {
    let (place, view) = try await filled()
    try await place.seal([view], at: "2024-05-15T04:10:00Z")
    try await count(place, view, at: "2024-05-15T05:00:00Z")
    #expect(try kept(place, view) == nil)
    #expect(try kept(place, view, Self.number + 1) != nil)
    let cache = ViewDayCache(capacity: 10_000)
    let (one, other) = (try key(place, view), LiveView.Key(view: view, rules: CustomRules([])))
    _ = cache.live(one)
    #expect(cache.hasRoom(for: one))
    cache.note(one, bytes: 6_000)
    var changed = other
    changed.view.name = "W"
    #expect(cache.hasRoom(for: one) && !cache.hasRoom(for: changed))
    try await place.close()
  }

  @Test func `after a restart open days continue from what was counted`() async throws {
    let (first, view) = try await filled()
    try await count(first, view, at: "2024-05-15T01:00:00Z")
    let rows = try [0, 1].map { try #require(try kept(first, view, Self.number + $0)).row }
    try await first.close()
    let place = try Place(copying: first.directory)
    try await place.send("cid=2&\(Self.event)&pa=refund&ti=A", at: "2024-05-15T02:00:00Z")
    try await place.send("cid=1&t=screenview&cd=B&cs=mail&qt=14400000", at: "2024-05-15T02:01:00Z")
    try await count(place, view, at: "2024-05-15T02:30:00Z")
    for index in [0, 1] {
      let live = try #require(try await check(place, view, Self.number + index, at: "2024-05-15T02:30:00Z"))
      #expect(live.since == rows[index] && live.row > rows[index], "it was not counted anew")
    }
    try await place.close()
  }

  @Test func `what was counted by other rules, or is damaged, is counted anew`() async throws {
    let (first, view) = try await filled()
    try await count(first, view, at: "2024-05-15T01:00:00Z")
    try await first.close()
    let changed = try Place(copying: first.directory)
    try changed.define(.user, at: "2024-05-13T00:00:00Z")
    try await changed.send("cid=1&t=screenview&cd=B", at: "2024-05-15T01:01:00Z")
    let last = try await check(changed, view, at: "2024-05-15T01:02:00Z")
    #expect(last?.since == last?.row)
    try await changed.close()
    for damage in ["substr(counted, 1, length(counted) / 2)", "x'7f' || substr(counted, 2)", "x''"] {
      let place = try Place(copying: first.directory)
      try await place.warehouse.perform { try $0.connection.execute("UPDATE view_open_day SET counted = \(damage)") }
      try await place.send("cid=1&t=screenview&cd=B", at: "2024-05-15T01:01:00Z")
      for index in [0, 1] {
        let live = try await check(place, view, Self.number + index, at: "2024-05-15T01:02:00Z")
        #expect(live?.since == live?.row, "\(damage)")
      }
      try await place.close()
    }
  }
}
