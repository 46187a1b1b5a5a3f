import Ingest
import Questions
import ServerBase
import TernBase
import TernEvents
import Testing

@testable import Warehouse
@testable import WarehouseContract
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// The deletion of a person, compared with a warehouse that never saw them.
@Suite struct PersonDeletionTests {
  private static let persons: [Person] = [
    .install("client 9"), .install("00000000-0000-4000-8000-000000000011"), .user("user 1"),
    .user("user 4"), .user("user 8"),
  ]
  private static let middle = day("2026-05-04")
  private static let days = middle.advanced(by: -12)...middle.advanced(by: 12)

  private let directory: TemporaryDirectory
  private let catalog = MemoryCatalog(zones: ["Europe/Berlin", "UTC"])
  private let naive: NaiveWarehouse

  init() throws {
    directory = try TemporaryDirectory()
    naive = NaiveWarehouse(catalog: catalog)
    for (number, settings) in [ViewSettings(), ViewSettings(identity: .user)].enumerated() {
      catalog.add(
        View(
          id: ViewID(Int64(number + 1)), app: AppID(1), name: "V",
          zones: [View.Zone(ZoneRules("Europe/Berlin")!, start: Timestamp(millisecondsSince1970: 0))],
          first: View.Rules(lateness: .window, filters: [], settings: settings)))
    }
  }

