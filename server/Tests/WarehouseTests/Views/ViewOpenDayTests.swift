import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// Open days are counted before a report is requested, and counting continues after a restart.
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

  /// Expects the report of a day to equal a full recount, and returns the kept day.
  @discardableResult
  private func check(_ place: Place, _ view: View, _ date: Int = number, at now: String) async throws -> LiveDay? {
    let reader = place.warehouse.reader
    let reported = try await reader.withTurn(view, now: milliseconds(now)) {
      try $0.day(date, tables: Set(ViewTable.allCases)).encodedMetrics
    }
    let counted = try await reader.reading { try ViewReading(view, $0, reader).counted(date).encodedMetrics }
    #expect(reported == counted)
    return try kept(place, view, date)
  }

  /// Two days of two users with orders. A test may refund one of them on the next day.
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

  @Test func `hits are counted before a report is requested`() async throws {
    let (place, view) = try await filled()
    try await count(place, view, at: "2024-05-15T01:00:00Z")
    let days = [Self.number, Self.number + 1]
    let first = try days.map { try #require(try kept(place, view, $0)) }
    #expect(first.map(\.places.count) == [3, 2])
    try await place.send("cid=3&t=screenview&cd=C", at: "2024-05-15T01:05:00Z")
    try await count(place, view, at: "2024-05-15T01:06:00Z")
    #expect(try kept(place, view, Self.number + 1)?.places.count == 3)
    for (index, date) in days.enumerated() {
      #expect(try await check(place, view, date, at: "2024-05-15T01:07:00Z") === first[index], "not recounted")
    }
    try await place.close()
  }

  @Test func `days after today, as with a clock that is behind, are counted and not kept`() async throws {
    let (place, view) = try await filled()
    #expect(try await check(place, view, at: "2024-05-13T12:00:00Z") == nil)
    #expect(try await check(place, view, at: "2024-05-14T12:00:00Z") != nil)
  }

  @Test func `sealed days and views without room in the cache are not counted`() async throws {
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

  @Test func `counting of open days continues after a restart`() async throws {
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
      #expect(live.stateChangesSince == rows[index] && live.row > rows[index], "not recounted")
    }
    try await place.close()
  }

  @Test func `days stored under other rules, or damaged, are recounted`() async throws {
    let (first, view) = try await filled()
    try await count(first, view, at: "2024-05-15T01:00:00Z")
    try await first.close()
    let changed = try Place(copying: first.directory)
    try changed.define(.user, at: "2024-05-13T00:00:00Z")
    try await changed.send("cid=1&t=screenview&cd=B", at: "2024-05-15T01:01:00Z")
    let last = try await check(changed, view, at: "2024-05-15T01:02:00Z")
    #expect(last?.stateChangesSince == last?.row)
    try await changed.close()
    for damage in ["substr(counted, 1, length(counted) / 2)", "x'7f' || substr(counted, 2)", "x''"] {
      let place = try Place(copying: first.directory)
      try await place.warehouse.perform { try $0.connection.execute("UPDATE view_open_day SET counted = \(damage)") }
      try await place.send("cid=1&t=screenview&cd=B", at: "2024-05-15T01:01:00Z")
      for index in [0, 1] {
        let live = try await check(place, view, Self.number + index, at: "2024-05-15T01:02:00Z")
        #expect(live?.stateChangesSince == live?.row, "\(damage)")
      }
      try await place.close()
    }
  }
}

/// Days to which hits can't be added are recounted in the background, while reports use the last count.
@Suite struct ViewLaggingDayTests {
  private typealias Place = ViewMemoryTests.Place
  /// Two of these overflow a sum.
  private static let fortune = "t=event&ec=c&ea=a&pa=purchase&ti=A&tr=9000000000000"

  private func hits(_ place: Place, _ view: View, at now: String) async throws -> [SaturatingInt64] {
    try await place.warehouse.reader.viewMetrics(
      view, days: day("2024-05-14")...day("2024-05-15"), tables: [.screens], now: milliseconds(now)
    ).days.map(\.totals.hits)
  }

