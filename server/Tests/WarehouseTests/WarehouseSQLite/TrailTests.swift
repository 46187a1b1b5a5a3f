import Ingest
import Questions
import TernEvents
import Testing

@testable import AppCatalog
@testable import Warehouse
@testable import WarehouseSQLite

/// The rows of single persons, over several spans of rows.
@Suite struct TrailTests {
  private static let first = "0190c0de-0000-7000-8000-000000000001"

  private static func event(
    _ name: String, at time: Int64, user: String = "", kind: StoredKind = .event
  ) -> IncomingEvent {
    IncomingEvent(
      index: 0, kind: kind, duplicateKey: nil, time: Timestamp(millisecondsSince1970: time), session: 7,
      startsSession: kind == .sessionStart, user: user, name: name)
  }

  @Test func `rows come by time, newest first, in pages that neither repeat nor leave out one`() async throws {
    try await withWarehouse { warehouse, app in
      // Late rows, ties in time, and rows of others in between.
      for step in 0..<40 {
        let time = 1_780_000_000_000 + Int64(step * 7 % 40 / 2) * 60_000
        _ = try await warehouse.commit(
          batch([Self.event("E\(step)", at: time)], install: step % 3 == 2 ? "other" : Self.first), app: app)
      }
      let reader = warehouse.reader
      let all = try #require(
        try await reader.trail(of: .install(Self.first), app: app, .latest, limit: 1_000))
      #expect(all.count == 27)
      let order = all.map { [$0.cursor.time, $0.cursor.row] }
      #expect(order == order.sorted { ($0[0], $0[1]) > ($1[0], $1[1]) })
      for size in [1, 4, 26, 27] {
        var pages: [TrailRow] = []
        var cursor: PersonsCursor?
        repeat {
          let page = try #require(
            try await reader.trail(
              of: .install(Self.first), app: app, cursor.map { .before($0) } ?? .latest, limit: size))
          #expect(page.count <= size)
          pages += page
          cursor = page.last?.cursor
          if page.isEmpty { break }
        } while true
        #expect(pages == all, "pages of \(size)")
      }
    }
  }

  @Test func `a user's rows are those with the same bytes, and an unknown person has none`() async throws {
    try await withWarehouse { warehouse, app in
      _ = try await warehouse.commit(
        batch(
          [
            Self.event("A", at: 1, user: "\u{E9}"), Self.event("B", at: 2, user: "e\u{301}"), Self.event("C", at: 3),
            Self.event("", at: 4, user: "\u{E9}", kind: .sessionStart),
            Self.event("D", at: 5, user: "\u{E9}", kind: .drops),
          ], install: "not a UUID"), app: app)
      let reader = warehouse.reader
      func names(_ person: Person) async throws -> [String]? {
        try await reader.trail(of: person, app: app, .latest, limit: 10)?.map {
          "\($0.event.name)\($0.startsSession ? "*" : "")\($0.session ?? 0)"
        }
      }
      #expect(try await names(.user("\u{E9}")) == ["*7", "A7"])
      #expect(try await names(.user("e\u{301}")) == ["B7"])
      #expect(try await names(.install("not a UUID"))?.count == 4)
      #expect(try await names(.user("nobody")) == nil)
      #expect(try await names(.install(Self.first)) == nil)
      #expect(try await reader.trail(of: .user("\u{E9}"), app: AppID(2), .latest, limit: 1) == nil)
    }
  }

  private func withWarehouse(_ body: (SQLiteWarehouse, AppID) async throws -> Void) async throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player").id
    let warehouse = try SQLiteWarehouse(
      directory: directory.path, catalog: catalog, configuration: WarehouseConfiguration(spanRows: 5))
    try await body(warehouse, app)
    try await warehouse.close()
  }

  private func batch(_ events: [IncomingEvent], install: String) -> IncomingBatch {
    var batch = IncomingBatch(
      source: .native, received: Timestamp(millisecondsSince1970: 1_780_003_000_000), installs: [install],
      devices: [IncomingDevice()], events: events)
    for index in batch.events.indices { batch.events[index].index = index }
    return batch
  }
}