  private func open(
    _ directory: TemporaryDirectory? = nil, report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> SQLiteWarehouse {
    var configuration = WarehouseConfiguration(spanRows: 50, segmentBytes: 5_000)
    configuration.report = report
    return try SQLiteWarehouse(
      directory: (directory ?? self.directory).path, catalog: catalog, configuration: configuration)
  }

  /// Stores traffic of two apps, and for the naive warehouse the same without one person of the first app.
  private func fill(_ warehouse: SQLiteWarehouse, without person: Person, seed: UInt64) async throws {
    var traffic = RandomTraffic(
      seed: seed, apps: [AppID(1), AppID(1), AppID(2)], center: timestamp("2026-05-04T12:00:00Z"), days: 10,
      isOrdered: true)
    for _ in 0..<90 {
      var (batch, app) = traffic.next()
      // They belong to the errors of anyone in this traffic, and some are rejected; another test has them.
      batch.attachments = []
      _ = try await warehouse.commit(batch, app: app)
      try naive.store(app == AppID(1) ? Self.without(person, batch) : batch, app: app)
    }
    try await warehouse.flush()
  }

  /// Returns a batch as it would be without a person.
  private static func without(_ person: Person, _ batch: IncomingBatch) -> IncomingBatch {
    func isGone(_ event: IncomingEvent) -> Bool {
      switch person {
      case .install(let name): batch.installs[event.install] == name
      case .user(let name): event.user == name
      }
    }
    var rest = batch
    let kept = batch.events.indices.filter { !isGone(batch.events[$0]) }
    let positions = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1, $0) })
    rest.events = kept.map { batch.events[$0] }
    rest.errors = batch.errors.compactMap { error in
      var error = error
      guard let position = positions[error.event] else { return nil }
      error.event = position
      return error
    }
    rest.hits = batch.hits.compactMap { hit in
      positions[hit.event].map { IncomingHit(event: $0, parameters: hit.parameters) }
    }
    if batch.events.last.map(isGone) ?? true { rest.ledger = nil }
    return rest
  }

  private func compare(_ warehouse: SQLiteWarehouse, _ what: String, comparesLedgers: Bool = false) async throws {
    try await warehouse.flush()
    let trial = ContractTrial(
      label: what, seed: 0, catalog: catalog, naive: naive,
      backend: ContractBackend(
        sink: warehouse, store: warehouse.reader, settle: {}, seal: { _, _ in }, fail: { _ in }, close: {})
    ) { _ in throw WarehouseError(.invalid, "Not needed.") }
    for app in catalog.apps().map(\.id) {
      try await trial.compare(app, Self.days)
      if comparesLedgers { try await trial.compareLedger(app, since: timestamp("2000-01-01T00:00:00Z")) }
    }
    for view in catalog.views(app: nil) {
      try await trial.compare(view, Self.days, now: timestamp("2026-05-12T12:00:00Z"))
    }
    let report = try await warehouse.reader.verify()
    #expect(report.isClean, "\(what): \(report.differences) \(report.problems)")
  }

  /// The names that a warehouse stores of an app, without their numbers.
  private func names(_ warehouse: SQLiteWarehouse) async throws -> [String: [String]] {
    try await warehouse.reader.reading { connection in
      var names: [String: [String]] = [:]
      for (table, columns) in [
        "dictionary": "kind || ' ' || text", "install": "hex(name)", "member": "name", "ledger": "tracked",
        "error_group": "kind || type || place || message", "device": "length(facts) > 0",
        "daily_count": "dim || ' ' || day || ' ' || n", "error_text": "name || message || stack || hex(raw)",
      ] {
        names[table] = try connection.texts("SELECT \(columns) FROM \(table) WHERE app = 1").sorted()
      }
      // The sessions of hits lie with their install.
      names["hit"] = try connection.texts(
        "SELECT hex(name) || h.t FROM hit h JOIN install i ON i.app = h.app AND i.slot = h.slot WHERE h.app = 1"
      ).sorted()
      names["begun"] = try connection.texts("SELECT kind FROM deletion UNION ALL SELECT kind FROM deletion_trace")
      return names
    }
  }

  /// The names that a warehouse stores which never saw the person.
  private func expectedNames(without person: Person, seed: UInt64) async throws -> [String: [String]] {
    let other = try TemporaryDirectory()
    defer { withExtendedLifetime(other) {} }
    let warehouse = try open(other)
    var traffic = RandomTraffic(
      seed: seed, apps: [AppID(1), AppID(1), AppID(2)], center: timestamp("2026-05-04T12:00:00Z"), days: 10,
      isOrdered: true)
    for _ in 0..<90 {
      var (batch, app) = traffic.next()
      batch.attachments = []
      _ = try await warehouse.commit(app == AppID(1) ? Self.without(person, batch) : batch, app: app)
    }
    try await warehouse.flush()
    try await warehouse.perform { try $0.finishHits() }
    let names = try await names(warehouse)
    try await warehouse.close()
    return names
  }

  @Test(arguments: zip(persons, [3, 6, 3, 4, 5] as [UInt64]))
  func `after a deletion, everything is as in a warehouse that never saw the person`(
    person: Person, seed: UInt64
  ) async throws {
    var warehouse = try open()
    try await fill(warehouse, without: person, seed: seed)
    try await warehouse.countOpenDays(of: catalog.views(app: nil), now: timestamp("2026-05-12T12:00:00Z"))
    #expect(try await warehouse.reader.has(person, app: AppID(1)))
    let isInstall = if case .install = person { true } else { false }
    try await warehouse.delete(
      PersonDeletionRequest(person: person, refusesLater: false), app: AppID(1), views: [ViewID(1), ViewID(2)])
    #expect(try await warehouse.reader.has(person, app: AppID(1)) == false)
    try await compare(warehouse, "after the deletion", comparesLedgers: isInstall)
    try await warehouse.perform { try $0.finishHits() }
    var (found, expected) = (try await names(warehouse), try await expectedNames(without: person, seed: seed))
    // A ledger belongs to the install, not to its users.
    if !isInstall { (found["ledger"], expected["ledger"]) = (nil, nil) }
    for table in expected.keys { #expect(found[table] == expected[table], "\(table)") }
    try await warehouse.close()
    warehouse = try open()
    try await compare(warehouse, "after a restart", comparesLedgers: isInstall)
    try await warehouse.close()
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: catalog)
    warehouse = try open()
    try await compare(warehouse, "after rebuilding", comparesLedgers: isInstall)
    try await warehouse.close()
  }

  /// The steps of a deletion after which the process may be killed.
  enum Step: Int, CaseIterable {
    case begun, someRows, rows, lastHits, sessionStarts, someDays, days, finished
  }

  @Test(arguments: Step.allCases, [persons[0], persons[2]])
  func `a deletion that a crash interrupts is completed by repeating it`(step: Step, person: Person) async throws {
    let warehouse = try open()
    try await fill(warehouse, without: person, seed: 5)
    let request = PersonDeletionRequest(person: person, refusesLater: false)
    try await advance(warehouse, request, to: step)
    let image = try directory.copy()
    try await warehouse.close()
    let restarted = try open(image)
    // A begun deletion is continued, although the person's name is gone.
    #expect(try await restarted.reader.has(person, app: AppID(1)) == (step != .finished))
    try await restarted.delete(request, app: AppID(1), views: [ViewID(1), ViewID(2)])
    try await compare(restarted, "after \(step)")
    #expect(try await names(restarted)["begun"] == [])
    try await restarted.close()
  }

  private func advance(_ warehouse: SQLiteWarehouse, _ request: PersonDeletionRequest, to step: Step) async throws {
    let deletion = try await warehouse.perform { try $0.beginDeletion(of: request, app: 1) }
    guard step != .begun else { return }
    if step == .someRows {
      let segments = try await warehouse.reader.reading { try StoredSpan.segments($0) }
      for segment in segments.sorted().prefix(3) {
        try await warehouse.perform { try $0.deleteRows(of: deletion, segment: segment) }
      }
      return
    }
    try await warehouse.deleteRows(of: deletion)
    guard step != .rows else { return }
    let remains = try await warehouse.remains(of: deletion)
    let complete = try await warehouse.perform { try $0.storeLastHits(remains, of: deletion) }
    guard step != .lastHits else { return }
    try await warehouse.startSessions(at: complete.sessionStarts, of: deletion)
    guard step != .sessionStarts else { return }
    if step == .someDays {
      let days = try await warehouse.reader.reading { try deletion.traces($0).days.sorted() }
      _ = try await warehouse.counting.perform { try $0.recount([days[0]], app: 1) }
      return
    }
    try await warehouse.recount(deletion)
    guard step == .finished else { return }
    try await warehouse.perform { try $0.finish(deletion, complete, views: [1, 2]) }
  }

  @Test func `what a person sends during and after the deletion is that of a new person`() async throws {
    let warehouse = try open()
    _ = try await warehouse.commit(batch(["Old", "Shared"], install: "a", firstKey: 1), app: AppID(1))
    _ = try await warehouse.commit(batch(["Shared"], install: "b", firstKey: 10), app: AppID(1))
    let request = PersonDeletionRequest(person: .install("a"), refusesLater: false)
    let deletion = try await warehouse.perform { try $0.beginDeletion(of: request, app: 1) }
    _ = try await warehouse.commit(batch(["During"], install: "a", firstKey: 20), app: AppID(1))
    try await warehouse.deleteRows(of: deletion)
    let remains = try await warehouse.remains(of: deletion)
    // Stored after the rows were read, and names a text that the person had.
    _ = try await warehouse.commit(batch(["Old"], install: "b", firstKey: 30), app: AppID(1))
    try await warehouse.recount(deletion)
    try await warehouse.perform { try $0.finish(deletion, remains, views: []) }
    try await warehouse.flush()
    #expect(try await warehouse.reader.recent(app: AppID(1), limit: 9).map(\.name) == ["Old", "During", "Shared"])
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.delete(request, app: AppID(1), views: [])
    #expect(try await warehouse.reader.recent(app: AppID(1), limit: 9).map(\.name) == ["Old", "Shared"])
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `a start has nothing to say of rows that a deletion has moved to segments with higher numbers`()
    async throws
  {
    var warehouse = try open()
    for number in 0..<40 {
      let names = (0..<10).map { "Event \($0)" }
      let install = number == 0 ? "gone" : "install \(number)"
      _ = try await warehouse.commit(batch(names, install: install, firstKey: Int64(number) * 10), app: AppID(1))
    }
    try await warehouse.delete(
      PersonDeletionRequest(person: .install("gone"), refusesLater: false), app: AppID(1), views: [])
    let (first, last) = try await warehouse.reader.reading { connection in
      (try StoredSpan.segment(of: 11, connection), try StoredSpan.last(connection)?.segment)
    }
    #expect(try #require(first) > #require(last))
    try await warehouse.close()
    let said = Locked<[String]>([])
    warehouse = try open { text in said.withLock { $0.append(text) } }
    #expect(said.withLock { $0 } == [])
    #expect(try await warehouse.reader.recent(app: AppID(1), limit: 1_000).count == 390)
    try await warehouse.close()
  }

  @Test func `refused persons stay refused, and their events are counted as rejected`() async throws {
    var warehouse = try open()
    let names = ["0F8FAD5B-D9CB-469F-A165-70867728950E", "b"]
    for (number, name) in names.enumerated() {
      _ = try await warehouse.commit(batch(["Old"], install: name, firstKey: Int64(number)), app: AppID(1))
    }
    for person in [Person.install(names[0]), .user("ann")] {
      try await warehouse.delete(PersonDeletionRequest(person: person, refusesLater: true), app: AppID(1), views: [])
    }
    for round in 0..<2 {
      var late = batch(["Late", "Late"], install: names[0].lowercased(), firstKey: 100)
      late.ledger = DeviceLedger(tracked: 9, delivered: 1, waiting: 0, inFlight: 0, dropped: 0)
      let receipt = try await warehouse.commit(late, app: AppID(1))
      #expect(receipt.accepted == 0 && receipt.duplicates == [])
      #expect(receipt.rejections.map(\.reason) == ["person_refused", "person_refused"])
      var mixed = batch(["Ann", "Other"], install: names[1], firstKey: Int64(200 + round * 10))
      mixed.events[0].user = "ann"
      #expect(try await warehouse.commit(mixed, app: AppID(1)).rejections.map(\.index) == [0])
      // Another app knows nothing of it.
      #expect(try await warehouse.commit(late, app: AppID(2)).rejections == [])
      try await warehouse.close()
      warehouse = try open()
    }
    let today = day("2026-05-04")...day("2026-05-04")
    let dropped = try await warehouse.reader.totals(app: AppID(1), dimension: .dropped, days: today, limit: nil)
    #expect(dropped.map { "\($0.key) \($0.count)" } == ["rejected:person_refused 6"])
    #expect(try await warehouse.reader.recent(app: AppID(1), limit: 9).map(\.name) == ["Other", "Other", "Old"])
    #expect(try await warehouse.reader.has(.install(names[0]), app: AppID(1)) == false)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `sealed days of views keep their figures, and verification finds nothing`() async throws {
    let warehouse = try open()
    let view = View(
      id: ViewID(1), app: AppID(1), name: "V",
      zones: [View.Zone(.utc, start: Timestamp(millisecondsSince1970: 0))],
      first: View.Rules(lateness: .cutoff, filters: [], settings: ViewSettings()))
    catalog.add(view)
    try await fill(warehouse, without: .install("client 9"), seed: 6)
    let now = timestamp("2026-06-01T12:00:00Z")
    #expect(try await warehouse.sealDays(of: [view], now: now) > 5)
    func figures() async throws -> ViewMetrics {
      try await warehouse.reader.viewMetrics(
        view, days: Self.days, tables: Set(ViewTable.allCases), now: now.millisecondsSince1970)
    }
    let before = try await figures()
    for person in Self.persons {
      try await warehouse.delete(
        PersonDeletionRequest(person: person, refusesLater: false), app: AppID(1), views: [ViewID(1)])
    }
    #expect(try await figures() == before)
    let report = try await warehouse.reader.verify()
    #expect(report.isClean, "\(report.differences)")
    try await warehouse.close()
  }

  @Test func `columns are not made of an earlier moment whose rows have moved`() async throws {
    let warehouse = try open()
    try await fill(warehouse, without: Self.persons[0], seed: 3)
    func trail() async throws -> [Int64]? {
      try await warehouse.reader.trail(of: .install("client 12"), app: AppID(1), .latest, limit: 1_000)?
        .map(\.event.id)
    }
    let before = try await trail()
    #expect(before?.isEmpty == false)
    let earlier = try SQLDatabase(directory.path + "/warehouse.sqlite")
    try earlier.begin()
    try await warehouse.delete(
      PersonDeletionRequest(person: Self.persons[0], refusesLater: false), app: AppID(1), views: [])
    let (columns, dictionary) = (warehouse.reader.columns, warehouse.reader.dictionary)
    try columns.forget(app: 1)
    #expect(throws: WarehouseError.self) { try columns.update(earlier.connection, dictionary: dictionary) }
    #expect(try await warehouse.reader.verify().isClean)
    #expect(try await trail() == before)
    try await warehouse.close()
  }

  @Test func `a request is the same after it was written and read`() {
    for person in [Person.install("a b"), .user(" x\n"), .user("")] {
      for refusesLater in [true, false] {
        let request = PersonDeletionRequest(person: person, refusesLater: refusesLater)
        #expect(PersonDeletionRequest(request.text) == request)
      }
    }
    #expect(PersonDeletionRequest("accept anyone x") == nil)
  }
}
