import Ingest
import TernBase
public import Warehouse

extension AppReports {
  /// Events, sessions and active users, per day and in total.
  public static let overview = ReportDefinition(
    "overview", title: "Overview", explanation: "Events, sessions and active users, per day and in total.",
    navigation: ReportNavigation(.overview, "Overview")
  ) { request, store in
    let metrics = try await OverviewMetrics(request, from: store)
    let totals = metrics.totals
    return ReportContent([
      ReportList(
        "days", columns: ["date", "events", "sessions", "dau", "wau", "mau"],
        rows: metrics.days.map {
          [
            .day($0.date), .count($0.events), .count($0.sessions), .count($0.dau), .count(orNone: $0.wau),
            .count(orNone: $0.mau),
          ]
        }),
      ReportList(
        "totals", title: "Totals", columns: ["events", "sessions", "users", "wau", "mau"],
        rows: [
          [
            .count(totals.events), .count(totals.sessions), .count(totals.users), .count(orNone: totals.wau),
            .count(orNone: totals.mau),
          ]
        ], isObject: true, outputs: [.json, .terminal, .page]),
    ])
  }
}

/// Events, sessions and active users of every day of a range, and of the range as a whole.
public struct OverviewMetrics: Sendable, Hashable {
  /// The metrics of one day.
  public struct DayRow: Sendable, Hashable {
    /// The day.
    public var date: Day
    /// Events recorded.
    public var events: Int
    /// Sessions begun.
    public var sessions: Int
    /// Distinct installs active on the day.
    public var dau: Int
    /// Distinct installs active in the 7 days ending on it; `nil` for filtered rows.
    public var wau: Int?
    /// Distinct installs active in the 30 days ending on it; `nil` for filtered rows.
    public var mau: Int?
  }

  /// The metrics of the whole range.
  public struct Totals: Sendable, Hashable {
    /// Events recorded.
    public var events: Int
    /// Sessions begun.
    public var sessions: Int
    /// Distinct installs active in the range.
    public var users: Int
    /// Distinct installs active in the 7 days ending on the range's last day.
    public var wau: Int?
    /// Distinct installs active in the 30 days ending on the range's last day.
    public var mau: Int?
  }

  /// Every day of the range in order, including days without activity.
  public var days: [DayRow]
  /// The metrics of the whole range.
  public var totals: Totals

  /// Reads the metrics of a request's range.
  public init(_ request: ReportRequest, from store: any MetricsStore) async throws {
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