  @Test(arguments: [ViewSettings.Identity.client, .explicitUser])
  func `reports don't wait for a day that must be recounted`(identity: ViewSettings.Identity) async throws {
    let place = try Place()
    let view = try place.catalog.createView(
      app: place.app.id, name: "V", timeZone: "UTC", settings: ViewSettings(identity: identity))
    for date in ["14", "15"] {
      for user in 1...2 {
        try await place.send("cid=\(user)&uid=\(user)&\(Self.fortune)", at: "2024-05-\(date)T01:00:00Z")
      }
    }
    #expect(try await hits(place, view, at: "2024-05-15T01:30:00Z") == [2, 2])
    try await place.warehouse.countOpenDays(of: [view], now: timestamp("2024-05-15T01:31:00Z"))
    try await place.send("cid=1&uid=1&t=screenview&cd=A", at: "2024-05-15T01:32:00Z")
    try await place.send("cid=1&uid=1&t=screenview&cd=A&qt=10800000", at: "2024-05-15T01:32:00Z")
    #expect(try await hits(place, view, at: "2024-05-15T01:33:00Z") == [2, 2])
    let looksAgain = try await place.warehouse.reader.withTurn(view, now: milliseconds("2024-05-15T01:33:30Z")) {
      _ = try $0.day(day("2024-05-15").number, tables: [])
      return !$0.arrivals.isEmpty
    }
    #expect(!looksAgain, "the first report has found that the day must be recounted")
    try await place.warehouse.countOpenDays(of: [view], now: timestamp("2024-05-15T01:34:00Z"))
    #expect(try await hits(place, view, at: "2024-05-15T01:35:00Z") == [3, 3])
    // Once counting in the background has stopped, reports count.
    try await place.send("cid=2&uid=2&t=screenview&cd=A", at: "2024-05-15T01:40:00Z")
    #expect(try await hits(place, view, at: "2024-05-15T01:41:00Z") == [3, 3])
    #expect(try await hits(place, view, at: "2024-05-15T01:50:00Z") == [3, 4])
    try await place.close()
    // Another process does not know whether anything is counted in the background.
    let again = try Place(copying: place.directory)
    try await again.send("cid=2&uid=2&t=screenview&cd=A", at: "2024-05-15T01:51:00Z")
    #expect(try await hits(again, view, at: "2024-05-15T01:52:00Z") == [3, 5])
    try await again.close()
  }

  @Test func `counting in the background ends with the right counts, whatever lags behind meanwhile`() async throws {
    var random = FastGenerator(seed: UInt64.random(in: 0..<1_000))
    let place = try Place()
    let view = try place.catalog.createView(
      app: place.app.id, name: "V", timeZone: "UTC", settings: ViewSettings(campaignDays: 1))
    var now = milliseconds("2024-05-14T23:00:00Z")
    let reader = place.warehouse.reader
    for step in 0..<40 {
      now += Int64.random(in: 60_000...400_000, using: &random)
      let hits = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        let kind =
          [Self.fortune, "t=screenview&cd=A", "t=screenview&cd=B&cs=s\(step)"].randomElement(using: &random) ?? ""
        return
          "cid=\(Int.random(in: 0..<4, using: &random))&\(kind)&qt=\(Int.random(in: 0...7_200_000, using: &random))"
      }
      try await place.send(hits, received: Timestamp(millisecondsSince1970: now))
      let today = Int(now / 86_400_000)
      if Bool.random(using: &random) {
        _ = try await reader.withTurn(view, now: now) { try $0.day(today, tables: []).totals }
        continue
      }
      // Days counted concurrently with reports are picked up by the next pass.
      for _ in 0..<2 { try await place.warehouse.countOpenDays(of: [view], now: Timestamp(millisecondsSince1970: now)) }
      for number in today - 1...today {
        let tables = Set(ViewTable.allCases)
        let reported = try await reader.withTurn(view, now: now) { try $0.day(number, tables: tables).encodedMetrics }
        let counted = try await reader.reading { try ViewReading(view, $0, reader).counted(number).encodedMetrics }
        #expect(reported == counted, "step \(step)")
      }
    }
    try await place.close()
  }
}
