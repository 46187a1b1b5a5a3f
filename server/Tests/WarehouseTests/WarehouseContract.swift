import Ingest
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// The contract of a warehouse, checked against the naive one.
///
/// An implementation's tests call `run` with seeds of their choice. `settle` makes everything committed visible in
/// reports; `reopen` closes the warehouse and opens it again.
struct WarehouseContract<Subject: EventSink> {
  /// The IANA time zone of each app.
  var zones: [AppID: String]
  var settle: (Subject) async throws -> Void
  /// Returns the reader of what a sink stores.
  var source: (Subject) -> any MetricsStore
  var reopen: (Subject) async throws -> Subject

  /// Commits random traffic, reopening now and then, and compares every report.
  func run(_ subject: Subject, seed: UInt64, center: String, days: Int64, batches: Int) async throws -> Subject {
    var subject = subject
    let naive = NaiveWarehouse(zones: zones)
    var traffic = RandomTraffic(seed: seed, apps: zones.keys.sorted(), center: center, days: days)
    for index in 0..<batches {
      let (batch, app) = traffic.next()
      let receipt = try await subject.commit(batch, app: app)
      #expect(receipt == naive.commit(batch, app: app), "seed \(seed), batch \(index)")
      if index % (batches / 3 + 1) == batches / 4 { subject = try await reopen(subject) }
    }
    try await settle(subject)
    let middle = Day(number: Int(milliseconds(center) / 86_400_000))
    let range = Day(number: middle.number - Int(days) - 3)...Day(number: middle.number + Int(days) + 3)
    for app in zones.keys {
      try await compare(source(subject), naive, app, range, "seed \(seed), app \(app)")
      try await compare(
        source(subject), naive, app, middle...Day(number: middle.number + 1), "seed \(seed), app \(app), two days")
    }
    return subject
  }

  private func compare(
    _ subject: any MetricsStore, _ naive: NaiveWarehouse, _ app: AppID, _ days: ClosedRange<Day>, _ comment: Comment
  ) async throws {
    for dimension in Dimension.allCases where dimension != .property {
      let daily = try await subject.dailyCounts(app: app, dimension: dimension, days: days)
      #expect(daily == naive.dailyCounts(app, dimension, days), comment)
      let totals = try await subject.totals(app: app, dimension: dimension, days: days, limit: nil)
      #expect(totals == naive.totals(app, dimension, days), comment)
      let top = try await subject.totals(app: app, dimension: dimension, days: days, limit: 3)
      #expect(top == Array(totals.prefix(3)), comment)
      let count = try await subject.count(app: app, dimension: dimension, days: days)
      #expect(count == totals.reduce(0) { $0 + $1.count }, comment)
      for metrics in totals.prefix(4) {
        let one = try await subject.total(app: app, dimension: dimension, key: metrics.key, days: days)
        #expect(one == metrics, comment)
        let series = try await subject.series(app: app, dimension: dimension, key: metrics.key, days: days)
        #expect(series == naive.series(app, dimension, metrics.key, days), comment)
      }
      let absent = try await subject.total(app: app, dimension: dimension, key: "never seen", days: days)
      #expect(absent == KeyTotals(key: "never seen", count: 0, users: 0), comment)
    }
    #expect(try await subject.activity(app: app, days: days) == naive.activity(app, days), comment)
    for event in ["name 0", "name 7", "never seen"] {
      let properties = try await subject.properties(app: app, event: event, days: days, limit: 10_000)
      #expect(properties == naive.properties(app, event, days), comment)
    }
    let recent = try await subject.recent(app: app, limit: 7)
    let expected = naive.entries.filter { $0.app == app }.suffix(7).reversed()
    #expect(recent.map(\.name) == expected.map(\.event.name), comment)
    #expect(recent.map(\.properties) == expected.map(\.event.properties), comment)
    #expect(recent.map(\.time) == expected.map(\.event.time), comment)
    #expect(recent.map(\.device) == expected.map(\.device), comment)
    #expect(recent.map(\.user) == expected.map(\.event.user), comment)
  }
}
