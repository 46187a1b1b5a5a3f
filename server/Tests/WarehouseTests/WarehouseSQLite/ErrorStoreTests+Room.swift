import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// The storage for an app's errors, and the order of removal when it is full.
extension ErrorStoreTests {
  private func dropped(_ warehouse: SQLiteWarehouse, _ app: AppID) async throws -> [String: Int] {
    try await warehouse.flush()
    let dropped = try await warehouse.reader.totals(app: app, dimension: .dropped, days: Self.days, limit: nil)
    return Dictionary(dropped.map { ($0.key, $0.count) }, uniquingKeysWith: +)
  }

  private func number(_ warehouse: SQLiteWarehouse, _ sql: String) async throws -> Int {
    let found = Locked(0)
    try await warehouse.perform { writer in
      let value = try writer.connection.integer(sql)
      found.withLock { $0 = Int(value ?? 0) }
    }
    return found.withLock { $0 }
  }

  /// A batch of many small errors.
  private func errors(_ numbers: Range<Int>, raw: Int = 0) -> IncomingBatch {
    var batch = batch(numbers.map { _ in "Oops" }, firstKey: Int64(numbers.lowerBound), kind: .crash)
    batch.errors = numbers.enumerated().map { index, number in
      IncomingError(
        event: index, id: "error \(number)", type: "Oops", fingerprint: 7, raw: Array(repeating: 0x20, count: raw))
    }
    return batch
  }

  @Test func `the oldest texts make room for new ones, and their errors still count`() async throws {
    let (catalog, warehouse, app) = try open { $0.maximumErrorBytes = 64 << 10 }
    let other = try catalog.createApp(name: "Other").id
    _ = try await warehouse.commit(error(999, raw: 1_000), app: other)
    for number in 1...100 {
      #expect(try await warehouse.commit(error(Int64(number), raw: 1_000), app: app).accepted == 1)
    }
    let kept = try await number(warehouse, "SELECT count(*) FROM error_text WHERE app = \(app.rawValue)")
    #expect((30...60).contains(kept))
    let lost = try await dropped(warehouse, app)
    #expect(lost == ["rejected:error_text_not_kept": 100 - kept])
    let groups = try await warehouse.reader.errorGroups(app: app, group: nil, days: Self.days, limit: 9)
    #expect(groups.map(\.count) == [100])
    let occurrences = try await warehouse.reader.errors(app: app, group: groups[0].id, days: Self.days, limit: 200)
    #expect(occurrences.count == 100)
    for occurrence in occurrences {
      let detail = try #require(try await warehouse.reader.error(app: app, id: occurrence.id))
      let isNew = occurrence.id > 101 - kept
      #expect(detail.isTextKept == isNew && detail.stack.isEmpty != isNew && detail.raw.isEmpty != isNew)
    }
    #expect(try await warehouse.reader.error(app: other, id: 1)?.isTextKept == true)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: catalog)
    let again = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    #expect(try await again.reader.verify().isClean)
    #expect(try await number(again, "SELECT count(*) FROM error_text") == kept + 1)
    try await again.close()
  }

