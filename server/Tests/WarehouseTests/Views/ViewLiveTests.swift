import Ingest
import ServerBase
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// An open day is counted incrementally, and always equals a complete recount.
@Suite struct ViewLiveTests {
  private typealias Place = ViewMemoryTests.Place
  private static let event = "t=event&ec=c&ea=a"

  private func key(_ place: Place, _ view: View) throws -> LiveView.Key {
    LiveView.Key(view: view, rules: CustomRules(try place.catalog.definitions(app: place.app.id)))
  }

  private func kept(_ place: Place, _ view: View, _ date: Int) throws -> LiveDay? {
    place.warehouse.reader.viewDays.live(try key(place, view)).withLock { $0[date] }
  }

  /// A day as a report sees it, and a recount of everything.
  private func both(_ place: Place, _ view: View, _ number: Int, now: Int64) async throws -> ([UInt8], [UInt8]) {
    let reader = place.warehouse.reader
    let asked = try await reader.withTurn(view, now: now) {
      try $0.day(number, tables: Set(ViewTable.allCases)).encodedMetrics
    }
    let counted = try await reader.reading { try ViewReading(view, $0, reader).counted(number).encodedMetrics }
    return (asked, counted)
  }

  @Test func `a hit is added without recounting the day, even if it rearranges sessions`() async throws {
    let place = try Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC")
    let (number, now) = (day("2024-05-14").number, milliseconds("2024-05-14T13:00:00Z"))
    try await place.send("cid=1&t=screenview&cd=A", at: "2024-05-14T12:00:00Z")
    try await place.send("cid=2&t=screenview&cd=B&cs=news", at: "2024-05-14T12:00:00Z")
    _ = try await both(place, view, number, now: now)
    let first = try #require(try kept(place, view, number))
    for (hit, time) in [
      ("cid=1&t=screenview&cd=C&qt=600000", "12:05"), ("cid=3&\(Self.event)&pa=purchase&ti=A&tr=7", "12:06"),
      ("cid=2&\(Self.event)&pa=refund&ti=A", "12:07"), ("cid=1&t=screenview&cd=A&cs=mail&qt=300000", "12:08"),
    ] {
      try await place.send(hit, at: "2024-05-14T\(time):00Z")
      let (asked, counted) = try await both(place, view, number, now: now)
      #expect(asked == counted, "\(hit)")
    }
    #expect(try kept(place, view, number) === first, "not recounted")
    #expect(first.places.count == 6)
    try await place.close()
  }

  @Test func `a hit of yesterday changes the state of its user today`() async throws {
    let place = try Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC")
    let (number, now) = (day("2024-05-15").number, milliseconds("2024-05-15T03:00:00Z"))
    try await place.send("cid=1&t=screenview&cd=A&cs=old", at: "2024-05-14T12:00:00Z")
    try await place.send("cid=1&t=screenview&cd=A", at: "2024-05-15T01:00:00Z")
    try await place.send("cid=2&t=screenview&cd=A", at: "2024-05-15T01:00:00Z")
    _ = try await both(place, view, number, now: now)
    let first = try #require(try kept(place, view, number))
    try await place.send("cid=1&t=screenview&cd=A&cs=new&qt=7200000", at: "2024-05-15T01:30:00Z")
    let (asked, counted) = try await both(place, view, number, now: now)
    #expect(asked == counted)
    #expect(try await place.rows(view, .acquisition, "2024-05-15")[["new", "(not set)", "(not set)"]] == [1])
    #expect(try kept(place, view, number) === first, "not recounted")
    // Once yesterday is sealed, its list of changed users is gone.
    try await place.send("cid=2&t=screenview&cd=A&cs=mail&qt=14400000", at: "2024-05-15T03:59:00Z")
    try await place.seal([view], at: "2024-05-15T04:10:00Z")
    let later = try await both(place, view, number, now: milliseconds("2024-05-15T05:00:00Z"))
    #expect(later.0 == later.1)
    #expect(try await place.rows(view, .acquisition, "2024-05-15")[["mail", "(not set)", "(not set)"]] == [1])
    try await place.close()
  }

