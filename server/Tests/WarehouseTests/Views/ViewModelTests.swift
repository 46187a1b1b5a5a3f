import Foundation
import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Compares views with a model that looks back over all hits. Hits, their order, sealing and changes of definitions are
/// random.
@Suite struct ViewModelTests {
  private typealias Place = ViewMemoryTests.Place
  private static let hour: Int64 = 3_600_000

  @Test func `metrics are a pure function of the hits received in time, whenever days are sealed`() async throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<3 {
      let seed = UInt64.random(in: 0...UInt64.max, using: &generator)
      print("view model seed \(seed)")
      try await check(seed)
    }
  }

  private func check(_ seed: UInt64) async throws {
    var random = FastGenerator(seed: seed)
    let place = try Place()
    var views = try self.views(place)
    var hits: [NaiveView.Hit] = []
    var now = milliseconds("2024-05-01T06:00:00Z")
    for _ in 0..<60 {
      now += Int64.random(in: 1...6 * Self.hour, using: &random)
      let fresh = (0..<Int.random(in: 1...8, using: &random)).map { _ in hit(received: now, &random) }
      hits += fresh
      try await place.send(fresh.map { text($0, received: now) }, received: Timestamp(millisecondsSince1970: now))
      if Int.random(in: 0..<8, using: &random) == 0 {
        try place.catalog.define(
          app: place.app.id, kind: .dimension, index: Int.random(in: 1...3, using: &random), name: "D",
          scope: CustomDefinition.Scope.allCases.randomElement(using: &random),
          isActive: Int.random(in: 0..<5, using: &random) > 0)
      }
      if Int.random(in: 0..<10, using: &random) == 0 {
        let index = Int.random(in: views.indices, using: &random)
        views[index] = try place.catalog.changeView(views[index].id, change(&random))
      }
      // Some views are sealed from time to time, others only at the end.
      if Int.random(in: 0..<6, using: &random) == 0 {
        let some = views.filter { _ in Bool.random(using: &random) }
        try await place.warehouse.sealDays(of: some, now: Timestamp(millisecondsSince1970: now))
      }
      if Int.random(in: 0..<12, using: &random) == 0 { try await compare(views, hits, place, now: now, seed) }
    }
    try await compare(views, hits, place, now: now, seed)
    let end = now + 60 * Self.hour
    try await place.warehouse.sealDays(of: views, now: Timestamp(millisecondsSince1970: end))
    try await compare(views, hits, place, now: end, seed)
    try await place.warehouse.flush()
    #expect(try await place.warehouse.reader.verify().isClean, "seed \(seed)")
    try await place.close()
  }

  private func views(_ place: Place) throws -> [View] {
    for (index, scope) in CustomDefinition.Scope.allCases.enumerated() {
      try place.catalog.define(app: place.app.id, kind: .dimension, index: index + 1, name: "D", scope: scope)
    }
    let filter = try #require(ViewFilter("av!=1"))
    let kinds: [(ViewSettings, [ViewFilter])] = [
      (ViewSettings(), []), (ViewSettings(sessionTimeout: .seconds(3 * 3_600), campaignDays: 2), [filter]),
      (ViewSettings(campaignDays: 3, identity: .user), []),
      (ViewSettings(campaignDays: 1, identity: .explicitUser), [filter]),
    ]
    return try kinds.map { settings, filters in
      try place.catalog.createView(
        app: place.app.id, name: "V", timeZone: "UTC", filters: filters, settings: settings)
    }
  }

  private func change(_ random: inout FastGenerator) -> ViewChange {
    var change = ViewChange()
    change.campaignDays = Int.random(in: 1...4, using: &random)
    if Bool.random(using: &random) { change.sessionTimeout = .seconds(60 * Int.random(in: 1...240, using: &random)) }
    if Bool.random(using: &random) {
      change.filters = Bool.random(using: &random) ? [] : [ViewFilter("av!=1")].compactMap(\.self)
    }
    return change
  }

  private func hit(received: Int64, _ random: inout FastGenerator) -> NaiveView.Hit {
    func chance(_ one: Int, _ value: String) -> String? { Int.random(in: 0..<one, using: &random) == 0 ? value : nil }
    let waits: [ClosedRange<Int64>] = [0...60_000, 0...Self.hour, 0...Self.hour * 30]
    let wait = Int64.random(in: waits.randomElement(using: &random) ?? 0...0, using: &random)
    var parameters = ["t": "screenview", "cd": "S"]
    for index in 1...3 { parameters["cd\(index)"] = chance(4, "v\(Int.random(in: 0..<3, using: &random))") }
    parameters["cs"] = chance(8, "c\(Int.random(in: 0..<2, using: &random))")
    parameters["sc"] = chance(12, Bool.random(using: &random) ? "start" : "end")
    parameters["av"] = chance(3, "1")
    parameters["pa"] = chance(3, chance(3, "refund") ?? "purchase")
    if let action = parameters["pa"] {
      parameters["ti"] = "t\(Int.random(in: 0..<6, using: &random))"
      parameters["tr"] = action == "purchase" ? "\(Int.random(in: 1..<100, using: &random))" : chance(3, "5")
    }
    let client = Int.random(in: 0..<3, using: &random)
    return NaiveView.Hit(
      client: "c\(client)", user: chance(2, "u\(client / 2)") ?? "", time: received - wait, received: received,
      parameters: parameters)
  }

  private func text(_ hit: NaiveView.Hit, received: Int64) -> String {
    let parameters = hit.parameters.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
    return "cid=\(hit.client)&qt=\(received - hit.time)&\(parameters)" + (hit.user.isEmpty ? "" : "&uid=\(hit.user)")
  }

  private func compare(_ views: [View], _ hits: [NaiveView.Hit], _ place: Place, now: Int64, _ seed: UInt64)
    async throws
  {
    let definitions = try place.catalog.definitions(app: place.app.id)
    for view in views {
      let expected = NaiveView(view: view, definitions: definitions).days(hits)
      for number in day("2024-04-29").number...Int(now / 86_400_000) {
        let metrics = try await place.warehouse.reader.viewMetrics(
          view, days: Day(number: number)...Day(number: number), tables: [.acquisition, .dimensions], now: now)
        func numbers(_ table: ViewTable) -> [[String]: Int64] {
          Dictionary(uniqueKeysWithValues: (metrics.tables[table] ?? []).map { ($0.key, $0.numbers[0].rawValue) })
        }
        let found = NaiveView.Day(
          sessions: metrics.totals.sessions.rawValue, hits: metrics.totals.hits.rawValue,
          acquisition: numbers(.acquisition),
          dimensions: numbers(.dimensions), revenue: metrics.totals.revenue.rawValue)
        #expect(found == expected[number] ?? NaiveView.Day(), "view \(view.id), \(Day(number: number)), seed \(seed)")
      }
    }
  }
}
