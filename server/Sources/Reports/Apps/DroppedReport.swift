import Ingest
import TernBase
import TernEvents
package import Warehouse

extension AppReports {
  /// Events that clients dropped or the server rejected, by reason.
  package static let dropped = ReportDefinition(
    "dropped", title: "Dropped events",
    explanation: "Events that clients dropped or the server rejected, by reason, and events waiting on devices.",
    navigation: ReportNavigation(.live, "Dropped events"),
    filtering: .allRows(
      because: "Dropped events are counted by day and reason alone, so the filter does not apply to them."),
    read: ReportDefinition.read(DroppedMetrics.self))
}

/// Events that clients dropped or the server rejected, and the queues of devices.
package struct DroppedMetrics: ReportMetrics, Hashable {
  /// The reasons, most frequent first.
  package var reasons: [RankedKey]
  /// Every day of the range in order, including days without any. Users are not counted.
  package var days: [DailyTotals]
  /// The number of events and values dropped or rejected in the range.
  package var total: Int
  /// The number of events in the range that are stored and counted, but as "(other)", because the app exceeded its
  /// number of names. The other metrics here don't include them.
  package var unnamed: Int
  /// The devices' own counts, independent of the range: the latest ledger of every install seen in the last
  /// ``Warehouse/LedgerTotals/lifetimeDays`` days.
  package var ledger: LedgerTotals

  /// Reads the metrics of a request's range.
  package init(_ request: ReportRequest, from store: any MetricsStore) async throws {
    let all = try await store.dailyCounts(app: request.app, dimension: .dropped, days: request.days)
    let counts = all.filter { $0.key != Dimension.nameLimitKey }.summedByDay()
    reasons = try await request.rankedKeys(
      .dropped, limit: request.limit ?? 1_000, omitting: Dimension.nameLimitKey, from: store)
    unnamed = all.lazy.filter { $0.key == Dimension.nameLimitKey }.map(\.count).saturatingSum
    days = request.days.map { DailyTotals(day: $0, count: counts[$0] ?? 0, users: 0) }
    total = days.map(\.count).saturatingSum
    // Rounded to days, so that the same request on the same day has the same result.
    let since = Int64(request.today.number - LedgerTotals.lifetimeDays) * 86_400_000
    ledger = try await store.ledger(app: request.app, since: Timestamp(millisecondsSince1970: since))
  }
}

extension DroppedMetrics {
  package func content(_ request: ReportRequest) -> ReportContent {
    let counts = [
      ("tracked", ledger.tracked), ("delivered", ledger.delivered), ("waiting", ledger.waiting),
      ("in_flight", ledger.inFlight), ("dropped", ledger.dropped),
    ]
    return ReportContent(
      [
        Ranking("reasons", noun: "reason", dimension: .dropped)
          .list(reasons, limit: request.limit ?? 1_000),
        ReportList(
          "days", columns: ["date", .count], rows: days.map { [.day($0.day), .count($0.count)] },
          outputs: .json),
        ReportList(
          "ledger", title: "On devices",
          columns: [
            "installs", "tracked", "delivered", "waiting", "inFlight", "dropped",
            "updated",
          ],
          rows: [
            [.count(ledger.installs)] + counts.map { .count($0.1) } + [ledger.updated.map { .time($0) } ?? .none]
          ], isObject: true, outputs: [.json, .terminal, .page]),
        ReportList(
          "ledger", columns: ["name", .count, .users],
          rows: counts.map { [.text($0.0), .count($0.1), .count(ledger.installs)] }, outputs: .csv),
      ], values: ["total": .count(total), "unnamed": .count(unnamed)])
  }
}
