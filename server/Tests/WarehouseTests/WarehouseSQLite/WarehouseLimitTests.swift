import Foundation
import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import RowFiles
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Limits against hostile or careless clients.
@Suite struct WarehouseLimitTests {
  private static let days = day("2026-05-01")...day("2026-05-30")

  private func open(
    zone: String = "UTC", _ configuration: WarehouseConfiguration = WarehouseConfiguration()
  ) throws -> (TemporaryDirectory, SQLiteWarehouse, AppID) {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player", timeZone: zone).id
    return (
      directory, try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration), app
    )
  }

  @Test func `a receipt says about how many bytes a batch takes on disk, whatever was sent`() async throws {
    let directory = try TemporaryDirectory()
    let app = try Catalog(directory: directory.path).createApp(name: "A").id
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: Catalog(directory: directory.path))
    func rowBytes() throws -> Int {
      try FileManager.default.subpathsOfDirectory(atPath: directory.path + "/rows").reduce(0) { sum, name in
        let size = try FileManager.default.attributesOfItem(atPath: "\(directory.path)/rows/\(name)")[.size]
        return sum + ((size as? Int) ?? 0)
      }
    }
    for (length, share) in [(0, 0.15...1.1), (100, 0.6...1.1), (10_000, 0.95...1.05)] {
      let before = try rowBytes()
      let value = Properties.Element(name: "p", value: .string(String(repeating: "x", count: length)))
      let names = (0..<500).map { _ in "Play" }
      let receipt = try await warehouse.commit(
        batch(names, firstKey: Int64(length) * 1_000, properties: [value]), app: app)
      #expect(receipt.newInstalls == (length == 0 ? 1 : 0))
      let stored = try Double(rowBytes() - before) / Double(receipt.bytes)
      #expect(share.contains(stored), "\(length): \(stored)")
    }
    // New users and devices take more space than the rows that name them.
    func fileBytes() throws -> Int {
      let database = try SQLDatabase(directory.path + "/warehouse.sqlite")
      return try rowBytes() + Int(database.integer("PRAGMA page_count") ?? 0) * 4_096
    }
    for kind in ["users", "devices"] {
      let before = try fileBytes()
      var charged = 0
      for part in 0..<8 {
        var batch = batch((0..<500).map { _ in "Play" }, firstKey: Int64(part + 1) * 1_000_000 + Int64(kind.count))
        if kind == "devices" { batch.devices = [] }
        for index in batch.events.indices {
          if kind == "users" {
            batch.events[index].user = "user \(UUID())"
          } else {
            batch.events[index].device = index
            var device = phone
            device.model = UUID().uuidString
            batch.devices.append(device)
          }
        }
        charged += try await warehouse.commit(batch, app: app).bytes
      }
      let stored = try Double(fileBytes() - before) / Double(charged)
      #expect((0.4...1.2).contains(stored), "\(kind): \(stored)")
    }
    try await warehouse.close()
  }

  @Test func `property values beyond the cap are counted together, even after reopening`() async throws {
    let (directory, warehouse, app) = try open()
    var batch = batch(Array(repeating: "a", count: PropertyPack.maximumValues + 10))
    for index in batch.events.indices {
      batch.events[index].time = timestamp("2026-05-04T10:00:00Z")
      batch.events[index].properties = [Properties.Element(name: "id", value: .string("value \(index)"))]
    }
    _ = try await warehouse.commit(batch, app: app)
    try await warehouse.close()
    let catalog = try Catalog(directory: directory.path)
    let reopened = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    batch.events = Array(batch.events.suffix(20))
    _ = try await reopened.commit(batch, app: app)
    try await reopened.flush()
    let metrics = try #require(
      try await reopened.reader.properties(app: app, event: "a", days: Self.days, limit: 5).first)
    #expect(metrics.isCapped)
    #expect(metrics.count == PropertyPack.maximumValues + 30)
    #expect(metrics.values.first == KeyTotals(key: "(other)", count: 20, users: 1))
    #expect(metrics.values.dropFirst().map(\.count) == [2, 2, 2, 2])
    #expect(try await reopened.reader.verify().isClean)
    try await reopened.close()
  }

  @Test func `properties of an event beyond the cap are stored but not counted, even after reopening`() async throws {
    let (directory, warehouse, app) = try open()
    let names = (0..<PropertyAccumulator.maximumPropertiesPerEvent + 20).map { "property \($0)" }
    let properties = names.map { Properties.Element(name: $0, value: .integer(1)) }
    _ = try await warehouse.commit(batch(["a"], properties: Array(properties.prefix(200))), app: app)
    try await warehouse.close()
    let reopened = try SQLiteWarehouse(directory: directory.path, catalog: Catalog(directory: directory.path))
    for _ in 0..<2 { _ = try await reopened.commit(batch(["a"], properties: properties.reversed()), app: app) }
    try await reopened.flush()
    let metrics = try await reopened.reader.properties(app: app, event: "a", days: Self.days, limit: 5)
    #expect(metrics.count == PropertyAccumulator.maximumPropertiesPerEvent)
    #expect(metrics.filter { $0.count == 3 }.count == 200)
    #expect(try await reopened.reader.recent(app: app, limit: 1).first?.properties.count == names.count)
    #expect(try await reopened.reader.verify().isClean)
    try await reopened.close()
  }

  @Test func `unusual texts, times and sizes are stored and counted`() async throws {
    let (directory, warehouse, app) = try open(zone: "America/New_York")
    let names = [
      "", "\0", "'; DROP TABLE daily_count; --", "(other)", String(repeating: "é", count: 2_000),
      "👩‍👩‍👧‍👦", "\u{202E}x",
    ]
    let long = String(repeating: "ü", count: 5_000)
    let properties = [
      Properties.Element(name: "", value: .string("")), Properties.Element(name: long, value: .string(long)),
      Properties.Element(name: "n", value: .integer(.min)), Properties.Element(name: "d", value: .double(.nan)),
      Properties.Element(name: "t", value: .date(Timestamp(millisecondsSince1970: .max))),
    ]
    var batch = batch(names, install: String(repeating: "i", count: 10_000), firstKey: 5, properties: properties)
    batch.events[0].time = Timestamp(millisecondsSince1970: .min)
    batch.events[1].time = Timestamp(millisecondsSince1970: .max)
    batch.events[3].duplicateKey = DuplicateKey(milliseconds: .max, hash: .max)
    batch.events[4].session = .min
    #expect(try await warehouse.commit(batch, app: app).accepted == names.count)
    #expect(try await warehouse.commit(batch, app: app).duplicates == Array(names.indices))
    try await warehouse.flush()
    let all = Day(number: -800_000)...Day(number: 3_000_000)
    #expect(try await warehouse.reader.total(app: app, dimension: .total, key: "", days: all).count == names.count)
    #expect(try await warehouse.reader.recent(app: app, limit: 100).count == names.count)
    #expect(try await warehouse.reader.properties(app: app, event: "\0", days: all, limit: 5).count == 5)
    #expect(try await warehouse.reader.verify().isClean)
    // Clients must not be able to choose how many files there are.
    #expect(try RowSegment.numbers(in: directory.path + "/rows") == [1])
    try await warehouse.close()
    _ = directory
  }

  @Test func `made-up drop counts saturate at the largest number, within a day and across days`() async throws {
    let (directory, warehouse, app) = try open()
    func report(_ day: String, _ key: Int64) async throws {
      let claim = [Properties.Element(name: "queue_full", value: .integer(.max))]
      let batch = batch([""], at: "\(day)T10:00:00Z", firstKey: key, kind: .drops, properties: claim)
      _ = try await warehouse.commit(batch, app: app)
    }
    for (index, day) in ["2026-05-04", "2026-05-05"].enumerated() { try await report(day, Int64(index)) }
    try await warehouse.flush()
    // Billions of such reports are possible, but would take too long for a test.
    try await warehouse.counting.perform { try $0.connection.execute("UPDATE daily_count SET n = \(Int64.max - 5)") }
    try await report("2026-05-04", 2)
    try await warehouse.flush()
    let daily = try await warehouse.reader.dailyCounts(app: app, dimension: .dropped, days: Self.days)
    #expect(daily.map(\.count) == [.max, .max - 5])
    let rounded = try await warehouse.reader.reading {
      try $0.integer("SELECT count(*) FROM daily_count WHERE typeof(n) <> 'integer'")
    }
    #expect(rounded == 0)
    #expect(
      try await warehouse.reader.totals(app: app, dimension: .dropped, days: Self.days, limit: nil).map(\.count) == [
        .max
      ])
    #expect(
      try await warehouse.reader.total(app: app, dimension: .dropped, key: "queue_full", days: Self.days).count == .max)
    try await warehouse.close()
    _ = directory
  }

  @Test func `a key with the earliest possible time is stored and expires without harm`() async throws {
    let (directory, warehouse, app) = try open()
    var batch = batch(["a"], firstKey: 1)
    batch.events[0].duplicateKey = DuplicateKey(milliseconds: .min, hash: .min)
    #expect(try await warehouse.commit(batch, app: app).accepted == 1)
    try await warehouse.flush()
    try await warehouse.close()
    let reopened = try SQLiteWarehouse(directory: directory.path, catalog: Catalog(directory: directory.path))
    #expect(try await reopened.reader.total(app: app, dimension: .total, key: "", days: Self.days).count == 1)
    #expect(try await reopened.reader.verify().isClean)
    try await reopened.close()
  }

  @Test func `keys of many different days are still recognized`() async throws {
    let (directory, warehouse, app) = try open(WarehouseConfiguration(pendingKeys: 300))
    for round in 0..<2 {
      for part in 0..<10 {
        var batch = batch(Array(repeating: "a", count: 150), firstKey: 1)
        for index in batch.events.indices {
          // From the day of receipt on, because keys of events too old to be redelivered expire.
          let day = Int64(part * 150 + index)
          let milliseconds = batch.received.millisecondsSince1970 + day * 86_400_000
          batch.events[index].duplicateKey = DuplicateKey(milliseconds: milliseconds, hash: day &* 7_919)
        }
        let receipt = try await warehouse.commit(batch, app: app)
        #expect(receipt.accepted == (round == 0 ? 150 : 0))
      }
    }
    try await warehouse.close()
    _ = directory
  }

  @Test func `a batch for an unknown app, or an inconsistent one, is refused`() async throws {
    let (directory, warehouse, app) = try open()
    let unknown = await #expect(throws: WarehouseError.self) {
      try await warehouse.commit(batch(["a"]), app: AppID(99))
    }
    #expect(unknown?.code == .unknownApp)
    var wrong = batch(["a"])
    wrong.events[0].install = 7
    let refused = wrong
    let invalid = await #expect(throws: WarehouseError.self) {
      try await warehouse.commit(refused, app: app)
    }
    #expect(invalid?.code == .invalid)
    try await warehouse.close()
    let closed = await #expect(throws: WarehouseError.self) { try await warehouse.commit(batch(["a"]), app: app) }
    #expect(closed?.code == .unavailable)
    _ = directory
  }

  @Test func `rejections are counted by protocol and reason, with a few samples`() async throws {
    let (directory, warehouse, app) = try open()
    var batch = batch([])
    batch.rejections = (0..<25).map {
      Rejection(index: $0, id: "e\($0)", reason: "name_missing", message: "Add a name.")
    }
    _ = try await warehouse.commit(batch, app: app)
    _ = try await warehouse.commit(batch, app: app)
    let dropped = try await warehouse.reader.dailyCounts(app: app, dimension: .dropped, days: Self.days)
    #expect(dropped == [DailyCount(day: day("2026-05-04"), key: "rejected:name_missing", count: 50)])
    try await warehouse.perform {
      let samples = try $0.connection.integer("SELECT count(*) FROM reject_sample")
      #expect(samples == 10)
    }
    try await warehouse.close()
    _ = directory
  }

  @Test func `a hit after half an hour of silence begins a session, even after a restart`() async throws {
    let (directory, warehouse, app) = try open()
    func hit(_ time: String) -> IncomingBatch {
      var batch = batch(["view"], at: time, kind: .screen)
      batch.source = .measurement
      return batch
    }
    for time in ["10:00:00", "10:30:00", "11:00:01", "10:40:00", "11:30:00"] {
      _ = try await warehouse.commit(hit("2026-05-04T\(time)Z"), app: app)
    }
    try await warehouse.close()
    let reopened = try SQLiteWarehouse(directory: directory.path, catalog: Catalog(directory: directory.path))
    for time in ["12:00:00", "12:30:01"] { _ = try await reopened.commit(hit("2026-05-04T\(time)Z"), app: app) }
    try await reopened.flush()
    #expect(try await reopened.reader.total(app: app, dimension: .session, key: "", days: Self.days).count == 3)
    #expect(try await reopened.reader.verify().isClean)
    try await reopened.close()
  }
}
