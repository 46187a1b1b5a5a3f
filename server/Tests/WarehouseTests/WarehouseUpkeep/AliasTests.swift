import Foundation
import Ingest
import Questions
import TernEvents
import Testing

@testable import AppCatalog
@testable import RowFiles
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Persons whom aliases join, in everything that knows users.
@Suite struct AliasTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog
  private let app: App

  init() throws {
    directory = try TemporaryDirectory()
    catalog = try Catalog(directory: directory.path)
    app = try catalog.createApp(name: "Shop", timeZone: "UTC")
  }

  private func open(_ directory: TemporaryDirectory? = nil) throws -> SQLiteWarehouse {
    try SQLiteWarehouse(
      directory: (directory ?? self.directory).path, catalog: catalog,
      configuration: WarehouseConfiguration(spanRows: 3, segmentBytes: 500))
  }

  private static func events(_ names: String..., install: String, user: String = "") -> IncomingBatch {
    var events = batch(names, install: install)
    for index in events.events.indices { events.events[index].user = user }
    return events
  }

  /// A record that two identifiers are one person, as all protocols make it.
  private static func alias(_ user: String, _ other: String) -> IncomingBatch {
    var alias = batch(
      [AliasRecord.name], install: user, kind: .other,
      properties: [.init(name: AliasRecord.name, value: .string(other))])
    alias.events[0].user = user
    return alias
  }

  private func store(_ batches: [IncomingBatch], _ warehouse: SQLiteWarehouse) async throws {
    for batch in batches { _ = try await warehouse.commit(batch, app: app.id) }
  }

  /// The number of events of each person, by user.
  private func persons(_ warehouse: SQLiteWarehouse, app: AppID? = nil) async throws -> [Int] {
    let today = day("2026-05-04")
    let question = PersonsQuestion(scope: QuestionScope(range: .dates(today, today), person: .user))
    let result = try await warehouse.reader.answer(
      .persons(question), app: app ?? self.app.id, calendar: try #require(QuestionCalendar("UTC")), today: today)
    guard case .persons(let answer) = result.answer else { return [] }
    #expect(answer.total == answer.persons.count)
    return answer.persons.map(\.events).sorted()
  }

  private func trail(of user: String, _ warehouse: SQLiteWarehouse) async throws -> [String]? {
    try await warehouse.reader.trail(of: .user(user), app: app.id, .latest, limit: 100)?.map(\.event.name).sorted()
  }

  /// An install before its login, a second one with a user of its own, and someone else on the first.
  private static let rows = [
    events("A1", "A2", install: "anon"), events("B1", install: "phone", user: "ann"),
    events("C1", "C2", "C3", install: "old", user: "old"), events("D1", install: "anon", user: "bob"),
    events("E1", install: "phone"),
  ]
  private static let aliases = [alias("ann", "anon"), alias("old", "ann")]

  @Test func `a chain of aliases makes one person, whether its rows come before or after them`() async throws {
    for place in 0...Self.rows.count {
      let directory = try TemporaryDirectory()
      let warehouse = try open(directory)
      try await store(Array(Self.rows[..<place]) + Self.aliases + Array(Self.rows[place...]), warehouse)
      // The person of the chain; Bob; the phone without a user, which no alias names.
      #expect(try await persons(warehouse) == [1, 1, 6], "aliases after \(place)")
      for user in ["ann", "old", "anon"] {
        #expect(try await trail(of: user, warehouse) == ["A1", "A2", "B1", "C1", "C2", "C3"], "\(user)")
      }
      #expect(try await trail(of: "bob", warehouse) == ["D1"])
      try await warehouse.close()
    }
  }

  @Test func `without the alias between them, persons are apart`() async throws {
    let warehouse = try open()
    try await store(Self.rows + [Self.aliases[0]], warehouse)
    #expect(try await persons(warehouse) == [1, 1, 3, 3])
    #expect(try await trail(of: "anon", warehouse) == ["A1", "A2", "B1"])
    #expect(try await trail(of: "old", warehouse) == ["C1", "C2", "C3"])
    #expect(try await trail(of: "phone", warehouse) == nil)
    let summary = try #require(try await warehouse.reader.summary(of: .user("anon"), app: app.id))
    #expect(summary.events == 3 && Set(summary.others) == [.install("anon"), .install("phone")])
    #expect(summary.identifiers == ["ann"])
    #expect(try await warehouse.reader.summary(of: .user("bob"), app: app.id)?.identifiers == [])
    // Installs are counted as before.
    let question = PersonsQuestion(scope: QuestionScope(range: .dates(day("2026-05-04"), day("2026-05-04"))))
    let answer = try await warehouse.reader.answer(
      .persons(question), app: app.id, calendar: try #require(QuestionCalendar("UTC")), today: day("2026-05-04"))
    guard case .persons(let installs) = answer.answer else {
      Issue.record("not persons")
      return
    }
    // The install `ann` is that of the alias itself.
    #expect(Set(installs.persons.map(\.install)) == ["anon", "phone", "old", "ann"])
    try await warehouse.close()
  }

  @Test func `rows of other kinds and names join no one, nor do words for no one`() async throws {
    let warehouse = try open()
    var event = Self.alias("ann", "anon")
    event.events[0].kind = .event
    var identify = Self.alias("ann", "anon")
    identify.events[0].name = "identify"
    var nameless = Self.alias("ann", "anon")
    nameless.events[0].user = ""
    let useless = [Self.alias("ann", "null"), Self.alias("bob", "null")]
    try await store(Self.rows + [event, identify, nameless] + useless, warehouse)
    #expect(try await persons(warehouse).count == 6)
    // An alias is no property that questions could name.
    #expect(try await warehouse.reader.properties(app: app.id).map(\.name) == [AliasRecord.name])
    #expect(try await warehouse.reader.properties(app: app.id).map(\.rows) == [1])
    try await warehouse.close()
  }

  @Test func `a restart, a rebuild, and an import of an export know the same persons`() async throws {
    var warehouse = try open()
    try await store(Self.rows + Self.aliases, warehouse)
    let expected = try await persons(warehouse)
    #expect(expected == [1, 1, 6])
    var (lines, cursor): ([UInt8], ExportCursor?) = ([], .start)
    while let place = cursor {
      let page = try await warehouse.reader.exportPage(ExportRequest(app: app, format: .ndjson, server: "s"), at: place)
      lines += page.bytes
      cursor = page.next
    }
    let copy = try catalog.createApp(name: "Copy", timeZone: "UTC")
    var isRead = false
    _ = try await warehouse.importRows(to: copy, server: "s") { [lines] in
      defer { isRead = true }
      return isRead ? [] : lines
    }
    #expect(try await persons(warehouse, app: copy.id) == expected)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
    warehouse = try open()
    #expect(try await persons(warehouse) == expected)
    try await warehouse.close()
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: catalog)
    warehouse = try open()
    #expect(try await persons(warehouse) == expected)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test(arguments: ["ann", "old", "anon"])
  func `an export of a user has the rows of all their identifiers`(user: String) async throws {
    let warehouse = try open()
    try await store(Self.rows + Self.aliases, warehouse)
    let request = ExportRequest(app: app, format: .csv, person: .user(user), server: "s")
    var (bytes, cursor): ([UInt8], ExportCursor?) = ([], .start)
    while let place = cursor {
      let page = try await warehouse.reader.exportPage(request, at: place)
      bytes += page.bytes
      cursor = page.next
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let found = ["A1", "A2", "B1", "C1", "C2", "C3", "D1", "E1"].filter { text.contains($0) }
    #expect(found == ["A1", "A2", "B1", "C1", "C2", "C3"])
    try await warehouse.close()
  }

  @Test(arguments: ["ann", "old", "anon"])
  func `deleting a user deletes all their identifiers, and leaves others on their installs`(user: String) async throws {
    let warehouse = try open()
    try await store(Self.rows + Self.aliases, warehouse)
    #expect(try await warehouse.reader.has(.user(user), app: app.id))
    try await warehouse.delete(
      PersonDeletionRequest(person: .user(user), refusesLater: false), app: app.id, views: [])
    for gone in ["ann", "old", "anon"] { #expect(try await warehouse.reader.has(.user(gone), app: app.id) == false) }
    #expect(try await warehouse.reader.recent(app: app.id, limit: 99).map(\.name).sorted() == ["D1", "E1"])
    #expect(try await names(warehouse) == ["install anon", "install phone", "member bob"])
    // Who comes again is a stranger, and no one's other identifier.
    try await store([Self.events("New", install: "anon"), Self.events("New", install: "old", user: "old")], warehouse)
    #expect(try await persons(warehouse) == [1, 1, 1, 1])
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `deleting an install takes the aliases that name it, which splits a chain`() async throws {
    let warehouse = try open()
    try await store(
      [
        Self.events("A", install: "anon"), Self.events("B", install: "phone", user: "ann"),
        Self.events("C", install: "tablet", user: "cleo"), Self.alias("ann", "anon"), Self.alias("cleo", "anon"),
      ], warehouse)
    #expect(try await persons(warehouse) == [3])
    try await warehouse.delete(
      PersonDeletionRequest(person: .install("anon"), refusesLater: false), app: app.id, views: [])
    #expect(try await persons(warehouse) == [1, 1])
    #expect(try await trail(of: "anon", warehouse) == nil)
    try await store([Self.events("New", install: "anon")], warehouse)
    #expect(try await persons(warehouse) == [1, 1, 1])
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `a deletion that a crash interrupts knows the identifiers although their aliases are gone`() async throws {
    let warehouse = try open()
    try await store(Self.aliases + Self.rows, warehouse)
    let request = PersonDeletionRequest(person: .user("ann"), refusesLater: false)
    let number = app.id
    let joined = try await warehouse.identifiers(joinedWith: .user("ann"), app: number)
    #expect(joined.sorted() == ["ann", "anon", "old"])
    let deletion = try await warehouse.perform {
      try $0.beginDeletion(of: request, joined: joined, app: number.rawValue)
    }
    // The segment with the aliases.
    let first = try await warehouse.reader.reading { try StoredSpan.segments($0).min() }
    let segment = try #require(first)
    try await warehouse.perform { try $0.deleteRows(of: deletion, segment: segment) }
    let image = try directory.copy()
    try await warehouse.close()
    let restarted = try open(image)
    try await restarted.delete(request, app: app.id, views: [])
    #expect(try await restarted.reader.recent(app: app.id, limit: 99).map(\.name).sorted() == ["D1", "E1"])
    #expect(try await names(restarted) == ["install anon", "install phone", "member bob"])
    #expect(try await restarted.reader.verify().isClean)
    try await restarted.close()
  }

  @Test func `aliases in rows that come back from the cluster count when a deletion goes on`() async throws {
    let cluster = MemoryRows()
    RetiredRowCache.connect(directory.path, to: cluster)
    let warehouse = try open()
    try await store(Self.aliases, warehouse)
    for _ in 0..<10 { try await store([Self.events("F1", "F2", "F3", install: "filler")], warehouse) }
    try await store(Self.rows, warehouse)
    try await warehouse.flush()
    let first = try await warehouse.segments(receivedBefore: .max).first
    let segment = try #require(first)
    #expect(segment.ids.contains(2))
    try await warehouse.copy(segment, to: cluster)
    try FileManager.default.removeItem(atPath: RowSegment.path(segment.number, in: directory.path + "/rows"))
    cluster.isAway = true
    let request = PersonDeletionRequest(person: .user("ann"), refusesLater: false)
    let error = await #expect(throws: WarehouseError.self) {
      try await warehouse.delete(request, app: app.id, views: [])
    }
    #expect(error?.code == .rowsAway)
    #expect(try await users(warehouse) == ["bob", "old", "old", "old"])
    cluster.isAway = false
    try await warehouse.delete(request, app: app.id, views: [])
    #expect(try await users(warehouse) == ["bob"])
    #expect(try await names(warehouse) == ["install anon", "install filler", "install phone", "member bob"])
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  /// The users of all rows that can be read.
  private func users(_ warehouse: SQLiteWarehouse) async throws -> [String] {
    try await warehouse.reader.reading { connection in
      let scan = try EventScan(connection, after: 0, damage: DamagedRows())
      var users: [String] = []
      while try scan.next() != nil { if !scan.user.isEmpty { users.append(scan.user) } }
      return users.sorted()
    }
  }

  @Test func `what a refused person sends under any identifier is refused, and no more`() async throws {
    let warehouse = try open()
    try await store(Self.rows + Self.aliases, warehouse)
    try await warehouse.delete(
      PersonDeletionRequest(person: .user("ann"), refusesLater: true), app: app.id, views: [])
    for refused in [
      Self.events("X", install: "anon"), Self.events("X", install: "phone", user: "old"),
      Self.events("X", install: "new", user: "anon"),
    ] {
      let receipt = try await warehouse.commit(refused, app: app.id)
      #expect(receipt.rejections.map(\.reason) == ["person_refused"])
    }
    for other in [Self.events("Y", install: "anon", user: "bob"), Self.events("Y", install: "phone")] {
      #expect(try await warehouse.commit(other, app: app.id).accepted == 1)
    }
    // No alias says that the user and the install of this name are one person.
    try await warehouse.delete(
      PersonDeletionRequest(person: .user("phone"), refusesLater: true), app: app.id, views: [])
    #expect(try await warehouse.commit(Self.events("Z", install: "phone"), app: app.id).accepted == 1)
    try await warehouse.close()
  }

  /// The installs and users that the warehouse names.
  private func names(_ warehouse: SQLiteWarehouse) async throws -> [String] {
    try await warehouse.reader.reading { connection in
      try connection.texts("SELECT 'install ' || name FROM install UNION ALL SELECT 'member ' || name FROM member")
        .sorted()
    }
  }
}
