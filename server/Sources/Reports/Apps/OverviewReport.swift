import Ingest
import TernBase
package import Warehouse

extension AppReports {
  /// Events, sessions and active users, per day and in total.
  package static let overview = ReportDefinition(
    "overview", title: "Overview", explanation: "Events, sessions and active users, per day and in total.",
    navigation: ReportNavigation(.overview, "Overview"), filtering: .questions, showsChanges: true,
    read: ReportDefinition.read(OverviewMetrics.self))
}

/// Events, sessions and active users of every day of a range, and of the range as a whole.
package struct OverviewMetrics: ReportMetrics, Hashable {
  /// The metrics of one day.
  package struct DayRow: Sendable, Hashable {
    package var date: Day
    /// Events recorded.
    package var events: Int
    /// Sessions begun.
    package var sessions: Int
    /// Distinct installs active on the day.
    package var dau: Int
    /// Distinct installs active in the 7 days ending on it; `nil` for filtered rows.
    package var wau: Int?
    /// Distinct installs active in the 30 days ending on it; `nil` for filtered rows.
    package var mau: Int?
  }

  /// The metrics of the whole range.
  package struct Totals: Sendable, Hashable {
    /// Events recorded.
    package var events: Int
    /// Sessions begun.
    package var sessions: Int
    /// Distinct installs active in the range.
    package var users: Int
    /// Distinct installs active in the 7 days ending on the range's last day.
    package var wau: Int?
    /// Distinct installs active in the 30 days ending on the range's last day.
    package var mau: Int?
  }

  package static let userColumn = ReportColumn(
    "users", meaning: "Installs that were active in this range, each counted once.")
  package static let sessionColumn = ReportColumn(
    "sessions",
    meaning:
      "Visits to the app. A session ends when the app has been in the background for a while, or after half an hour without an event."
  )
  package static let eventColumn = ReportColumn("events", meaning: "Events that the app tracked by name.")

  /// Every day of the range in order, including days without activity.
  package var days: [DayRow]
  /// The metrics of the whole range.
  package var totals: Totals

  /// Reads the metrics of a request's range.
  package init(_ request: ReportRequest, from store: any MetricsStore) async throws {
    let (app, range) = (request.app, request.days)
    let read = try await store.dailyOverview(app: app, days: range)
    let (events, sessions) = (read.events.summedByDay(), read.sessions.summedByDay())
    let activity = Dictionary(read.activity.map { ($0.day, $0) }, uniquingKeysWith: { $1 })
    days = range.map { day in
      let active = activity[day]
      return DayRow(
        date: day, events: events[day] ?? 0, sessions: sessions[day] ?? 0, dau: active?.daily ?? 0,
        wau: active.map { $0.weekly } ?? 0, mau: active.map { $0.monthly } ?? 0)
    }
    totals = Totals(
      events: days.map(\.events).saturatingSum, sessions: days.map(\.sessions).saturatingSum,
      users: read.users, wau: days.last?.wau,
      mau: days.last?.mau)
  }
}

extension [DailyCount] {
  /// The counts of each day, all keys together.
  func summedByDay() -> [Day: Int] {
    reduce(into: [:]) { $0[$1.day] = [$0[$1.day] ?? 0, $1.count].saturatingSum }
  }
}

extension OverviewMetrics {
  package func content(_ request: ReportRequest) -> ReportContent {
    return ReportContent([
      ReportList(
        "days",
        columns: [
          "date", .events, .sessions, ReportColumn("dau", meaning: "Users who were active on the day."), .wau, .mau,
        ],
        rows: days.map {
          [
            .day($0.date), .count($0.events), .count($0.sessions), .count($0.dau), .count(orNone: $0.wau),
            .count(orNone: $0.mau),
          ]
        }),
      ReportList(
        "totals", title: "Totals", columns: [Self.eventColumn, Self.sessionColumn, Self.userColumn, .wau, .mau],
        rows: [
          [
            .count(totals.events), .count(totals.sessions), .count(totals.users), .count(orNone: totals.wau),
            .count(orNone: totals.mau),
          ]
        ], isObject: true, outputs: [.json, .terminal, .page]),
    ])
  }
}
