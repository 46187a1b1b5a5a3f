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

/// Views stay fast and small whatever hits arrive.
@Suite struct ViewLimitTests {
  private typealias Place = ViewMemoryTests.Place

  @Test func `a hit from 1972 does not make a view read all the days since`() async throws {
    let place = try Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "America/New_York")
    try await place.send("cid=1&t=screenview&cd=Old", at: "1972-03-01T12:00:00Z")
    try await place.send("cid=1&t=screenview&cd=New", at: "2024-05-14T12:00:00Z")
    try await place.send("cid=2&t=screenview&cd=New", at: "2024-05-14T12:00:00Z")
    let now = milliseconds("2024-05-14T13:00:00Z")
    let busy = try await place.warehouse.reader.withTurn(view, now: now) { try $0.busyDays.get() }
    #expect(busy.count <= 10 && busy.contains(day("1972-03-01").number) && busy.contains(day("2024-05-14").number))
    let metrics = try await place.warehouse.reader.viewMetrics(
      view, days: day("2024-05-13")...day("2024-05-14"), tables: [.screens], now: now)
    #expect(metrics.days.map(\.totals.hits) == [0, 2])
    #expect(metrics.users == 2 && metrics.newUsers == 1 && metrics.returningUsers == 1)
    #expect(try await place.warehouse.reader.viewRealtime(view, now: now).newUsers == 0)
    let old = try await place.warehouse.reader.viewMetrics(
      view, days: day("1972-03-01")...day("1972-03-01"), tables: [.screens], now: now)
    #expect(old.tables[.screens]?.map(\.key) == [["Old"]])
    try await place.seal([view], at: "2024-05-16T13:00:00Z")
    let sealed = try await place.warehouse.reader.withTurn(view, now: now) { try $0.busyDays.get() }
    #expect(sealed.filter { $0 <= day("2024-05-14").number }.count == 2, "of sealed days only those with users")
    try await place.close()
  }

  @Test func `a day with only distinct values needs little memory and counts all hits`() throws {
    var builder = ViewDayBuilder(filters: []) { _ in 0 }
    let start = milliseconds("2024-05-14T10:00:00Z")
    var largest = 0
    for portion in 0..<30 {
      builder.add(
        portion: (0..<2_000).map { index in
          let number = portion * 2_000 + index
          return ViewHit(
            id: Int64(number), time: start, received: start, slot: UInt32(number), user: "", device: IncomingDevice(),
            parameters: [
              "t": "screenview", "cd": "screen \(number)", "av": "version \(number)", "an": "app \(number)",
              "cn": "campaign \(number)", "cd1": "value \(number)", "dm": "model \(number)", "aid": "id \(number)",
            ])
        })
      largest = max(largest, builder.byteCount)
      #expect(builder.tables.count <= DayTables.heldRows)
    }
    #expect(largest < 96 << 20, "\(largest) bytes")
    let day = builder.finished(tables: [.screens, .acquisition]) { _ in nil }
    #expect(day.totals.hits == 60_000 && day.users.count == 60_000)
    for table in [ViewTable.screens, .acquisition] {
      let rows = day.tables[table] ?? [:]
      #expect(rows.count == ViewDay.maximumKeys + 1)
      #expect(rows.values.reduce(0) { $0 + $1.numbers[0] } == 60_000)
      let other = Array(repeating: "(other)", count: table.parts)
      #expect(rows[other]?.users.count == 55_000)
    }
    #expect(rows(day, .screens)["screen 4999"] == 1 && rows(day, .screens)["screen 5000"] == nil)
  }

  @Test(arguments: [1, 40, 5_000] as [UInt32])
  func `the keys that a day keeps do not depend on when it discards others`(users: UInt32) {
    var (whole, parts) = (DayTables(), DayTables())
    for user in 0..<users {
      for part in 0..<3 {
        var rows = DayTables()
        for index in 0..<Int(12_000 / users) {
          // Names in random order, some of them repeated.
          let number = (Int(user) * 7_919 + part * 4_001 + index * 104_729) % 15_000
          for tables in [ViewTable.exits, .social] {
            rows.add(tables, Array(repeating: "k\(number)", count: tables.parts), [1], user: user)
            whole.add(tables, Array(repeating: "k\(number)", count: tables.parts), [1], user: user)
          }
        }
        parts.merge(rows, limit: 11_000)
      }
    }
    #expect(parts.isLimited && !whole.isLimited)
    for table in [ViewTable.exits, .social] {
      let (left, right) = (whole.finished([table])[table], parts.finished([table])[table])
      #expect(left?.count == ViewDay.maximumKeys + 1)
      #expect(left?.mapValues(\.numbers) == right?.mapValues(\.numbers), "\(table)")
      #expect(left?.mapValues(\.users.elements) == right?.mapValues(\.users.elements), "\(table)")
    }
  }

  private func rows(_ day: ViewDay, _ table: ViewTable) -> [String: SaturatingInt64] {
    Dictionary(uniqueKeysWithValues: (day.tables[table] ?? [:]).map { ($0.key[0], $0.value.numbers[0]) })
  }

  @Test func `counted days stay within their limit of bytes, and the most recently used ones remain`() throws {
    let place = try Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC")
    let cache = ViewDayCache(capacity: 100_000)
    func key(_ day: Int) -> ViewDayCache.Key { ViewDayCache.Key(view: view, rules: CustomRules(), day: day) }
    for day in 0..<1_000 {
      cache.keep(ViewDayCache.Entry(present: [0], metrics: Array(repeating: 0, count: day)), for: key(day))
      #expect(cache.byteCount <= 100_000)
      #expect(cache.entry(key(0)) != nil, "asked for again and again")
    }
    #expect(cache.entry(key(999)) != nil && cache.entry(key(1)) == nil)
    cache.keep(ViewDayCache.Entry(present: [], metrics: Array(repeating: 0, count: 200_000)), for: key(5_000))
    #expect(cache.byteCount <= 100_000)
  }

  @Test func `a view that exceeds the limit is recounted correctly`() async throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    var configuration = WarehouseConfiguration()
    configuration.viewCacheBytes = 10
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    let app = try catalog.createApp(name: "A", trackingID: "UA-1-1").id
    let view = try catalog.createView(app: app, name: "V", timeZone: "UTC")
    let day = day("2024-05-14")
    for (count, time) in [(1, "10:00"), (2, "10:01"), (3, "10:02")] {
      let hit = "v=1&tid=UA-1-1&cid=c\(count)&t=screenview&cd=S"
      let received = timestamp("2024-05-14T\(time):00Z")
      for batch in MeasurementParser.collect(hit, received: received, key: DuplicateHashKey(1, 2)) {
        _ = try await warehouse.commit(batch.batch, app: app)
      }
      let metrics = try await warehouse.reader.viewMetrics(
        view, days: day...day, tables: [.screens], now: milliseconds("2024-05-14T11:00:00Z"))
      #expect(metrics.users == count && metrics.totals.hits == SaturatingInt64(count))
      #expect(warehouse.storageStatus.viewCacheBytes <= 10)
    }
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `sealing stops when its task is cancelled`() async throws {
    let place = try Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC")
    try await place.send("cid=1&t=screenview&cd=A", at: "2024-05-14T12:00:00Z")
    let now = milliseconds("2024-06-14T12:00:00Z")
    let reader = place.warehouse.reader
    #expect(try await reader.unsealedDays(view, now: now, oldest: .max, limit: 20).count == 20)
    let step = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await reader.unsealedDays(view, now: now, oldest: .max, limit: 20).count
    }
    #expect(try await step.value == 0)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await place.warehouse.sealDays(of: [view], now: timestamp("2024-06-14T12:00:00Z"))
    }
    #expect(try await task.value == 0)
    try await place.close()
  }
}
