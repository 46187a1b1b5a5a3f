public import Warehouse

/// One event: how often and by how many, per day and in all, and which values its properties had.
public struct EventReport: Sendable, Hashable, Encodable {
  /// The event's figures.
  public var event: Detail

  /// The figures of one event.
  public struct Detail: Sendable, Hashable, Encodable {
    /// The event's name.
    public var name: String
    /// How often it occurred.
    public var count: Int
    /// Distinct installs that recorded it.
    public var users: Int
    /// Every day of the range in order, days without any included.
    public var days: [DayRow]
    /// Its properties, most frequent first.
    public var properties: [Property]
  }

  /// One day's figures.
  public struct DayRow: Sendable, Hashable {
    /// The day.
    public var date: Day
    /// How often.
    public var count: Int
    /// Distinct installs.
    public var users: Int
  }

  /// One property of the event.
  public struct Property: Sendable, Hashable, Encodable {
    /// The property's name.
    public var name: String
    /// How often it was given, with any value.
    public var count: Int
    /// Whether so many values were seen on a day that the rarer ones were counted together as `(other)`.
    public var isCapped: Bool
    /// The most frequent values.
    public var values: [Value]
  }

  /// One value of a property.
  public struct Value: Sendable, Hashable, Encodable {
    /// The value as text.
    public var value: String
    /// How often.
    public var count: Int
    /// Distinct installs.
    public var users: Int
    /// Part of the property's count, from 0 to 1.
    public var share: Double
  }

  /// Reads the figures of a request's event and range; 20 values of each property unless the request says otherwise.
  public init(_ request: ReportRequest, from source: any FigureSource) async throws {
    let (app, range, name) = (request.app, request.days, request.event ?? "")
    let total = try await source.total(app: app, dimension: .event, key: name, days: range)
    let series = Dictionary(
      try await source.series(app: app, dimension: .event, key: name, days: range).map { ($0.day, $0) },
      uniquingKeysWith: { $1 })
    let properties = try await source.properties(app: app, event: name, days: range, limit: request.limit ?? 20)
    event = Detail(
      name: name, count: total.count, users: total.users,
      days: range.map { DayRow(date: $0, count: series[$0]?.count ?? 0, users: series[$0]?.users ?? 0) },
      properties: properties.map(Property.init))
  }
}

extension EventReport.Property {
  fileprivate init(_ figures: PropertyFigures) {
    self.init(
      name: figures.property, count: figures.count, isCapped: figures.isCapped,
      values: figures.values.map {
        EventReport.Value(
          value: $0.key, count: $0.count, users: $0.users, share: share($0.count, of: figures.count))
      })
  }
}

extension EventReport.DayRow: Encodable {
  private enum CodingKeys: String, CodingKey { case date, count, users }

  /// Writes the figures, with days as `YYYY-MM-DD` and times as ISO 8601.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(date.description, forKey: .date)
    try container.encode(count, forKey: .count)
    try container.encode(users, forKey: .users)
  }
}