  @Test func `an app's own limit counts from its next error on, for stored texts and new ones`() async throws {
    let (catalog, warehouse, app) = try open()
    func kept() async throws -> Int { try await number(warehouse, "SELECT count(*) FROM error_text") }
    for number in 1...50 { _ = try await warehouse.commit(error(Int64(number), raw: 10_000), app: app) }
    #expect(try await kept() == 50)
    var limits = UsageLimitChanges()
    limits.errorTextBytes = 160_000
    try catalog.setUsageLimits(of: app, to: limits)
    _ = try await warehouse.commit(error(51, raw: 10_000), app: app)
    // 14/16 of the limit, 10.5 KB each.
    #expect((12...13).contains(try await kept()))
    try catalog.setUsageLimits(of: app, to: UsageLimitChanges())
    for number in 52...60 { _ = try await warehouse.commit(error(Int64(number), raw: 10_000), app: app) }
    #expect((21...22).contains(try await kept()))
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `attachments of errors that never existed displace each other, and no stack`() async throws {
    let (_, warehouse, app) = try open { $0.maximumErrorBytes = 64 << 10 }
    _ = try await warehouse.commit(error(1, raw: 1_000), app: app)
    for number in 1...100 {
      let unknown = piece(0, of: 1, [UInt8](repeating: 0, count: 1_000), key: Int64(100 + number), error: "e \(number)")
      #expect(try await warehouse.commit(unknown, app: app).accepted == 1)
    }
    #expect(try await number(warehouse, "SELECT sum(bytes) FROM attachment") == 2_000, "a sixteenth, with their rows")
    #expect(try await number(warehouse, "SELECT count(*) FROM attachment_part") == 2)
    #expect(try await dropped(warehouse, app) == ["rejected:attachment_unclaimed": 98])
    _ = try await warehouse.commit(error(2, raw: 1_000), app: app)
    for name in ["error 1", "error 2"] {
      let id = try await number(warehouse, "SELECT id FROM error WHERE name = '\(name)'")
      #expect(try await warehouse.reader.error(app: app, id: Int64(id))?.stack == "  at a.b\n", "\(name)")
    }
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `empty attachments take room, too`() async throws {
    let (_, warehouse, app) = try open { $0.maximumErrorBytes = 64 << 10 }
    for number in 1...20 {
      _ = try await warehouse.commit(piece(0, of: 1, [], key: Int64(number), id: "file \(number)"), app: app)
    }
    #expect(try await number(warehouse, "SELECT count(*) FROM attachment") == 8)
    try await warehouse.close()
  }

  @Test func `an attachment waits a day for its error`() async throws {
    let (_, warehouse, app) = try open()
    func part(_ number: Int64, _ time: String) -> IncomingBatch {
      var piece = piece(0, of: 1, [7], key: number, error: "error \(number)")
      piece.received = timestamp(time)
      return piece
    }
    _ = try await warehouse.commit(part(1, "2026-05-04T10:00:00Z"), app: app)
    _ = try await warehouse.commit(part(2, "2026-05-04T12:00:00Z"), app: app)
    // Expires the older attachment, but not the newer one.
    _ = try await warehouse.commit(error(3, at: "2026-05-05T11:00:00Z"), app: app)
    _ = try await warehouse.commit(error(1, at: "2026-05-05T11:00:01Z"), app: app)
    _ = try await warehouse.commit(error(2, at: "2026-05-05T11:00:02Z"), app: app)
    #expect(try await warehouse.reader.error(app: app, id: 4)?.attachments.isEmpty == true)
    #expect(try await warehouse.reader.error(app: app, id: 5)?.attachments.count == 1)
    #expect(try await dropped(warehouse, app) == ["rejected:attachment_unclaimed": 1])
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `attachments of an error go after its text, and before newer errors`() async throws {
    let (_, warehouse, app) = try open { $0.maximumErrorBytes = 64 << 10 }
    _ = try await warehouse.commit(error(1), app: app)
    for file in 1...3 {
      let claimed = piece(0, of: 1, [UInt8](repeating: 0, count: 8_000), key: Int64(100 + file), id: "file \(file)")
      _ = try await warehouse.commit(claimed, app: app)
    }
    _ = try await warehouse.commit(error(2), app: app)
    #expect(try await warehouse.reader.error(app: app, id: 1)?.attachments.count == 3)
    var sizes: [Int] = []
    for number in 3...14 {
      _ = try await warehouse.commit(error(Int64(number), raw: 4_000), app: app)
      let first = try #require(try await warehouse.reader.error(app: app, id: 1))
      sizes.append(first.attachments.count)
      #expect(!first.isTextKept || first.attachments.count == 3)
    }
    #expect(sizes.first == 3 && sizes.last == 0 && sizes == sizes.sorted(by: >))
    #expect(try await warehouse.reader.error(app: app, id: 5)?.isTextKept == true)
    let lost = try await dropped(warehouse, app)
    #expect(lost["rejected:error_text_not_kept"] == 1 && lost["rejected:attachment_not_kept"] == 3)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `a batch makes room in bounded steps, and an error claims a bounded number of attachments`() async throws {
    let (catalog, warehouse, app) = try open()
    for start in stride(from: 0, to: 5_000, by: 1_000) {
      _ = try await warehouse.commit(errors(start..<start + 1_000), app: app)
    }
    try await warehouse.close()
    var configuration = WarehouseConfiguration()
    configuration.maximumErrorBytes = 64 << 10
    let small = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    var texts: [Int] = []
    for number in 5_001...5_004 {
      _ = try await small.commit(errors(number..<number + 1), app: app)
      texts.append(try await self.number(small, "SELECT count(*) FROM error_text"))
    }
    // The first two batches find no room yet and remove as much as they may; the third removes the rest.
    #expect(texts.prefix(2) == [3_000, 1_000] && (100...120).contains(texts[2]) && texts[3] == texts[2])
    #expect(try await dropped(small, app)["rejected:error_text_not_kept"] == 5_004 - texts[3])
    #expect(try await small.reader.verify().isClean)
    try await small.close()

    let large = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    var files = batch((0..<150).map { _ in "attachment" }, firstKey: 10_000, kind: .attachment)
    files.attachments = (0..<150).map { file in
      IncomingAttachment(event: file, eventID: "", error: "error 9000", id: "file \(file)", data: [1])
    }
    _ = try await large.commit(files, app: app)
    _ = try await large.commit(errors(9_000..<9_001), app: app)
    #expect(try await number(large, "SELECT count(*) FROM attachment WHERE owner > 0") == 100)
    #expect(try await large.reader.verify().isClean)
    try await large.close()
  }

  @Test(arguments: [false, true])
  func `a refused attachment is decided again when it is sent again, after a restart or not`(
    restarts: Bool
  ) async throws {
    var (catalog, warehouse, app) = try open()
    _ = try await warehouse.commit(error(1), app: app)
    _ = try await warehouse.commit(piece(0, of: 1, [1], key: 2), app: app)
    let other = piece(0, of: 1, [2], key: 3)
    #expect(try await warehouse.commit(other, app: app).rejections.map(\.reason) == ["attachment_conflict"])
    if restarts {
      try await warehouse.close()
      try catalog.close()
      catalog = try Catalog(directory: directory.path)
      warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    }
    #expect(try await warehouse.commit(other, app: app).rejections.map(\.reason) == ["attachment_conflict"])
    // What contradicted it goes.
    try await warehouse.delete(PersonDeletionRequest(person: .install("i"), refusesLater: false), app: app, views: [])
    #expect(try await warehouse.commit(other, app: app).accepted == 1)
    #expect(try await warehouse.commit(other, app: app).duplicates == [0])
    try await warehouse.close()
  }

  @Test func `a batch whose attachment contradicts one that waited for too long is the same when it is sent again`()
    async throws
  {
    let (_, warehouse, app) = try open()
    _ = try await warehouse.commit(piece(0, of: 1, [1], key: 1, error: "late"), app: app)
    var other = piece(0, of: 2, [1], key: 2, error: "late")
    other.received = other.received + .seconds(2 * 86_400)
    #expect(try await warehouse.commit(other, app: app).accepted == 1)
    #expect(try await warehouse.commit(other, app: app).duplicates == [0])
    #expect(try await dropped(warehouse, app) == ["rejected:attachment_unclaimed": 1])
    try await warehouse.close()
  }

  @Test func `verifying finds a wrong sum of the storage used, and rebuilding corrects it`() async throws {
    let (catalog, warehouse, app) = try open()
    _ = try await warehouse.commit(error(1), app: app)
    _ = try await warehouse.commit(piece(0, of: 1, [1, 2], key: 2), app: app)
    _ = try await warehouse.commit(piece(0, of: 1, [1, 2], key: 3, error: "unknown"), app: app)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.perform { try $0.connection.execute("UPDATE error_room SET claimed = claimed + 5") }
    #expect(try await warehouse.reader.verify().differenceCount == 1)
    try await warehouse.close()
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: catalog)
    let again = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    #expect(try await again.reader.verify().isClean)
    try await again.close()
  }
}