  @Test func `an incremental count equals a recount for any hits in any order`() async throws {
    var generator = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0...UInt64.max, using: &generator)
    print("live view seed \(seed)")
    var random = FastGenerator(seed: seed)
    var place = try Place()
    try place.define(.user, at: "2024-05-01T00:00:00Z")
    let filter = try #require(ViewFilter("av!=1"))
    let view = try place.catalog.createView(
      app: place.app.id, name: "V", timeZone: "UTC", filters: [filter], settings: ViewSettings(campaignDays: 1))
    var now = milliseconds("2024-05-14T20:00:00Z")
    for step in 0..<60 {
      now += Int64.random(in: 1...1_800_000, using: &random)
      let hits = (0..<Int.random(in: 1...4, using: &random)).map { _ in hit(&random) }
      try await place.send(hits, received: Timestamp(millisecondsSince1970: now))
      if step % 20 == 15 {
        try await place.close()
        place = try Place(copying: place.directory)
      }
      if step == 40 { try await place.warehouse.sealDays(of: [view], now: Timestamp(millisecondsSince1970: now)) }
      if Bool.random(using: &random) { continue }
      let today = Int(now / 86_400_000)
      for number in today - 1...today {
        let (asked, counted) = try await both(place, view, number, now: now)
        #expect(asked == counted, "step \(step), \(Day(number: number)), seed \(seed)")
      }
    }
    try await place.close()
  }

  private func hit(_ random: inout FastGenerator) -> String {
    let kinds = [
      "t=screenview&cd=S\(Int.random(in: 0..<4, using: &random))", Self.event,
      "\(Self.event)&pa=purchase&ti=t\(Int.random(in: 0..<4, using: &random))&tr=3&pr1nm=P", "t=exception&exd=E",
      "\(Self.event)&pa=refund&ti=t\(Int.random(in: 0..<4, using: &random))", "t=timing&utc=a&utv=b&utt=5",
    ]
    let more = ["", "", "&cs=c\(Int.random(in: 0..<3, using: &random))", "&cd3=v", "&sc=end", "&av=1"]
    let waits = [0, Int.random(in: 0...3_600_000, using: &random), Int.random(in: 0...30_000_000, using: &random)]
    return "cid=\(Int.random(in: 0..<5, using: &random))&\(kinds.randomElement(using: &random) ?? "")"
      + "\(more.randomElement(using: &random) ?? "")&qt=\(waits.randomElement(using: &random) ?? 0)"
  }

  @Test func `a table that discards rows because the day has too many keeps the same keys`() {
    var whole = DayTables()
    var (screens, flow) = (DayTables(), DayTables())
    for user in 0..<UInt32(6_000) {
      let name = "k\((user &* 7_919) % 6_000)"
      for key in [[name], ["all"]] {
        whole.add(.exits, key, [1], user: user)
        screens.add(.exits, key, [1], user: user)
      }
      screens.shrink(to: 5_500)
      let way = [user < 3_000 ? "01" : "02", "screen", name, user % 2 == 0 ? "exit" : "screen", "x"]
      whole.add(.flow, way, [1], user: user)
      flow.add(.flow, way, [1], user: user)
      flow.shrink(to: 2_000)
    }
    for (tables, table) in [(screens, ViewTable.exits), (flow, .flow)] {
      #expect(tables.isLimited && !whole.isLimited && tables.count <= 5_500)
      let (left, right) = (whole.finished([table])[table], tables.finished([table])[table])
      #expect(left?.mapValues(\.numbers) == right?.mapValues(\.numbers), "\(table)")
      #expect(left?.mapValues(\.users.elements) == right?.mapValues(\.users.elements), "\(table)")
    }
    #expect(whole.finished([.exits])[.exits]?[["(other)"]]?.numbers == [1_001])
    #expect(whole.finished([.exits])[.exits]?.count == 5_001)
  }

  @Test func `sums that were clamped are not subtracted from`() {
    var builder = ViewDayBuilder(filters: []) { _ in 0 }
    func hit(_ slot: UInt32) -> ViewHit {
      ViewHit(
        id: Int64(slot), time: 1_715_680_000_000, received: 0, slot: slot, user: "", device: .init(),
        parameters: ["t": "transaction", "ti": "A", "tr": "9000000000000"])
    }
    builder.add(portion: [hit(1)])
    #expect(builder.isReversible)
    builder.remove([hit(1)], of: 1, nil)
    #expect(builder.finished().encodedMetrics == ViewDay().encodedMetrics && builder.isReversible)
    builder.add(portion: [hit(1), hit(2)])
    #expect(!builder.isReversible)
  }
}
