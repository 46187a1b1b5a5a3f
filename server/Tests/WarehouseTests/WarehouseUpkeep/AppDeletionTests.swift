import Foundation
import GRDB
import Ingest
import TernBase
import TernEvents
import Testing
import WarehouseContract

@testable import AppCatalog
@testable import RowFiles
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// The deletion of an app with everything.
@Suite struct AppDeletionTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog
  private let apps: [App]
  private let now = timestamp("2026-06-30T12:00:00Z")

  init() throws {
    directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    self.catalog = catalog
    apps = try (0..<3).map { try catalog.createApp(name: "App \($0)") }
    for app in apps { _ = try catalog.createView(app: app.id, name: "Web", timeZone: "UTC") }
  }

  private func open() throws -> SQLiteWarehouse {
    try SQLiteWarehouse(
      directory: directory.path, catalog: catalog,
      configuration: WarehouseConfiguration(spanRows: 50, segmentBytes: 5_000))
  }

  private func fill(_ warehouse: SQLiteWarehouse, _ apps: [App], batches: Int = 80) async throws {
    var traffic = RandomTraffic(
      seed: 21, apps: apps.map(\.id), center: timestamp("2026-05-04T12:00:00Z"), days: 10, isOrdered: true)
    for _ in 0..<batches {
      let (batch, app) = traffic.next()
      _ = try await warehouse.commit(batch, app: app)
    }
    try await warehouse.flush()
    try await warehouse.perform { try $0.finishHits() }
    try await warehouse.sealDays(of: try catalog.views(), now: now)
  }

  private func export(_ warehouse: SQLiteWarehouse, _ app: App) async throws -> String {
    var bytes: [UInt8] = []
    var cursor: ExportCursor? = .start
    let request = ExportRequest(app: app, format: .ndjson, server: "test")
    while let place = cursor {
      let page = try await warehouse.reader.exportPage(request, at: place)
      bytes += page.bytes
      cursor = page.next
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func delete(_ app: App, _ warehouse: SQLiteWarehouse) async throws {
    let job = try catalog.requestDeletion(of: app)
    try await warehouse.delete(app: app.id, views: try catalog.views(app: app.id).map(\.id))
    try catalog.finishDeletion(of: app.id, job: job.id, DataJob.Result(message: "done"))
  }

  /// The tables of the warehouse that have rows of an app or its view.
  private func tables(_ warehouse: SQLiteWarehouse, with app: App, view: Int64) async throws -> [String] {
    try await warehouse.reader.reading { connection in
      try connection.texts(
        """
        SELECT name FROM sqlite_schema WHERE type = 'table'
        UNION ALL SELECT name FROM counts.sqlite_schema WHERE type = 'table'
        """
      ).filter { table in
        let columns = try connection.texts("SELECT name FROM pragma_table_info('\(table)')")
        let number = app.id.rawValue
        if columns.contains("app") {
          return try connection.integer("SELECT count(*) FROM \(table) WHERE app = \(number)") ?? 0 > 0
        }
        guard columns.contains("view") else { return false }
        return try connection.integer("SELECT count(*) FROM \(table) WHERE view = \(view)") ?? 0 > 0
      }
    }
  }

  private func rows(_ warehouse: SQLiteWarehouse, of app: App) async throws -> Int {
    try await warehouse.reader.reading { connection in
      let scan = try EventScan(connection, after: 0)
      var count = 0
      while let row = try scan.next() { if row.app == app.id.rawValue { count += 1 } }
      return count
    }
  }

  private func rowBytes() throws -> Int {
    let path = directory.path + "/rows"
    return try FileManager.default.contentsOfDirectory(atPath: path).reduce(0) {
      $0 + (try CopiedFile.size("\(path)/\($1)"))
    }
  }

  @Test func `nothing of a deleted app remains, and nothing of other apps changes`() async throws {
    var warehouse = try open()
    try await fill(warehouse, apps)
    let others = [apps[0], apps[2]]
    let before = try await [export(warehouse, others[0]), export(warehouse, others[1])]
    let size = try rowBytes()
    #expect(try await tables(warehouse, with: apps[1], view: 2).count > 12)
    let sealed = try await tables(warehouse, with: apps[0], view: 1)
    try await delete(apps[1], warehouse)
    for isReopened in [false, true] {
      if isReopened {
        try await warehouse.close()
        warehouse = try open()
      }
      #expect(try await tables(warehouse, with: apps[1], view: 2) == [])
      #expect(try await rows(warehouse, of: apps[1]) == 0)
      #expect(try await [export(warehouse, others[0]), export(warehouse, others[1])] == before)
      #expect(try await tables(warehouse, with: apps[0], view: 1) == sealed)
      #expect(try await warehouse.reader.verify().differences == [])
    }
    #expect(try rowBytes() < size * 9 / 10)
    let orphans = try await warehouse.reader.reading { connection in
      try connection.integer(
        "SELECT count(*) FROM attachment_part WHERE attachment NOT IN (SELECT id FROM attachment)")
    }
    #expect(orphans == 0)
    #expect(try catalog.apps().map(\.id) == others.map(\.id))
    #expect(try catalog.views().map(\.app) == others.map(\.id))
    #expect(try catalog.audit(limit: 1).first?.action == "app deleted")
    // Sealed days of the others are still protected.
    await #expect(throws: WarehouseError.self) {
      try await warehouse.perform { try $0.connection.execute("DELETE FROM view_day") }
    }
    try await warehouse.close()
  }

  @Test func `every table of the catalog goes with an app or a view, but for those of the server`() throws {
    let others = try catalog.reading { database in
      let names = try ["app", "view"].flatMap { try Catalog.tables(with: $0, database) }
      return try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .filter { !names.contains($0) }
    }
    #expect(
      others == [
        "account", "app", "audit", "audit_pruning", "delivery", "failed_login", "identity", "login_code",
        "login_step", "notification", "recovery_code", "session", "setting", "sqlite_sequence", "zone_data",
      ])
  }

  @Test func `a user who saw a deleted app sees the other apps of the list, and none if there was no other`() throws {
    let lists: [Set<AppID>?] = [[apps[0].id, apps[1].id], [apps[1].id], nil, [apps[2].id]]
    for (index, list) in lists.enumerated() {
      _ = try catalog.invite(name: "user \(index)", role: .viewer, apps: list, seesPersonalData: false)
    }
    let job = try catalog.requestDeletion(of: apps[1])
    try catalog.finishDeletion(of: apps[1].id, job: job.id, DataJob.Result(message: "done"))
    let viewers = try catalog.accounts().filter { $0.role == .viewer }
    #expect(viewers.map(\.apps) == [[apps[0].id], [], nil, [apps[2].id]])
  }

  @Test func `the only app can be deleted, and a new one has none of its data`() async throws {
    let warehouse = try open()
    for app in apps.dropFirst() { try await delete(app, warehouse) }
    try await fill(warehouse, [apps[0]])
    try await delete(apps[0], warehouse)
    #expect(try rowBytes() == 0)
    let app = try catalog.createApp(name: "New")
    #expect(app.id > apps[2].id)
    _ = try await warehouse.commit(batch(["Play"], firstKey: 1), app: app.id)
    try await warehouse.flush()
    #expect(try await warehouse.reader.recent(app: app.id, limit: 10).map(\.name) == ["Play"])
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
    let again = try open()
    #expect(try await again.reader.verify().isClean)
    try await again.close()
  }

  @Test func `events of an app are refused while it is deleted, those of others are stored`() async throws {
    let warehouse = try open()
    try await fill(warehouse, apps)
    try await warehouse.perform { try $0.beginDeletion(of: 2) }
    let refused = await #expect(throws: WarehouseError.self) {
      try await warehouse.commit(batch(["Late"], firstKey: 1), app: apps[1].id)
    }
    #expect(refused?.code == .unknownApp)
    #expect(try await warehouse.commit(batch(["Play"], firstKey: 1), app: apps[0].id).accepted == 1)
    try await delete(apps[1], warehouse)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `a batch of an app that is being deleted does not make the others of its transaction wait`() async throws {
    let stored = Locked<[AppID]>([])
    var configuration = WarehouseConfiguration()
    configuration.maximumWaitingEvents = 3
    configuration.beforeBatch = { app in stored.withLock { $0.append(app) } }
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    let (first, deleted, last) = (apps[0].id, apps[1].id, apps[2].id)
    try await warehouse.perform { try $0.beginDeletion(of: deleted.rawValue) }
    // All three are in one transaction, because the writer is busy until they wait.
    let (isBusy, gate) = (Locked(false), DispatchSemaphore(value: 0))
    let busy = Task {
      try await warehouse.perform { _ in
        isBusy.withLock { $0 = true }
        gate.wait()
      }
    }
    while !isBusy.withLock({ $0 }) { await Task.yield() }
    async let one = warehouse.commit(batch(["a"]), app: first)
    async let two = try? warehouse.commit(batch(["b"]), app: deleted)
    async let three = warehouse.commit(batch(["c"]), app: last)
    while !warehouse.isBehind { await Task.yield() }
    gate.signal()
    #expect(try await one.accepted == 1)
    #expect(await two == nil)
    #expect(try await three.accepted == 1)
    try await busy.value
    #expect(stored.withLock { Set($0) == [first, last] && $0.count == 2 }, "none was stored again")
    try await warehouse.close()
  }

  @Test(arguments: 0..<6) func `a deletion that a crash interrupts is completed by repeating it`(steps: Int)
    async throws
  {
    let warehouse = try open()
    try await fill(warehouse, apps)
    let before = try await export(warehouse, apps[0])
    try await warehouse.perform { writer in
      try writer.beginDeletion(of: 2)
      func deleteNext() throws -> Bool {
        let spans = try StoredSpan.all(writer.connection).filter { $0.apps.contains(2) }
        guard let segment = spans.map(\.segment).min() else { return false }
        try writer.deleteRows(of: 2, segment: segment)
        return true
      }
      for _ in 0..<steps { _ = try deleteNext() }
      if steps == 5 {
        while try deleteNext() {}
        try writer.deleteTables(of: 2, views: [2])
      }
    }
    let image = try directory.copy()
    try await warehouse.close()
    let catalog = try Catalog(directory: image.path)
    let restarted = try SQLiteWarehouse(directory: image.path, catalog: catalog)
    // Until the work continues, the app can still get events.
    _ = try await restarted.commit(batch(["Late"], firstKey: 1), app: apps[1].id)
    try await restarted.delete(app: apps[1].id, views: [ViewID(2)])
    #expect(try await tables(restarted, with: apps[1], view: 2) == [])
    #expect(try await rows(restarted, of: apps[1]) == 0)
    #expect(try await export(restarted, apps[0]) == before)
    #expect(try await restarted.reader.verify().isClean)
    try await restarted.close()
  }
}
