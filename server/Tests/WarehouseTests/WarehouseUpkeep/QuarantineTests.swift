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

/// Rows that are set aside because they can't be used.
@Suite(.timeLimit(.minutes(30))) struct QuarantineTests {
  private static let days = day("2026-05-01")...day("2026-05-30")

  private let directory: TemporaryDirectory
  private let app: AppID

  init() throws {
    directory = try TemporaryDirectory()
    app = try Catalog(directory: directory.path).createApp(name: "Player").id
  }

  private func open() throws -> SQLiteWarehouse {
    var configuration = WarehouseConfiguration(flushInterval: .seconds(3_600), spanRows: 5, segmentBytes: 600)
    configuration.now = { timestamp("2026-05-04T12:00:00Z") }
    return try SQLiteWarehouse(
      directory: directory.path, catalog: Catalog(directory: directory.path), configuration: configuration)
  }

  private func names(_ warehouse: SQLiteWarehouse) async throws -> [String] {
    try await warehouse.reader.recent(app: app, limit: 1_000).reversed().map(\.name)
  }

  private func counts(_ warehouse: SQLiteWarehouse) async throws -> [String: Int] {
    let totals = try await warehouse.reader.totals(app: app, dimension: .event, days: Self.days, limit: nil)
    return Dictionary(uniqueKeysWithValues: totals.map { ($0.key, $0.count) })
  }

  @Test(arguments: [true, false])
  func `a row that is set aside is gone everywhere, named among the dropped events, and no other is`(
    isCounted: Bool
  ) async throws {
    var warehouse = try open()
    for number in 0..<4 {
      _ = try await warehouse.commit(
        batch((0..<7).map { "\(number).\($0)" }, firstKey: Int64(number) * 100), app: app)
    }
    if isCounted { try await warehouse.flush() }
    let all = (0..<4).flatMap { number in (0..<7).map { "\(number).\($0)" } }
    var left = all
    for row in [28, 1, 13, 14] {
      #expect(try await warehouse.quarantine(Int64(row), work: "counting it"))
      left.removeAll { $0 == all[row - 1] }
      await warehouse.finishQuarantine()
      try await warehouse.flush()
      #expect(try await names(warehouse) == left)
      #expect(try await counts(warehouse) == Dictionary(uniqueKeysWithValues: left.map { ($0, 1) }))
      #expect(try await warehouse.reader.verify().isClean)
    }
    #expect(try await !warehouse.quarantine(13, work: "counting it"), "it is gone")
    let dropped = try await warehouse.reader.totals(app: app, dimension: .dropped, days: Self.days, limit: nil)
    #expect(dropped.map(\.key) == ["rejected:quarantined"] && dropped.map(\.count) == [4])
    #expect(warehouse.storageStatus.quarantinedRows == 4)

    // The same events don't come back, and everything is as it was after a restart.
    #expect(try await warehouse.commit(batch((0..<7).map { "1.\($0)" }, firstKey: 100), app: app).accepted == 0)
    try await warehouse.close()
    warehouse = try open()
    #expect(try await names(warehouse) == left && warehouse.storageStatus.quarantinedRows == 4)
    try await warehouse.close()
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: Catalog(directory: directory.path))
    let reader = try SQLiteWarehouse.openForReading(
      directory: directory.path, catalog: Catalog(directory: directory.path))
    #expect(try await reader.verify().isClean)
    try reader.close()
  }

  private struct Hit: Equatable {
    var id: Int64
    var slot: UInt32
    var startsSession: Bool
  }

  private static func hits(_ warehouse: SQLiteWarehouse) async throws -> [Hit] {
    try await warehouse.reader.reading { connection in
      let scan = try EventScan(connection, after: 0)
      var hits: [Hit] = []
      while let row = try scan.next() {
        hits.append(Hit(id: row.id, slot: row.slot, startsSession: row.flags.startsSession))
      }
      return hits
    }
  }

  @Test(arguments: 0..<12)
  func `the next hit of a session begins it, wherever it is stored and whenever it arrives`(round: Int) async throws {
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    var chance = FastGenerator(seed: seed)
    var warehouse = try open()
    let start = timestamp("2026-05-03T20:00:00Z")
    var time = start
    func send() async throws {
      for _ in 0..<8 {
        time = time + .seconds(Int.random(in: 1...1_000, using: &chance))
        var batch = batch(["page"], install: "client \(Int.random(in: 0..<4, using: &chance))")
        (batch.source, batch.received) = (.measurement, time)
        batch.events[0].time = time
        batch.events[0].duplicateKey = nil
        _ = try await warehouse.commit(batch, app: app)
      }
    }
    var model: [Hit] = []
    var awaited: Set<UInt32> = []
    for step in 0..<10 {
      let last = try await Self.hits(warehouse)
      try await send()
      let all = try await Self.hits(warehouse)
      #expect(Array(all.prefix(last.count)) == last)
      // Of an install whose last hit was set aside, the next one begins a session.
      for hit in all.dropFirst(last.count) where awaited.contains(hit.slot) {
        #expect(hit.startsSession, "seed \(seed), step \(step), hit \(hit.id)")
        awaited.remove(hit.slot)
      }
      model = all
      for _ in 0..<3 {
        if Bool.random(using: &chance) { try await warehouse.flush() }
        guard let index = model.indices.randomElement(using: &chance) else { break }
        let gone = model.remove(at: index)
        let isSet = try await warehouse.quarantine(gone.id, work: "counting it")
        #expect(isSet)
        if gone.startsSession {
          if let next = model.firstIndex(where: { $0.id > gone.id && $0.slot == gone.slot }) {
            model[next].startsSession = true
          } else {
            awaited.insert(gone.slot)
          }
        }
        #expect(try await Self.hits(warehouse) == model, "seed \(seed), step \(step), without \(gone)")
        if Bool.random(using: &chance) {
          try await warehouse.close()
          warehouse = try open()
        }
        await warehouse.finishQuarantine()
        try await warehouse.flush()
        let report = try await warehouse.reader.verify()
        #expect(report.isClean, "\(report.differences) \(report.problems), seed \(seed), step \(step)")
        let sessions = try await warehouse.reader.totals(app: app, dimension: .session, days: Self.days, limit: nil)
        #expect(
          sessions.reduce(0) { $0 + $1.count } == model.count { $0.startsSession }, "seed \(seed), step \(step)")
      }
    }
    try await warehouse.close()
  }

  @Test func `a row that can't be counted does not keep others from being counted`() async throws {
    let warehouse = try open()
    var broken = phone
    broken.model = "Broken"
    _ = try await warehouse.commit(batch(["a", "b"]), app: app)
    _ = try await warehouse.commit(batch(["c"], device: broken), app: app)
    _ = try await warehouse.commit(batch(["d"]), app: app)
    try await warehouse.perform { try $0.connection.execute("DELETE FROM device WHERE id = 2") }
    let setAside = Task { await warehouse.quarantineFailedRows() }
    // Counting runs when it is asked to, and fails once.
    while (try? await warehouse.flush()) == nil { await Task.yield() }
    setAside.cancel()
    #expect(try await counts(warehouse) == ["a": 1, "b": 1, "d": 1])
    #expect(warehouse.problems.isEmpty)
    try await warehouse.close()
  }

  @Test func `damaged counts are a failure that is shown, and no row is blamed for them`() async throws {
    let warehouse = try open()
    let value = Properties.Element(name: "p", value: .string("x"))
    _ = try await warehouse.commit(batch(["a"], properties: [value]), app: app)
    try await warehouse.flush()
    try await warehouse.counting.perform {
      try $0.connection.execute("UPDATE property_values SET pack = x'ffffffffffffffffffffffff'")
      $0.forget()
    }
    let setAside = Task { await warehouse.quarantineFailedRows() }
    _ = try await warehouse.commit(batch(["a"], properties: [value]), app: app)
    for _ in 0..<3 { await #expect(throws: WarehouseError.self) { try await warehouse.flush() } }
    #expect(!warehouse.problems.isEmpty)
    setAside.cancel()
    await setAside.value
    #expect(warehouse.storageStatus.quarantinedRows == 0)
    #expect(try await names(warehouse) == ["a", "a"])
    try? await warehouse.close()
  }

  @Test func `a row that is set aside when the process ends is out of all counts after the next start`() async throws {
    var warehouse = try open()
    _ = try await warehouse.commit(batch(["a", "b", "c"]), app: app)
    try await warehouse.flush()
    _ = try await warehouse.perform { try $0.quarantine(2, work: "counting it", now: 0) }
    #expect(try await counts(warehouse) == ["a": 1, "b": 1, "c": 1], "not counted again yet")
    try await warehouse.close()
    warehouse = try open()
    await warehouse.finishQuarantine()
    #expect(try await counts(warehouse) == ["a": 1, "c": 1])
    #expect(try await warehouse.reader.verify().isClean)
    #expect(try await warehouse.reader.reading { try QuarantinedRow.uncounted($0).isEmpty })
    try await warehouse.close()
  }

  /// Trials of work that fails on some rows, as long as they are there.
  private struct StubTrials: WorkTrials {
    var culprits: Set<Int64>
    let warehouse: SQLiteWarehouse
    let tried = Locked(0)

    func endsProcess(_ work: DerivedWork, rows: ClosedRange<Int64>?) async throws -> Bool {
      tried.withLock { $0 += 1 }
      guard let rows else { return false }
      return try await warehouse.reader.reading { [culprits] connection in
        let scan = try EventScan(connection, ids: rows)
        while let row = try scan.next() { if culprits.contains(row.id) { return true } }
        return false
      }
    }
  }

  /// Opens the directory as after a crash during some work.
  private func open(after work: DerivedWork, _ catalog: Catalog) throws -> SQLiteWarehouse {
    let now = { @Sendable in timestamp("2026-05-20T12:00:00Z") }
    _ = try WorkJournal(directory.path + "/work", examines: true, now: now).begin(work)
    var configuration = WarehouseConfiguration(flushInterval: .seconds(3_600), spanRows: 5, segmentBytes: 600)
    configuration.examinesInterruptedWork = true
    configuration.now = now
    return try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
  }

  @Test func `a held day is sealed after its examination, without the row, and days of other views need not wait`()
    async throws
  {
    let catalog = try Catalog(directory: directory.path)
    let views = try ["Held", "Other"].map { try catalog.createView(app: app, name: $0, timeZone: "UTC") }
    var warehouse = try open()
    _ = try await warehouse.commit(batch(["a", "b", "c", "d"]), app: app)
    try await warehouse.close()

    let (may4, now) = (day("2026-05-04"), timestamp("2026-05-20T12:00:00Z"))
    let work = DerivedWork.viewDay(view: views[0].id.rawValue, day: may4.number, through: 4)
    warehouse = try open(after: work, catalog)
    await #expect(throws: WarehouseError.self) { try await warehouse.sealDays(of: views, now: now) }
    #expect(warehouse.problems.count == 2, "the held day, and that sealing fails")
    func hits(_ view: View) async throws -> SaturatingInt64? {
      try await warehouse.reader.viewMetrics(view, days: may4...may4, tables: [], now: now.millisecondsSince1970)
        .days.first { $0.state == .final }?.totals.hits
    }
    #expect(try await hits(views[1]) == 4)

    await warehouse.examineInterruptedWork(with: StubTrials(culprits: [3], warehouse: warehouse))
    #expect(try await warehouse.sealDays(of: views, now: now) > 0)
    #expect(try await hits(views[0]) == 3)
    #expect(warehouse.problems.isEmpty)
    // The other view's day is final: it keeps its figures, and the verification knows that the day has lost a row.
    #expect(try await hits(views[1]) == 4)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `several rows are set aside one after the other, and work without a row to blame goes on`() async throws {
    let catalog = try Catalog(directory: directory.path)
    var warehouse = try open()
    _ = try await warehouse.commit(batch((1...30).map { "\($0)" }), app: app)
    try await warehouse.close()
    warehouse = try open(after: .columns(rows: 1...30), catalog)
    await warehouse.examineInterruptedWork(with: StubTrials(culprits: [2, 3, 17, 30], warehouse: warehouse))
    #expect(try await names(warehouse) == (1...30).filter { ![2, 3, 17, 30].contains($0) }.map { "\($0)" })
    try await warehouse.close()

    warehouse = try open(after: .counting(rows: 31...31), catalog)
    let innocent = StubTrials(culprits: [], warehouse: warehouse)
    await warehouse.examineInterruptedWork(with: innocent)
    #expect(innocent.tried.withLock { $0 } == 1 && warehouse.problems.isEmpty)
    try await warehouse.close()
  }

  @Test func `a person who is being deleted keeps other work from setting rows aside, but not an examination`()
    async throws
  {
    let warehouse = try open()
    _ = try await warehouse.commit(batch(["a", "b", "c"]), app: app)
    let request = PersonDeletionRequest(person: .install("install-1"), refusesLater: false)
    _ = try await warehouse.perform { [app] in try $0.beginDeletion(of: request, app: app.rawValue) }
    #expect(try await !warehouse.quarantine(2, work: "counting it"))
    #expect(try await names(warehouse) == ["a", "b", "c"])
    #expect(try await warehouse.quarantine(2, work: "counting it", duringDeletion: true))
    #expect(try await names(warehouse) == ["a", "c"])
    try await warehouse.delete(request, app: app, views: [])
    #expect(try await names(warehouse).isEmpty && warehouse.storageStatus.quarantinedRows == 0)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `rows that were set aside go with the days that an app no longer keeps`() async throws {
    let warehouse = try open()
    _ = try await warehouse.commit(batch(["a", "b"]), app: app)
    _ = try await warehouse.commit(batch(["c", "d"], at: "2026-05-20T10:00:00Z"), app: app)
    for row in [2, 4] as [Int64] { #expect(try await warehouse.quarantine(row, work: "counting it")) }
    await warehouse.finishQuarantine()
    #expect(warehouse.storageStatus.quarantinedRows == 2)
    #expect(try await warehouse.removeRows(of: app, before: day("2026-05-10"), views: []))
    #expect(warehouse.storageStatus.quarantinedRows == 1)
    #expect(try await names(warehouse) == ["c"])
    try await warehouse.close()
  }

  @Test func `a process sets a hundred rows aside and no more`() async throws {
    let warehouse = try open()
    let all = (1...SQLiteWarehouse.maximumQuarantined + 1).map { "\($0)" }
    _ = try await warehouse.commit(batch(all), app: app)
    for row in 1...SQLiteWarehouse.maximumQuarantined {
      #expect(try await warehouse.quarantine(Int64(row), work: "counting it"))
    }
    #expect(try await !warehouse.quarantine(Int64(all.count), work: "counting it"))
    #expect(try await names(warehouse) == [all[all.count - 1]])
    try await warehouse.close()
  }

  @Test func `the next hit of a session begins it when its first one is set aside`() async throws {
    let place = try ViewMemoryTests.Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC")
    for (client, minute) in [(1, 0), (2, 1), (1, 2), (2, 3)] {
      try await place.send("cid=\(client)&t=screenview&cd=\(minute)", at: "2024-05-01T12:0\(minute):00Z")
    }
    try await place.warehouse.perform { try $0.finishHits() }
    func sessions() async throws -> [Bool] {
      try await place.warehouse.reader.reading { connection in
        let scan = try EventScan(connection, after: 0)
        var starts: [Bool] = []
        while let row = try scan.next() { starts.append(row.flags.startsSession) }
        return starts
      }
    }
    #expect(try await sessions() == [true, true, false, false])
    #expect(try await place.warehouse.quarantine(1, work: "counting it"))
    await place.warehouse.finishQuarantine()
    #expect(try await sessions() == [true, true, false])
    let metrics = try await place.warehouse.reader.viewMetrics(
      view, days: day("2024-05-01")...day("2024-05-01"), tables: [], now: milliseconds("2024-05-01T23:00:00Z"))
    #expect(metrics.totals.sessions == 2 && metrics.totals.hits == 3)
    try await place.warehouse.flush()
    #expect(try await place.warehouse.reader.verify().isClean)
    try await place.close()
  }

  @Test func `a session that begins on the next day without its first hit is counted there`() async throws {
    let place = try ViewMemoryTests.Place()
    try await place.send("cid=1&t=screenview&cd=A", at: "2024-05-01T23:50:00Z")
    try await place.send("cid=1&t=screenview&cd=B", at: "2024-05-02T00:05:00Z")
    try await place.warehouse.flush()
    #expect(try await place.warehouse.quarantine(1, work: "counting it"))
    await place.warehouse.finishQuarantine()
    let report = try await place.warehouse.reader.verify()
    #expect(report.isClean, "\(report.differences)")
    let sessions = try await place.warehouse.reader.dailyOverview(
      app: place.app.id, days: day("2024-05-01")...day("2024-05-02")
    ).sessions
    #expect(sessions.map(\.count) == [1], "\(sessions)")
    try await place.close()
  }
}
