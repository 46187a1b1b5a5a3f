import Foundation
import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import RowFiles
@testable import Views
@testable import Warehouse
@testable import WarehouseContract
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Rows that leave home.
@Suite(.timeLimit(.minutes(30))) struct RetiringTests {
  private static let seed =
    ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64(UInt32.max))

  private let directory: TemporaryDirectory
  private let catalog = MemoryCatalog(zones: ["Europe/Berlin", "UTC", "America/Sao_Paulo"])
  private let cluster = MemoryRows()

  init() throws { directory = try TemporaryDirectory() }

  private func open(_ directory: TemporaryDirectory? = nil) throws -> SQLiteWarehouse {
    let path = (directory ?? self.directory).path
    RetiredRowCache.connect(path, to: cluster)
    var configuration = WarehouseConfiguration(spanRows: 30, segmentBytes: 4_000)
    configuration.now = { timestamp("2026-06-01T00:00:00Z") }
    return try SQLiteWarehouse(directory: path, catalog: catalog, configuration: configuration)
  }

  private func fill(_ warehouse: SQLiteWarehouse, batches: Int = 60, seed: UInt64 = seed) async throws {
    var traffic = RandomTraffic(
      seed: seed, apps: catalog.apps().map(\.id), center: timestamp("2026-05-04T12:00:00Z"), days: 10,
      isOrdered: true)
    for _ in 0..<batches {
      let (batch, app) = traffic.next()
      _ = try await warehouse.commit(batch, app: app)
    }
    try await warehouse.flush()
  }

  private func segments() throws -> [Int64] { try RowSegment.numbers(in: directory.path + "/rows").sorted() }

  @Test(arguments: WarehouseContract.Case.allCases)
  func `a warehouse keeps the contract with all rows retired that may be, before and after each write`(
    part: WarehouseContract.Case
  ) async throws {
    var configuration = WarehouseConfiguration(
      flushInterval: .milliseconds(1), flushEvents: 37, pendingKeys: 50, cachedInstalls: 8, checkpointPages: 5)
    (configuration.spanRows, configuration.segmentBytes) = (20, 1_500)
    let (path, cluster, tight, retired) = (directory.path, cluster, configuration, Locked(0))
    RetiredRowCache.connect(path, to: cluster)
    let contract = WarehouseContract { catalog in
      let failure = Locked<WarehouseError?>(nil)
      var configuration = tight
      configuration.beforeBatch = { _ in try failure.withLock { if let failure = $0 { throw failure } } }
      let warehouse = try SQLiteWarehouse(directory: path, catalog: catalog, configuration: configuration)
      return ContractBackend(
        sink: RetiringSink(base: warehouse, cluster: cluster), store: warehouse.reader,
        settle: { try await warehouse.flush() },
        seal: { try await warehouse.sealDays(of: $0, now: $1) }, fail: { error in failure.withLock { $0 = error } },
        close: {
          try await warehouse.flush()
          let report = try await warehouse.reader.verify()
          #expect(report.isClean, "\(report.differences) \(report.problems)")
          let rows = try warehouse.reader.retiredRows()
          retired.withLock { $0 += rows }
          try await warehouse.close()
        })
    }
    try await contract.check(part, seed: Self.seed % 100)
    if part.isRandom { #expect(retired.withLock { $0 } > 100, "seed \(Self.seed)") }
  }

  @Test func `whatever changes rows does the same as with all rows at home`() async throws {
    let other = try TemporaryDirectory()
    var (retiring, keeping) = (try open(), try open(other))
    for warehouse in [retiring, keeping] { try await fill(warehouse, batches: 80) }
    #expect(try await retiring.retireAll(to: cluster) > 3)
    #expect(try segments().count < 4)
    func compare(_ what: Comment) async throws {
      let (left, right) = (try await retiring.everything(), try await keeping.everything())
      let difference = zip(left, right).first { $0 != $1 }
      #expect(
        difference == nil && left.count == right.count,
        "\(what): \(left.count) \(right.count) \(difference.map { "\($0)" } ?? "")")
      for warehouse in [retiring, keeping] {
        let report = try await warehouse.reader.verify()
        #expect(report.isClean, "\(what): \(report.differences) \(report.problems), seed \(Self.seed)")
      }
      try await retiring.retireAll(to: cluster)
    }
    try await compare("retired, seed \(Self.seed)")
    let app = AppID(1)
    let people = try await keeping.reader.reading { connection in
      (
        try connection.prepare("SELECT name, typeof(name) = 'blob' FROM install WHERE app = 1 LIMIT 2")
          .all { Person.install(StoredNames.installName($0, at: 0)) },
        try connection.texts("SELECT name FROM member WHERE app = 1 LIMIT 2").map { Person.user($0) }
      )
    }
    for person in people.0 + people.1 {
      for warehouse in [retiring, keeping] {
        try await warehouse.delete(
          PersonDeletionRequest(person: person, refusesLater: false), app: app, views: [])
      }
      try await compare("a person was deleted, seed \(Self.seed)")
    }
    let some = try await keeping.reader.reading { connection in
      var ids: [Int64] = []
      let scan = try EventScan(connection, after: 0)
      while let row = try scan.next() { if row.id % 50 == 0 { ids.append(row.id) } }
      return ids
    }
    for id in some.prefix(3) {
      for warehouse in [retiring, keeping] {
        #expect(try await warehouse.quarantine(id, work: "testing"))
        await warehouse.finishQuarantine()
      }
    }
    try await compare("rows were set aside, seed \(Self.seed)")
    for warehouse in [retiring, keeping] {
      _ = try await warehouse.removeRows(of: AppID(2), before: day("2026-05-04"), views: [])
    }
    try await compare("old rows were removed, seed \(Self.seed)")
    for warehouse in [retiring, keeping] { try await warehouse.delete(app: AppID(3), views: []) }
    try await compare("an app was deleted, seed \(Self.seed)")
    for warehouse in [retiring, keeping] { try await warehouse.close() }
    for path in [directory.path, other.path] {
      try SQLiteWarehouse.rebuild(directory: path, catalog: catalog, now: timestamp("2026-06-02T00:00:00Z"))
    }
    (retiring, keeping) = (try open(), try open(other))
    try await compare("rebuilt, seed \(Self.seed)")
    // The traffic is as old as the rows that have left, of which a rebuild has no keys.
    try await retiring.perform {
      try $0.connection.execute("DELETE FROM state WHERE name = 'keys_since'")
      $0.forget()
    }
    for warehouse in [retiring, keeping] { try await fill(warehouse, batches: 20, seed: Self.seed &+ 1) }
    try await compare("with new rows, seed \(Self.seed)")
    for warehouse in [retiring, keeping] { try await warehouse.close() }
  }

  @Test func `without the cluster, counts answer and events are stored; what needs old rows says so, and works later`()
    async throws
  {
    let warehouse = try open()
    try await fill(warehouse)
    let total = try await warehouse.reader.count(
      app: AppID(1), dimension: .event, days: day("2026-04-01")...day("2026-06-30"))
    try await warehouse.retireAll(to: cluster)
    cluster.isAway = true
    func scan() async throws -> Int {
      try await warehouse.reader.reading { connection in
        let scan = try EventScan(connection, after: 0, damage: DamagedRows())
        var rows = 0
        while try scan.next() != nil { rows += 1 }
        return rows
      }
    }
    func expectAway(_ body: () async throws -> Void) async {
      let error = await #expect(throws: WarehouseError.self) { try await body() }
      #expect(error?.code == .rowsAway)
    }
    await expectAway { _ = try await scan() }
    await expectAway { _ = try await warehouse.reader.verify() }
    let person = try await warehouse.reader.reading { connection in
      try connection.texts("SELECT name FROM member WHERE app = 1 LIMIT 1").map { Person.user($0) }
    }
    let request = PersonDeletionRequest(person: try #require(person.first), refusesLater: false)
    await expectAway { try await warehouse.delete(request, app: AppID(1), views: []) }
    #expect(
      try await warehouse.reader.count(
        app: AppID(1), dimension: .event, days: day("2026-04-01")...day("2026-06-30")) == total)
    #expect(try await warehouse.commit(batch(["new"], firstKey: 77), app: AppID(1)).accepted == 1)

    // Wrong rows are no rows.
    cluster.isAway = false
    for change: @Sendable ([StoredRow]) -> [StoredRow] in [
      { Array($0.dropLast()) }, { $0.reversed() }, { $0 + $0.suffix(1) }, { _ in [] },
    ] {
      cluster.change(change)
      await expectAway { _ = try await scan() }
    }
    cluster.change(nil)
    #expect(try await scan() > 100)
    try await warehouse.delete(request, app: AppID(1), views: [])
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `a crash between the note and the deletion of the file loses nothing, and no number is used again`()
    async throws
  {
    var warehouse = try open()
    try await fill(warehouse)
    let before = try await warehouse.everything()
    let kept = try segments().map { ($0, try Data(contentsOf: URL(filePath: "\(directory.path)/rows/\($0).rows"))) }
    try await warehouse.retireAll(to: cluster)
    let left = try segments()
    try await warehouse.close()
    for (number, data) in kept { try data.write(to: URL(filePath: "\(directory.path)/rows/\(number).rows")) }
    warehouse = try open()
    #expect(try segments() == left)
    #expect(try await warehouse.everything() == before)
    // Rewritten rows get the highest number, and then leave.
    #expect(try await warehouse.quarantine(1, work: "testing"))
    let highest = try #require(try segments().max())
    try await warehouse.retireAll(to: cluster)
    #expect(try segments().max() != highest)
    #expect(try await warehouse.quarantine(2, work: "testing"))
    #expect(try segments().max() == highest + 1)
    await warehouse.finishQuarantine()
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `a backup has no rows that have left, and a restored one knows where they are`() async throws {
    // A backup has the catalog, too.
    try Catalog(directory: directory.path).close()
    var warehouse = try open()
    try await fill(warehouse)
    try await warehouse.retireAll(to: cluster)
    let before = try await warehouse.everything()
    let (target, restored) = (directory.path + "-backup", directory.path + "-restored")
    defer { for path in [target, restored] { try? FileManager.default.removeItem(atPath: path) } }
    let summary = try Backup.create(of: directory.path, at: target)
    #expect(try summary.retiredEvents == warehouse.reader.retiredRows() && summary.retiredEvents > 0)
    try await warehouse.close()
    _ = try Backup.restore(target, to: restored)
    #expect(try RowSegment.numbers(in: restored + "/rows").sorted() == segments())
    RetiredRowCache.connect(restored, to: cluster)
    warehouse = try SQLiteWarehouse(
      directory: restored, catalog: catalog,
      configuration: WarehouseConfiguration(spanRows: 30, segmentBytes: 4_000))
    #expect(try await warehouse.everything() == before)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `fetched rows take bounded space, are fetched once by many readers, and are checked after a restart`()
    async throws
  {
    let warehouse = try open()
    try await fill(warehouse)
    try await warehouse.retireAll(to: cluster)
    let units = try warehouse.reader.retiredUnits()
    try #require(units.count > 6)
    let folder = directory.path + "/rows/fetched"
    func bytes() throws -> Int {
      try StoredFile.names(in: folder, endingWith: [""]).filter { !$0.hasPrefix(".") }
        .reduce(0) { try $0 + CopiedFile.size("\(folder)/\($1)") }
    }
    let fetches = cluster.fetches
    let rows = RetiredRowCache.of(directory.path + "/rows")
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          for unit in units { _ = try? rows.fetched(unit) }
        }
      }
    }
    #expect(cluster.fetches == fetches + units.count)
    let all = try bytes()
    rows.keep(atMost: all / 3)
    #expect(try bytes() <= all / 3)
    for unit in units { _ = try rows.fetched(unit) }
    #expect(try bytes() <= all / 3 && bytes() > 0)
    #expect(cluster.fetches > fetches + units.count)

    rows.keep(atMost: RetiredRowCache.standardBytes)
    for unit in units { _ = try rows.fetched(unit) }
    // Another process with the same files, one of which is damaged.
    let files = try StoredFile.names(in: folder, endingWith: [".unit"])
    #expect(files.count == units.count)
    let damaged = URL(filePath: "\(folder)/\(try #require(files.first))")
    var data = try Data(contentsOf: damaged)
    data[data.count - 1] ^= 1
    try data.write(to: damaged)
    let (again, count) = (RetiredRowCache(directory.path + "/rows"), cluster.fetches)
    again.connect(cluster)
    for unit in units { _ = try again.fetched(unit) }
    #expect(cluster.fetches == count + 1)
    try await warehouse.close()
  }

  @Test func `rows stay that are new, uncounted, or have changed since they were compared`() async throws {
    let warehouse = try open()
    try await fill(warehouse)
    let all = try await warehouse.segments(receivedBefore: .max)
    let middle = all[all.count / 2].received
    let some = try await warehouse.segments(receivedBefore: middle)
    #expect(!some.isEmpty && some.count < all.count && some.allSatisfy { $0.received < middle })
    let last = try #require(try segments().max())
    #expect(!all.map(\.number).contains(last))
    let first = all[0]
    let unit = RetiredUnit(
      home: 1, epoch: 1, shard: "s", number: 1, generation: 0, ids: first.ids, rows: 1, checksum: 1)
    var short = unit
    short.ids = first.ids.lowerBound...first.ids.upperBound - 1
    #expect(try await !warehouse.retire(first, [short]))
    #expect(try await !warehouse.retire(first, []))
    #expect(try await warehouse.quarantine(first.ids.lowerBound, work: "testing"))
    #expect(try await !warehouse.retire(first, [unit]), "its rows are in another segment")
    #expect(try warehouse.reader.retiredRows() == 0)
    try await warehouse.close()
  }
}
