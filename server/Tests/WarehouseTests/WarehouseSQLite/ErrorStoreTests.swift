import Ingest
import Questions
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Errors, crashes and attachments as stored by the warehouse.
@Suite struct ErrorStoreTests {
  static let days = day("2026-05-01")...day("2026-05-30")

  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  func open(
    _ configure: (inout WarehouseConfiguration) -> Void = { _ in }
  ) throws -> (Catalog, SQLiteWarehouse, AppID) {
    let catalog = try Catalog(directory: directory.path)
    var configuration = WarehouseConfiguration()
    configure(&configuration)
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    return (catalog, warehouse, try catalog.createApp(name: "Player").id)
  }

  /// A batch of one error.
  func error(
    _ number: Int64, kind: StoredKind = .crash, type: String = "Oops", fingerprint: Int64 = 7, session: Int64 = 0,
    at time: String = "2026-05-04T10:00:00Z", install: String = "i", version: String = "1.0", raw: Int = 10
  ) -> IncomingBatch {
    var device = phone
    (device.appVersion, device.appBuild) = (version, "")
    var batch = batch([type], at: time, install: install, device: device, firstKey: number, kind: kind)
    batch.events[0].session = session
    batch.events[0].user = "user-1"
    batch.errors = [
      IncomingError(
        event: 0, id: "error \(number)", type: type, message: "m \(number)", place: "a.b", stack: "  at a.b\n",
        fingerprint: fingerprint, raw: Array(repeating: 0x20, count: raw))
    ]
    return batch
  }

  func piece(
    _ part: Int, of parts: Int, _ bytes: [UInt8], key: Int64, error: String = "error 1", id: String = "file"
  ) -> IncomingBatch {
    var batch = batch(["attachment"], firstKey: key, kind: part == 0 ? .attachment : .attachmentPart)
    batch.attachments = [
      IncomingAttachment(
        event: 0, eventID: "event \(key)", error: error, id: id, name: "a.txt", contentType: "text/plain", part: part,
        parts: parts, data: bytes)
    ]
    return batch
  }

  @Test func `the persons who had an error are as many as its group counts`() async throws {
    let (_, warehouse, app) = try open()
    for batch in [
      error(1), error(2, install: "j", version: "1.1"), error(3), error(4, type: "Other", fingerprint: 8, install: "k"),
      error(5, at: "2026-04-05T10:00:00Z", install: "l"), batch(["Play"], install: "m"),
    ] {
      _ = try await warehouse.commit(batch, app: app)
    }
    let scope = QuestionScope(range: .dates(Self.days.lowerBound, Self.days.upperBound))
    func installs(_ scope: QuestionScope, _ group: Int64) async throws -> [String] {
      let question = Question.persons(PersonsQuestion(scope: scope, group: .error(Int(group))))
      let calendar = try #require(QuestionCalendar("UTC"))
      let answer = try await warehouse.reader.answer(
        question, app: app, calendar: calendar, today: Self.days.upperBound
      ).answer
      guard case .persons(let persons) = answer else { return [] }
      return persons.persons.map(\.install).sorted()
    }
    let groups = try await warehouse.reader.errorGroups(app: app, group: nil, days: Self.days, limit: 10)
    #expect(groups.map(\.users) == [2, 1])
    #expect(try await installs(scope, groups[0].id) == ["i", "j"])
    #expect(try await installs(scope, groups[1].id) == ["k"])
    var newer = scope
    newer.filters = [.isOneOf(.version, [.text("1.1")])]
    #expect(try await installs(newer, groups[0].id) == ["j"])
    #expect(try await installs(scope, groups[1].id + 1) == [])
    try await warehouse.close()
  }

