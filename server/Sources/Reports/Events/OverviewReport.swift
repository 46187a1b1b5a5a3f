public import Warehouse

/// Events, sessions and active users: every day of the range, and the whole of it.
public struct OverviewReport: Sendable, Hashable, Encodable {
  /// One day's figures.
  public struct DayRow: Sendable, Hashable {
    /// The day.
    public var date: Day
    /// Events recorded.
    public var events: Int
    /// Sessions begun.
    public var sessions: Int
    /// Distinct installs active on the day.
    public var dau: Int
    /// Distinct installs active in the 7 days that end with it.
    public var wau: Int
    /// Distinct installs active in the 30 days that end with it.
    public var mau: Int
  }

  /// The figures of the whole range.
  public struct Totals: Sendable, Hashable, Encodable {
    /// Events recorded.
    public var events: Int
    /// Sessions begun.
    public var sessions: Int
    /// Distinct installs active in the range.
    public var users: Int
    /// Distinct installs active in the 7 days that end with the range's last day.
    public var wau: Int
    /// Distinct installs active in the 30 days that end with the range's last day.
    public var mau: Int
  }

  /// Every day of the range in order, days without any activity included.
  public var days: [DayRow]
  /// The figures of the whole range.
  public var totals: Totals

  /// Reads the figures of a request's range.
  public init(_ request: ReportRequest, from source: any FigureSource) async throws {
    let (app, range) = (request.app, request.days)
    let events = try await source.dailyCounts(app: app, dimension: .total, days: range).summedByDay()
    let sessions = try await source.dailyCounts(app: app, dimension: .session, days: range).summedByDay()
    let activity = Dictionary(
      try await source.activity(app: app, days: range).map { ($0.day, $0) }, uniquingKeysWith: { $1 })
    days = range.map { day in
      let active = activity[day]
      return DayRow(
        date: day, events: events[day] ?? 0, sessions: sessions[day] ?? 0, dau: active?.daily ?? 0,
        wau: active?.weekly ?? 0, mau: active?.monthly ?? 0)
    }
    totals = Totals(
      events: days.map(\.events).saturatingSum(), sessions: days.map(\.sessions).saturatingSum(),
      users: try await source.total(app: app, dimension: .total, key: "", days: range).users, wau: days.last?.wau ?? 0,
      mau: days.last?.mau ?? 0)
  }
}

extension OverviewReport.DayRow: Encodable {
  private enum CodingKeys: String, CodingKey { case date, events, sessions, dau, wau, mau }

  /// Writes the figures, with days as `YYYY-MM-DD` and times as ISO 8601.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(date.description, forKey: .date)
    try container.encode(events, forKey: .events)
    try container.encode(sessions, forKey: .sessions)
    try container.encode(dau, forKey: .dau)
    try container.encode(wau, forKey: .wau)
    try container.encode(mau, forKey: .mau)
  }
}

extension [DailyCount] {
  /// The counts of each day, all keys together.
  func summedByDay() -> [Day: Int] {
    reduce(into: [:]) { $0[$1.day] = [$0[$1.day] ?? 0, $1.count].saturatingSum() }
  }
}
