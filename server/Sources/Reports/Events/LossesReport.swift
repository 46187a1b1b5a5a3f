import TernEvents
public import Warehouse

/// What clients dropped and the server refused, by reason: nothing is lost without being counted.
public struct LossesReport: Sendable, Hashable, Encodable {
  /// What the names of reasons begin with for which the server refused an event; others are the clients' own.
  public static let refusedPrefix = "rejected:"

  /// The reason under which the warehouse counts events that it keeps but no longer reports under their own name.
  public static let nameLimitReason = "name_limit"

  /// One day's losses.
  public struct DayRow: Sendable, Hashable {
    /// The day.
    public var date: Day
    /// Events and values lost, for any reason.
    public var count: Int
  }

  /// The reasons, most frequent first.
  public var losses: [RankedFigures]
  /// Every day of the range in order, days without any included.
  public var days: [DayRow]
  /// Events and values lost in the range.
  public var total: Int
  /// Events of the range that are stored and counted, but as "(other)", since the app brought more names than Tern
  /// keeps apart; they are not lost and in no other figure of this report.
  public var unnamed: Int
  /// What devices count themselves, whatever the range: the newest word of every install of the last
  /// ``Warehouse/LedgerFigures/lifetimeDays`` days.
  public var ledger: LedgerFigures

  /// Reads the figures of a request's range.
  public init(_ request: ReportRequest, from source: any FigureSource) async throws {
    let all = try await source.dailyCounts(app: request.app, dimension: .loss, days: request.days)
    let counts = all.filter { $0.key != Self.nameLimitReason }.summedByDay()
    losses = try await request.ranking(.loss, from: source, defaultLimit: 1_000, leavingOut: Self.nameLimitReason)
    unnamed = all.lazy.filter { $0.key == Self.nameLimitReason }.map(\.count).saturatingSum()
    days = request.days.map { DayRow(date: $0, count: counts[$0] ?? 0) }
    total = days.map(\.count).saturatingSum()
    // By days, not to the millisecond: the same question on the same day has the same answer.
    let since = Int64(request.today.number - LedgerFigures.lifetimeDays) * 86_400_000
    ledger = try await source.ledger(app: request.app, since: Timestamp(millisecondsSince1970: since))
  }
}

extension LedgerFigures: Encodable {
  private enum CodingKeys: String, CodingKey {
    case installs, tracked, delivered, waiting, inFlight, dropped, updated
  }

  /// Writes the figures; `updated` is ISO 8601, or `null` when no install has reported.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(installs, forKey: .installs)
    try container.encode(tracked, forKey: .tracked)
    try container.encode(delivered, forKey: .delivered)
    try container.encode(waiting, forKey: .waiting)
    try container.encode(inFlight, forKey: .inFlight)
    try container.encode(dropped, forKey: .dropped)
    try container.encode(updated?.isoText, forKey: .updated)
  }
}

extension LossesReport.DayRow: Encodable {
  private enum CodingKeys: String, CodingKey { case date, count }

  /// Writes the figures, with days as `YYYY-MM-DD` and times as ISO 8601.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(date.description, forKey: .date)
    try container.encode(count, forKey: .count)
  }
}
