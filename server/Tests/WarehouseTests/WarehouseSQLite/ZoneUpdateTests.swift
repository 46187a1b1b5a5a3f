import Foundation
import GRDB
import Ingest
import ServerBase
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Newer zone data: Vancouver did not change its clocks on 1 November 2026 (edition 2026a and later).
@Suite struct ZoneUpdateTests {
  private static let zone = "America/Vancouver"
  /// 23:30 on the 27th by the old data, 0:30 on the 28th by the new ones.
  private static let moved = "2026-11-28T07:30:00Z"

  private let (old, new): (ZoneDatabase, ZoneDatabase)
  private let folders: [String]

  init() throws {
    let spring = ZoneTable.Change(second: milliseconds("2026-03-08T10:00:00Z") / 1_000, offset: -25_200)
    let autumn = ZoneTable.Change(second: milliseconds("2026-11-01T09:00:00Z") / 1_000, offset: -28_800)
    let editions = [("2025b", [spring, autumn]), ("2026f", [spring]), ("2026g", [spring, autumn])]
    folders = try editions.map { edition, changes in
      let folder = FileManager.default.temporaryDirectory.path + "/tern-warehouse-\(UUID().uuidString)"
      for (name, table) in [
        (Self.zone, ZoneTable(first: -28_800, changes: changes, rule: nil)),
        ("Europe/Berlin", ZoneTable(offset: 3_600)),
      ] {
        let file = URL(fileURLWithPath: "\(folder)/\(name)")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(try #require(table).file).write(to: file)
      }
      try Data("# version \(edition)\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/tzdata.zi"))
      return folder
    }
    (old, new) = (ZoneDatabase(folders: [folders[0]]), ZoneDatabase(folders: [folders[1]]))
  }

  private func removeFolders() { for folder in folders { try? FileManager.default.removeItem(atPath: folder) } }

  private func open(_ directory: TemporaryDirectory, _ zones: ZoneDatabase) throws -> (Catalog, SQLiteWarehouse) {
    let catalog = try Catalog(directory: directory.path, zones: zones)
    return (catalog, try SQLiteWarehouse(directory: directory.path, catalog: catalog))
  }

  private func send(_ cid: String, _ received: String, _ warehouse: SQLiteWarehouse, _ app: AppID) async throws {
    let batches = MeasurementParser.collect(
      "v=1&tid=UA-1-1&cid=\(cid)&t=screenview&cd=A", received: timestamp(received), key: DuplicateHashKey(1, 2))
    for batch in batches { _ = try await warehouse.commit(batch.batch, app: app) }
  }

  private func update(_ catalog: Catalog, _ warehouse: SQLiteWarehouse) async throws -> ZoneUpdate {
    try await warehouse.flush()
    return try catalog.takeZoneData(
      rowTimes: try await warehouse.reader.rowTimes(), lastSealed: try await warehouse.reader.lastSealedDays())
  }

  private func screens(_ warehouse: SQLiteWarehouse, _ app: AppID) async throws -> [Int] {
    var counts: [Int] = []
    for text in ["2026-11-27", "2026-11-28"] {
      counts.append(try await warehouse.reader.count(app: app, dimension: .screen, days: day(text)...day(text)))
    }
    return counts
  }

