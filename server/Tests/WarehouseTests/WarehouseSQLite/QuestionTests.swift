import Ingest
import Questions
import QuestionsTestSupport
import TernEvents
import Testing

@testable import AppCatalog
@testable import Warehouse
@testable import WarehouseSQLite

/// Questions to a warehouse against the naive evaluator, on random rows.
@Suite struct QuestionTests {
  static let zones: [(String, Day)] = [
    ("UTC", day("2026-10-20")), ("Europe/Berlin", day("2026-10-17")), ("America/New_York", day("2026-03-01")),
    ("Pacific/Apia", day("2011-12-23")),
  ]

  /// A batch of one row, as a client would send it.
  static func batch(_ row: QuestionRow) -> IncomingBatch {
    let kinds: [QuestionKind: StoredKind] = [
      .event: .event, .screen: .screen, .sessionStart: .sessionStart, .handledError: .handledError, .crash: .crash,
      .other: row.id.isMultiple(of: 2) && row.alias == nil ? .attachmentPart : .other,
    ]
    var properties = row.properties.map { name, value in
      let stored: PropertyValue =
        switch value {
        case .number(let number): Int64(exactly: number).map { .integer($0) } ?? .double(number)
        case .text(let text): text.text == "true" ? .boolean(true) : .string(text.text)
        }
      return Properties.Element(name: name.text, value: stored)
    }
    if let alias = row.alias { properties.append(.init(name: AliasRecord.name, value: .string(alias))) }
    let device = IncomingDevice(country: row.facts[.country] ?? "", appVersion: row.facts[.version] ?? "")
    let event = IncomingEvent(
      index: 0, kind: kinds[row.kind] ?? .event, duplicateKey: nil,
      time: Timestamp(millisecondsSince1970: row.time), microseconds: row.microseconds, session: row.session ?? 0,
      startsSession: row.startsSession,
      user: row.user ?? "", name: row.alias.map { _ in AliasRecord.name } ?? row.name ?? row.kind.rawValue,
      properties: properties)
    return IncomingBatch(
      source: .native, received: Timestamp(millisecondsSince1970: row.time), installs: [row.install],
      devices: [device], events: [event])
  }

  /// Stores rows, which get the IDs 1, 2, ….
  static func store(_ rows: [QuestionRow], _ warehouse: SQLiteWarehouse, _ app: AppID) async throws -> [QuestionRow] {
    var stored: [QuestionRow] = []
    for (index, row) in rows.enumerated() {
      _ = try await warehouse.commit(batch(row), app: app)
      var copy = row
      copy.id = Int64(index + 1)
      // Without the details of an error, a row belongs to no group.
      copy.error = nil
      stored.append(copy)
    }
    return stored
  }

  @Test(arguments: 0..<8) func `a warehouse answers as the definitions do, of all rows just committed`(
    seed: Int
  ) async throws {
    let (zone, first) = Self.zones[seed % Self.zones.count]
    var random = RandomRows(seed: UInt64(1_000 + seed), first: first)
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player", timeZone: zone).id
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    let today = first.advanced(by: 12)
    let rows = try await Self.store(random.rows(160), warehouse, app)
    let naive = NaiveEvaluator(rows, calendar: try #require(QuestionCalendar(zone)), today: today)
    for _ in 0..<20 {
      let question = random.question()
      let answer = try await warehouse.reader.answer(
        question, app: app, calendar: try #require(QuestionCalendar(zone)), today: today)
      #expect(answer.answer == naive.answer(question), "seed \(seed), \(question)")
    }
    try await warehouse.close()
  }

  /// The microseconds of a checkout and a purchase of one millisecond, and the persons of 20 who convert.
  @Test(arguments: [(7, 8, 20), (8, 7, 0), (7, 7, 20), (nil, nil, 20)] as [(Int?, Int?, Int)])
  func `a purchase that arrives before its checkout converts, unless it was earlier`(
    checkout: Int?, purchase: Int?, converted: Int
  ) async throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player", timeZone: "UTC").id
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    let time = timestamp("2026-11-28T12:00:00Z").millisecondsSince1970
    var rows: [QuestionRow] = []
    for (name, microseconds) in [("Purchase", purchase), ("Checkout", checkout)] {
      for person in 0..<20 {
        var row = QuestionRow(id: 0, time: time + Int64(person), kind: .event, name: name, install: "i\(person)")
        row.microseconds = microseconds
        rows.append(row)
      }
    }
    _ = try await Self.store(rows, warehouse, app)
    let question = FunnelQuestion(
      scope: QuestionScope(range: .dates(day("2026-11-28"), day("2026-11-28"))),
      steps: [Selector(.event("Checkout")), Selector(.event("Purchase"))])
    let answer = try await warehouse.reader.answer(
      .funnel(question), app: app, calendar: try #require(QuestionCalendar("UTC")), today: day("2026-11-28"))
    guard case .funnel(let funnel) = answer.answer else {
      Issue.record("not a funnel")
      return
    }
    #expect(funnel.groups.first?.steps.map(\.persons) == [20, converted])
    try await warehouse.close()
  }
}
