import Reports
import TernBase
package import Warehouse

/// A store with fixed metrics of views.
package struct SampleViews: ForwardingStore {
  package let base: any MetricsStore
  package var metrics = ViewMetrics()
  package var late: [LateHits] = []
  package var hits: [InspectedHit] = []
  package var realtime = ViewRealtime()

  /// Creates a store with a row in every list of views, with one text and one number throughout.
  package init(base: any MetricsStore, _ text: String, _ number: Int64 = 3, day: Day, time: Int64 = 0) {
    self.base = base
    let count = Int(number)
    var totals = ViewTotals()
    for field in [
      \ViewTotals.hits, \.sessions, \.screenViews, \.events, \.exceptions, \.crashes, \.duration, \.transactions,
      \.revenue, \.excessHits,
    ] { totals[keyPath: field] = SaturatingInt64(number) }
    metrics.days = [ViewMetrics.DayRow(day: day, totals: totals, users: count, newUsers: count, state: .final)]
    metrics.totals = totals
    (metrics.users, metrics.newUsers, metrics.returningUsers) = (count, count, count)
    metrics.actives = [1: count, 7: count, 14: count, 28: count]
    for table in ViewTable.allCases {
      let key = Array(repeating: text, count: Self.parts(table))
      let numbers = Array(repeating: SaturatingInt64(number), count: table.width)
      metrics.tables[table] = Self.keys(table, key).map { ViewMetrics.Row(key: $0, numbers: numbers, users: count) }
    }
    metrics.definitions = CustomDefinition.Kind.allCases.map {
      CustomDefinition(app: AppID(1), kind: $0, index: 1, name: text, type: .currency, rules: [])
    }
    late = [nil, 1, 24, 168, count].map { LateHits(day: day, version: text, hours: $0, count: count) }
    hits = ["counted", "late"].map {
      InspectedHit(
        id: number, time: time, received: time, day: day, status: $0, install: count,
        parameters: ["t": text, "cd": text, text: text])
    }
    (realtime.activeUsers, realtime.newUsers, realtime.hits) = (count, count, count)
    for index in realtime.minutes.indices {
      realtime.minutes[index].hits = count
      realtime.minutes[index].screenViews = count
      realtime.minutes[index].users = count
    }
    for fact in ViewRealtime.Fact.allCases {
      realtime.facts[fact] = [
        ViewRealtime.Row(key: fact == .event ? [text, text] : [text], hits: count, users: count)
      ]
    }
  }

  /// Of how many parts a table's keys are.
  private static func parts(_ table: ViewTable) -> Int {
    switch table {
    case .flow: 5
    case .promotions: 4
    case .events, .timings, .acquisition, .social, .screenVersions, .eventScreens, .listProducts,
      .dimensions:
      3
    case .exceptions, .products, .devices, .versions, .applications, .orders, .productFacts,
      .checkoutOptions:
      2
    default: 1
    }
  }

  /// Keys that the server chooses beside those that clients do.
  private static func keys(_ table: ViewTable, _ key: [String]) -> [[String]] {
    switch table {
    case .devices: ["model", "system", "resolution", "language", "country"].map { [$0, key[1]] }
    case .orders: [["all", "all"], ["coupon", key[1]]]
    case .shopping: ["all", "detail", "click"].map { [$0] }
    case .flow: [["01", "screen", key[2], "event", key[4]], ["10", "event", key[2], "exit", "(exit)"]]
    case .depths: ["00", "07", "20+"].map { [$0] }
    case .checkoutSteps: ["2", "purchase"].map { [$0] }
    case .dimensions: [key, ["cd1", "session", key[2]]]
    case .metrics: [key, ["cm1"]]
    case .exceptionSessions: ["exception", "crash"].map { [$0] }
    default: [key]
    }
  }
}

extension SampleViews {
  package func viewMetrics(
    _ view: View, days: ClosedRange<Day>, tables: Set<ViewTable>, now: Int64
  ) async throws -> ViewMetrics { metrics }

  package func lateHits(_ view: View, days: ClosedRange<Day>) async throws -> [LateHits] { late }

  package func inspectedHits(_ view: View, days: ClosedRange<Day>, limit: Int) async throws -> [InspectedHit] { hits }

  package func viewRealtime(_ view: View, now: Int64) async throws -> ViewRealtime { realtime }
}