  @Test func `an app's days that the new data move are counted again, once`() async throws {
    defer { removeFolders() }
    let directory = try TemporaryDirectory()
    var (catalog, warehouse) = try open(directory, old)
    let app = try catalog.createApp(name: "A", timeZone: Self.zone, trackingID: "UA-1-1").id
    let far = try catalog.createApp(name: "B", timeZone: "Europe/Berlin", trackingID: "UA-1-2").id
    try await send("c", Self.moved, warehouse, app)
    #expect(try await update(catalog, warehouse) == ZoneUpdate(), "the same data")
    #expect(try await screens(warehouse, app) == [1, 0])
    try await warehouse.close()
    try catalog.close()

    (catalog, warehouse) = try open(directory, new)
    // Until the new data are taken, every process counts by the old ones.
    #expect(try await warehouse.reader.verify().isClean)
    #expect(try await update(catalog, warehouse) == ZoneUpdate(apps: [app]))
    let job = try #require(try catalog.nextJob())
    #expect(job.kind == .changeZone && job.app == app)
    #expect(try catalog.app(app)?.zone.source.version == "2026f" && catalog.app(far)?.zone.source.version == "2026f")
    try await warehouse.recountDays(of: app) { _, _ in }
    #expect(try await screens(warehouse, app) == [0, 1])
    try await send("d", Self.moved, warehouse, app)
    try await warehouse.flush()
    #expect(try await screens(warehouse, app) == [0, 2])
    #expect(try await warehouse.reader.verify().isClean)
    try catalog.finishJob(job.id, DataJob.Result(message: "Done."))
    #expect(try await update(catalog, warehouse) == ZoneUpdate(), "taken once")
    try await warehouse.close()
    try catalog.close()
    // A computer with older data doesn't take them back.
    (catalog, warehouse) = try open(directory, old)
    #expect(try await update(catalog, warehouse) == ZoneUpdate())
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `days of an earlier version, counted by the data of Swift's runtime, are counted by those of the system`()
    async throws
  {
    defer { removeFolders() }
    let directory = try TemporaryDirectory()
    var (catalog, warehouse) = try open(directory, ZoneDatabase(folders: []))
    let app = try catalog.createApp(name: "A", timeZone: Self.zone, trackingID: "UA-1-1").id
    _ = try catalog.createView(app: app, name: "V", timeZone: Self.zone)
    try await send("c", Self.moved, warehouse, app)
    try await warehouse.close()
    // Such a catalog names no data.
    try await catalog.pool.write {
      try $0.execute(sql: "UPDATE app SET zone_data = NULL; UPDATE view_zone SET zone_data = NULL")
    }
    try catalog.close()
    (catalog, warehouse) = try open(directory, new)
    #expect(try catalog.app(app)?.zone.source == .builtIn)
    #expect(try await screens(warehouse, app) == [1, 0], "edition 2025b knows nothing of the year 2026")
    #expect(try await warehouse.reader.verify().isClean)
    #expect(try await update(catalog, warehouse) == ZoneUpdate(apps: [app], views: [ViewID(1)]))
    try await warehouse.recountDays(of: app) { _, _ in }
    #expect(try await screens(warehouse, app) == [0, 1])
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `an app without rows in the hours that differ only gets the new data`() async throws {
    defer { removeFolders() }
    let directory = try TemporaryDirectory()
    var (catalog, warehouse) = try open(directory, old)
    let app = try catalog.createApp(name: "A", timeZone: Self.zone, trackingID: "UA-1-1").id
    try await send("c", "2026-06-01T07:30:00Z", warehouse, app)
    try await warehouse.close()
    try catalog.close()
    (catalog, warehouse) = try open(directory, new)
    #expect(try await update(catalog, warehouse) == ZoneUpdate())
    #expect(try catalog.app(app)?.zone.source.version == "2026f" && catalog.nextJob() == nil)
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `sealed days of a view stay as they were counted, and later ones follow the new data`() async throws {
    defer { removeFolders() }
    let directory = try TemporaryDirectory()
    var (catalog, warehouse) = try open(directory, old)
    let app = try catalog.createApp(name: "A", trackingID: "UA-1-1").id
    let sealed = try catalog.createView(app: app, name: "S", timeZone: Self.zone)
    let open = try catalog.createView(app: app, name: "O", timeZone: Self.zone, lateness: .none)
    // 23:30 on the 20th by the old data, which are sealed with the day; then the same hour a week later.
    for time in ["2026-11-21T07:30:00Z", Self.moved] { try await send("c", time, warehouse, app) }
    try await warehouse.flush()
    let now = "2026-11-28T10:00:00Z"
    #expect(try await warehouse.sealDays(of: [sealed, open], now: timestamp(now)) > 0)
    #expect(try await warehouse.reader.lastSealedDays() == [sealed.id: day("2026-11-26")])
    try await warehouse.close()
    try catalog.close()

    (catalog, warehouse) = try self.open(directory, new)
    #expect(try await update(catalog, warehouse).views == [sealed.id, open.id])
    #expect(try await update(catalog, warehouse).views == [])
    func days(_ id: ViewID) async throws -> [SaturatingInt64] {
      let view = try #require(try catalog.view(id))
      return try await warehouse.reader.viewMetrics(
        view, days: day("2026-11-20")...day("2026-11-28"), tables: [], now: milliseconds(now)
      ).days.map(\.totals.hits)
    }
    #expect(
      try await days(sealed.id) == [1, 0, 0, 0, 0, 0, 0, 0, 1], "the 20th is sealed; the other hit is one of the 28th")
    #expect(try await days(open.id) == [0, 1, 0, 0, 0, 0, 0, 0, 1])
    let zones = try #require(try catalog.view(sealed.id)).zones
    #expect(zones.map(\.rules.source.version) == ["2025b", "2026f"])
    #expect(zones.last?.start == timestamp("2026-11-27T08:00:00Z"), "the end of the last sealed day")
    #expect(try await warehouse.sealDays(of: try catalog.views(), now: timestamp("2026-12-05T00:00:00Z")) > 0)
    #expect(try await days(sealed.id) == [1, 0, 0, 0, 0, 0, 0, 0, 1])
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `a sealed day takes no hits from the next one, where newer data move clocks back`() async throws {
    defer { removeFolders() }
    let directory = try TemporaryDirectory()
    var (catalog, warehouse) = try open(directory, new)
    let app = try catalog.createApp(name: "A", trackingID: "UA-1-1").id
    let view = try catalog.createView(app: app, name: "S", timeZone: Self.zone)
    try await send("c", "2026-11-26T20:00:00Z", warehouse, app)
    try await warehouse.flush()
    #expect(try await warehouse.sealDays(of: [view], now: timestamp("2026-11-28T00:00:00Z")) > 0)
    #expect(try await warehouse.reader.lastSealedDays() == [view.id: day("2026-11-26")])
    // 0:30 on the 27th by the old data, 23:30 on the 26th by the newer ones.
    for time in ["2026-11-27T07:30:00Z", "2026-11-27T20:00:00Z"] { try await send("c", time, warehouse, app) }
    try await warehouse.close()
    try catalog.close()

    (catalog, warehouse) = try open(directory, ZoneDatabase(folders: [folders[2]]))
    #expect(try await update(catalog, warehouse).views == [view.id])
    let changed = try #require(try catalog.view(view.id))
    func hits() async throws -> [SaturatingInt64] {
      try await warehouse.reader.viewMetrics(
        changed, days: day("2026-11-26")...day("2026-11-28"), tables: [], now: milliseconds("2026-11-28T10:00:00Z")
      ).days.map(\.totals.hits)
    }
    #expect(try await hits() == [1, 2, 0])
    #expect(try await warehouse.sealDays(of: [changed], now: timestamp("2026-12-05T00:00:00Z")) > 0)
    #expect(try await hits() == [1, 2, 0])
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `files that name no edition are taken when they have changed, and a zone that they lack is named`()
    async throws
  {
    defer { removeFolders() }
    for folder in folders { try FileManager.default.removeItem(atPath: folder + "/tzdata.zi") }
    let directory = try TemporaryDirectory()
    var (catalog, warehouse) = try open(directory, ZoneDatabase(folders: [folders[0]]))
    let app = try catalog.createApp(name: "A", timeZone: Self.zone, trackingID: "UA-1-1").id
    try await send("c", Self.moved, warehouse, app)
    #expect(try await update(catalog, warehouse) == ZoneUpdate())
    try await warehouse.close()
    try catalog.close()
    let file = "/\(Self.zone)"
    try FileManager.default.removeItem(atPath: folders[0] + file)
    try FileManager.default.copyItem(atPath: folders[1] + file, toPath: folders[0] + file)
    (catalog, warehouse) = try open(directory, ZoneDatabase(folders: [folders[0]]))
    #expect(try await update(catalog, warehouse) == ZoneUpdate(apps: [app]))
    #expect(try await update(catalog, warehouse) == ZoneUpdate(), "taken once")
    try await warehouse.close()
    try catalog.close()
    try FileManager.default.removeItem(atPath: folders[0] + file)
    (catalog, warehouse) = try open(directory, ZoneDatabase(folders: [folders[0]]))
    #expect(try await update(catalog, warehouse) == ZoneUpdate(missing: [Self.zone]))
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `another name of the same zone counts no day again`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "A", timeZone: "Asia/Calcutta").id
    #expect(try catalog.changeApp(app, AppChange(timeZone: "Asia/Kolkata")).recount == nil)
    #expect(try catalog.app(app)?.timeZone == "Asia/Kolkata" && catalog.nextJob() == nil)
    try catalog.close()
  }
}
