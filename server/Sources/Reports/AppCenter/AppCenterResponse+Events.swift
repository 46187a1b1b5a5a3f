import Ingest
import TernBase
import TernEvents
import Warehouse

struct AppCenterEvents: Encodable {
  struct Event: Encodable {
    var id: String
    var name: String
    var count: Int
    var previousCount: Int
    var deviceCount: Int
    var previousDeviceCount: Int
    var countPerDevice: Double
    var countPerSession: Double
  }

  var events: [Event]
  var total: Int
  var totalDevices: Int
}

struct AppCenterEventCount: Encodable {
  var count: [AppCenterCount<Int>]
  var totalCount: Int
  var previousTotalCount: Int
}

struct AppCenterDeviceCount: Encodable {
  var devicesCount: [AppCenterCount<Int>]
  var totalDevices: Int
  var totalDevicesWithEvent: Int
  var previousTotalDevicesWithEvent: Int
}

/// `{"count_per_<noun>":[…],"avg_count_per_<noun>":n,"previous_avg_count_per_<noun>":n}`
struct AppCenterRatio: Encodable {
  var noun: String
  var series: [AppCenterCount<Double>]
  var average: Double
  var previous: Double

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: MemberName.self)
    try container.encode(series, forKey: MemberName("count_per_\(noun)"))
    try container.encode(average, forKey: MemberName("avg_count_per_\(noun)"))
    try container.encode(previous, forKey: MemberName("previous_avg_count_per_\(noun)"))
  }
}

struct AppCenterPropertyCounts: Encodable {
  struct Value: Encodable {
    var name: String
    var count: Int
    var previousCount: Int
  }

  var total: Int
  var values: [Value]
}

extension AppCenterQuery {
  func eventList(_ source: any MetricsStore) async throws -> AppCenterEvents {
    let sessions = try await sessions(source, days).values.saturatingSum
    let names = Set(eventNames.map { ExactText($0) })
    let (column, isDescending) = try orderColumn()
    let all = try await counts(source, withUsers: column == "device_count")
      .filter { names.isEmpty || names.contains(ExactText($0.key)) }
    let shown = try ordered(all, by: column, isDescending).dropFirst(skip).prefix(top).map(\.key)
    let now = try await source.totals(app: app, dimension: .event, keys: shown, days: days)
    let before = try await source.totals(app: app, dimension: .event, keys: shown, days: previousDays)
    let rows = zip(now, before).map { event, before in
      AppCenterEvents.Event(
        id: event.key, name: event.key, count: event.count, previousCount: before.count, deviceCount: event.users,
        previousDeviceCount: before.users, countPerDevice: ratio(event.count, event.users),
        countPerSession: ratio(event.count, sessions))
    }
    return AppCenterEvents(events: rows, total: all.count, totalDevices: try await users(source))
  }

  /// Returns the counts of all events. Users of all are counted only to order by them.
  private func counts(_ source: any MetricsStore, withUsers: Bool) async throws -> [KeyTotals] {
    if withUsers { return try await source.totals(app: app, dimension: .event, days: days, limit: nil) }
    var counts: [ExactText: Int] = [:]
    for day in try await source.dailyCounts(app: app, dimension: .event, days: days) {
      counts[ExactText(day.key), default: 0].addSaturated(day.count)
    }
    return counts.map { KeyTotals(key: $0.text, count: $1, users: 0) }
  }

  private func orderColumn() throws(AppCenterError) -> (column: String, isDescending: Bool) {
    let words = order.split(separator: " ").map { $0.lowercased() }
    guard let column = words.first, words.count <= 2, ["asc", "desc"].contains(words.count == 2 ? words[1] : "asc")
    else { throw AppCenterError(.badRequest, "Set $orderby to a column and asc or desc, for example count desc.") }
    return (column, words.count == 2 && words[1] == "desc")
  }

  private func ordered(
    _ events: [KeyTotals], by column: String, _ isDescending: Bool
  ) throws(AppCenterError) -> [KeyTotals] {
    let rising: [KeyTotals]
    switch column {
    case "count": rising = events.sorted { ($0.count, $1.key) < ($1.count, $0.key) }
    case "device_count": rising = events.sorted { ($0.users, $1.key) < ($1.users, $0.key) }
    case "name": rising = events.sorted { $0.key < $1.key }
    default: throw AppCenterError(.badRequest, "Set $orderby to one of the columns count, device_count and name.")
    }
    return isDescending ? rising.reversed() : rising
  }

  func eventCount(_ name: String, _ source: any MetricsStore) async throws -> AppCenterEventCount {
    let series = try await byDay(name, source).mapValues(\.count)
    return AppCenterEventCount(
      count: days.map { AppCenterCount($0, series[$0] ?? 0) }, totalCount: series.values.saturatingSum,
      previousTotalCount: try await source.total(app: app, dimension: .event, key: name, days: previousDays).count)
  }

  func deviceCount(_ name: String, _ source: any MetricsStore) async throws -> AppCenterDeviceCount {
    let series = try await byDay(name, source)
    return AppCenterDeviceCount(
      devicesCount: days.map { AppCenterCount($0, series[$0]?.users ?? 0) }, totalDevices: try await users(source),
      totalDevicesWithEvent: try await source.total(app: app, dimension: .event, key: name, days: days).users,
      previousTotalDevicesWithEvent:
        try await source.total(app: app, dimension: .event, key: name, days: previousDays).users)
  }

  func countPer(_ noun: String, _ name: String, _ source: any MetricsStore) async throws -> AppCenterRatio {
    let series = try await byDay(name, source)
    let sessions = try await self.sessions(source, days)
    let now = try await source.total(app: app, dimension: .event, key: name, days: days)
    let before = try await source.total(app: app, dimension: .event, key: name, days: previousDays)
    let isSession = noun == "session"
    let wholes = (
      isSession ? sessions.values.saturatingSum : now.users,
      isSession ? try await self.sessions(source, previousDays).values.saturatingSum : before.users
    )
    return AppCenterRatio(
      noun: noun,
      series: days.map { day in
        let whole = isSession ? sessions[day] ?? 0 : series[day]?.users ?? 0
        return AppCenterCount(day, ratio(series[day]?.count ?? 0, whole))
      }, average: ratio(now.count, wholes.0), previous: ratio(before.count, wholes.1))
  }

  func propertyCounts(_ name: String, _ property: String, _ source: any MetricsStore) async throws
    -> AppCenterPropertyCounts
  {
    func values(_ range: ClosedRange<Day>, _ limit: Int) async throws -> PropertyTotals? {
      try await source.properties(app: app, event: name, days: range, limit: limit).first {
        $0.property.hasBytes(of: property)
      }
    }
    let now = try await values(days, top)
    let before = Dictionary(
      try await values(previousDays, .max)?.values.map { (ExactText($0.key), $0.count) } ?? [], uniquingKeysWith: { $1 }
    )
    return AppCenterPropertyCounts(
      total: now?.count ?? 0,
      values: (now?.values ?? []).map {
        AppCenterPropertyCounts.Value(name: $0.key, count: $0.count, previousCount: before[ExactText($0.key)] ?? 0)
      })
  }

  private func byDay(_ name: String, _ source: any MetricsStore) async throws -> [Day: DailyTotals] {
    Dictionary(
      try await source.series(app: app, dimension: .event, key: name, days: days).map { ($0.day, $0) },
      uniquingKeysWith: { $1 })
  }
}