  @Test func `errors are listed by group, with counts, users, versions and days`() async throws {
    let (_, warehouse, app) = try open()
    for batch in [
      error(1), error(2, install: "j", version: "1.1"), error(3, at: "2026-05-05T10:00:00Z"),
      error(4, type: "Other", fingerprint: 8), error(5, kind: .handledError),
      error(6, at: "2026-04-05T10:00:00Z"),
    ] {
      for _ in 0..<2 { _ = try await warehouse.commit(batch, app: app) }
    }
    let groups = try await warehouse.reader.errorGroups(app: app, group: nil, days: Self.days, limit: 10)
    #expect(groups.map(\.count) == [3, 1, 1] && groups.map(\.users) == [2, 1, 1])
    #expect(groups[0].type == "Oops" && groups[0].place == "a.b" && groups[0].kind == .crash)
    #expect(groups[0].versions.map(\.key) == ["1.0", "1.1"] && groups[0].versions.map(\.count) == [2, 1])
    #expect(groups[0].last == timestamp("2026-05-05T10:00:00Z"))
    #expect(
      try await warehouse.reader.errorGroups(app: app, group: nil, days: Self.days, limit: 1).map(\.kind) == [
        .crash, .handledError,
      ])
    let one = try #require(
      try await warehouse.reader.errorGroups(app: app, group: groups[0].id, days: Self.days, limit: 1).first)
    #expect(one.days.map(\.count) == [2, 1] && one.days.map(\.users) == [2, 1])
    let errors = try await warehouse.reader.errors(app: app, group: groups[0].id, days: Self.days, limit: 2)
    #expect(errors.map(\.name) == ["error 3", "error 2"] && errors[1].device.appVersion == "1.1")
    try await warehouse.flush()
    #expect(try await warehouse.reader.total(app: app, dimension: .kind, key: "crash", days: Self.days).count == 4)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `another app sees none of the errors`() async throws {
    let (catalog, warehouse, app) = try open()
    let other = try catalog.createApp(name: "Other").id
    _ = try await warehouse.commit(error(1), app: app)
    _ = try await warehouse.commit(piece(0, of: 1, [1], key: 9), app: app)
    let group = try #require(
      try await warehouse.reader.errorGroups(app: app, group: nil, days: Self.days, limit: 9).first)
    let occurrence = try #require(
      try await warehouse.reader.errors(app: app, group: group.id, days: Self.days, limit: 9).first)
    let file = try #require(try await warehouse.reader.error(app: app, id: occurrence.id)?.attachments.first)
    #expect(try await warehouse.reader.errorGroups(app: other, group: group.id, days: Self.days, limit: 9).isEmpty)
    #expect(try await warehouse.reader.errors(app: other, group: group.id, days: Self.days, limit: 9).isEmpty)
    #expect(try await warehouse.reader.error(app: other, id: occurrence.id) == nil)
    #expect(try await warehouse.reader.attachment(app: other, id: file.id) == nil)
    #expect(try await warehouse.reader.attachment(app: app, id: file.id)?.data == [1])
    try await warehouse.close()
  }

  @Test func `an error shows the earlier events of its session in chronological order`() async throws {
    let (_, warehouse, app) = try open()
    func events(_ names: [String], session: Int64, at time: String, install: String = "i") -> IncomingBatch {
      var batch = batch(names, at: time, install: install)
      for index in batch.events.indices { batch.events[index].session = session }
      return batch
    }
    for batch in [
      events(["late", "later"], session: 5, at: "2026-05-04T09:59:57Z"), error(1, session: 5),
      events(["first", "second"], session: 5, at: "2026-05-04T09:58:00Z"),
      events(["after"], session: 5, at: "2026-05-04T10:00:01Z"),
      events(["foreign"], session: 6, at: "2026-05-04T09:59:00Z"),
      events(["foreign"], session: 5, at: "2026-05-04T09:59:00Z", install: "j"),
    ] { _ = try await warehouse.commit(batch, app: app) }
    let detail = try #require(try await warehouse.reader.error(app: app, id: 3))
    #expect(detail.before.map(\.name) == ["first", "second", "late", "later"])
    #expect(detail.message == "m 1" && detail.stack == "  at a.b\n" && detail.raw.utf8.count == 10)
    #expect(detail.occurrence.user == "user-1" && detail.occurrence.name == "error 1")
    try await warehouse.close()
  }

  @Test func `pieces of an attachment come in any order and more than once, and count once`() async throws {
    let (_, warehouse, app) = try open()
    let pieces = [(2, [UInt8](arrayLiteral: 5)), (0, [1, 2]), (1, [3, 4])]
    for (number, (part, bytes)) in pieces.enumerated() {
      for key in [Int64(number), Int64(number + 100)] {
        _ = try await warehouse.commit(piece(part, of: 3, bytes, key: key * 10), app: app)
      }
      _ = try await warehouse.commit(error(50), app: app)
      let id = try await warehouse.reader.attachment(app: app, id: 1)
      #expect((id?.data == [1, 2, 3, 4, 5]) == (number == 2))
      _ = try await warehouse.commit(error(1), app: app)
      var listed: [AttachmentFacts] = []
      for error in try await warehouse.reader.errors(app: app, group: 1, days: Self.days, limit: 9) {
        listed += try await warehouse.reader.error(app: app, id: error.id)?.attachments ?? []
      }
      #expect(listed.isEmpty == (number < 2), "a part is not shown as the file")
    }
    _ = try await warehouse.commit(error(1), app: app)
    let groups = try await warehouse.reader.errorGroups(app: app, group: nil, days: Self.days, limit: 9)
    let newest = try #require(
      try await warehouse.reader.errors(app: app, group: groups[0].id, days: Self.days, limit: 9).first)
    let facts = try #require(try await warehouse.reader.error(app: app, id: newest.id)?.attachments.first)
    #expect(facts == AttachmentFacts(id: 1, name: "a.txt", contentType: "text/plain", bytes: 5))
    try await warehouse.close()
  }

  @Test func `an attachment above the limit, or with a wrong number of pieces, is rejected and counted`() async throws {
    let (_, warehouse, app) = try open()
    let half = [UInt8](repeating: 1, count: IncomingAttachment.maximumBytes / 2)
    #expect(try await warehouse.commit(piece(0, of: 3, half, key: 1), app: app).accepted == 1)
    #expect(try await warehouse.commit(piece(1, of: 3, half, key: 2), app: app).accepted == 1)
    let over = try await warehouse.commit(piece(2, of: 3, [1], key: 3), app: app)
    #expect(over.accepted == 0 && over.rejections.map(\.reason) == ["attachment_too_large"])
    #expect(over.rejections.map(\.id) == ["event 3"])
    let other = try await warehouse.commit(piece(1, of: 2, [1], key: 4), app: app)
    #expect(other.rejections.map(\.reason) == ["attachment_invalid"])
    try await warehouse.flush()
    let dropped = try await warehouse.reader.totals(app: app, dimension: .dropped, days: Self.days, limit: nil)
    #expect(Set(dropped.map(\.key)) == ["rejected:attachment_too_large", "rejected:attachment_invalid"])
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `a different attachment with the same ID is rejected and counted, a repeated one is not`() async throws {
    let (_, warehouse, app) = try open()
    #expect(try await warehouse.commit(piece(0, of: 1, [1, 2], key: 1), app: app).accepted == 1)
    #expect(try await warehouse.commit(piece(0, of: 1, [1, 2], key: 2), app: app).rejections.isEmpty)
    for (key, bytes) in [(3, [1, 3]), (4, [1]), (5, [])] as [(Int64, [UInt8])] {
      let other = try await warehouse.commit(piece(0, of: 1, bytes, key: key), app: app)
      #expect(other.accepted == 0 && other.rejections.map(\.reason) == ["attachment_conflict"])
      #expect(other.rejections.map(\.id) == ["event \(key)"], "the event is named")
    }
    // The same ID under another error is a different attachment.
    #expect(try await warehouse.commit(piece(0, of: 1, [9], key: 6, error: "error 2"), app: app).accepted == 1)
    try await warehouse.flush()
    #expect(try await warehouse.reader.attachment(app: app, id: 1)?.data == [1, 2])
    let dropped = try await warehouse.reader.totals(app: app, dimension: .dropped, days: Self.days, limit: nil)
    #expect(dropped.map(\.key) == ["rejected:attachment_conflict"] && dropped.map(\.count) == [3])
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `a transaction that fails leaves no error behind, and a later one stores it`() async throws {
    let (_, warehouse, app) = try open()
    var broken = error(1)
    broken.events.append(broken.events[0])
    broken.events[1].install = 5
    let sent = broken
    await #expect(throws: WarehouseError.self) { try await warehouse.commit(sent, app: app) }
    #expect(try await warehouse.reader.errorGroups(app: app, group: nil, days: Self.days, limit: 9).isEmpty)
    #expect(try await warehouse.commit(error(1), app: app).accepted == 1)
    #expect(try await warehouse.reader.errorGroups(app: app, group: nil, days: Self.days, limit: 9).count == 1)
    try await warehouse.close()
  }

  @Test func `rebuilding leaves errors and attachments unchanged, and verifying finds an error without its event`()
    async throws
  {
    let (catalog, warehouse, app) = try open()
    _ = try await warehouse.commit(error(1), app: app)
    _ = try await warehouse.commit(piece(0, of: 1, [1, 2], key: 2), app: app)
    try await warehouse.close()
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: catalog)
    let again = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    #expect(try await again.reader.error(app: app, id: 1)?.attachments.count == 1)
    #expect(try await again.commit(error(1), app: app).duplicates == [0])
    #expect(try await again.reader.total(app: app, dimension: .kind, key: "attachment", days: Self.days).count == 1)
    #expect(try await again.reader.verify().isClean)
    try await again.perform { try $0.connection.execute("UPDATE error SET t = t + 40 * 86400000") }
    #expect(try await again.reader.verify().differenceCount == 1)
    try await again.close()
  }
}
