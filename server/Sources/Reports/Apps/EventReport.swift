import ServerBase
package import Warehouse

extension ReportParameter {
  /// The name of an event.
  package static let event = ReportParameter("event", .text)
}

extension AppReports {
  /// One event: its counts per day and its properties.
  package static let event = ReportDefinition(
    "event", title: "Event", explanation: "One event: its counts per day and the values of its properties.",
    parent: "events", parameters: [.event],
    missingParameter: ReportError(
      .missingEvent,
      "Choose an event. On the command line, add --event NAME; in an address, event=NAME.", remedy: "events"),
    pageLimit: 10, filtering: .questions, showsChanges: true,
    read: ReportDefinition.read(EventMetrics.self))

  fileprivate static func propertyList(_ properties: [PropertyTotals], limit: Int) -> ReportList {
    ReportList(
      "properties",
      columns: ["name", "count", "isCapped"].map { ReportColumn($0, isJSONOnly: true) } + ["values"],
      rows: properties.map { property in
        let values = ReportList(
          "values", title: "Property \(property.property) (\(grouped(property.count)))",
          columns: ["value", .count, .users, .share],
          rows: property.values.map {
            [.text($0.key), .count($0.count), .count($0.users), .share(share($0.count, of: property.count))]
          }, limit: limit)
        return [.text(property.property), .count(property.count), .flag(property.isCapped), .list(values)]
      })
  }
}

/// One event's metrics: in total, per day, and by property.
package struct EventMetrics: ReportMetrics, Hashable {
  /// The event's name.
  package var name: String
  /// The number of occurrences.
  package var count: Int
  /// The number of distinct installs.
  package var users: Int
  /// Every day of the range in order, including days without any.
  package var days: [DailyTotals]
  /// The properties, most frequent first.
  package var properties: [PropertyTotals]

  /// Reads the metrics of a request's event and range; 20 values per property unless the request has a limit.
  ///
  /// Throws ``ReportError`` if the app has never sent such an event, unless rows are filtered.
  package init(_ request: ReportRequest, from store: any MetricsStore) async throws {
    let (app, range) = (request.app, request.days)
    name = request[.event] ?? ""
    let total = try await store.total(app: app, dimension: .event, key: name, days: range)
    (count, users) = (total.count, total.users)
    // Of an event that exists, no row may pass the filter.
    if count == 0, request.filter.isEmpty,
      try await store.total(app: app, dimension: .event, key: name, days: .all).count == 0
    {
      throw ReportError(
        .unknownEvent, "There is no event \"\(visible(name))\". The report events lists those of a range.",
        remedy: "events")
    }
    days = try await store.series(app: app, dimension: .event, key: name, days: range).filled(range)
    properties = try await store.properties(app: app, event: name, days: range, limit: request.propertyLimit)
  }
}

extension ReportRequest {
  /// The most values of each property of an event.
  fileprivate var propertyLimit: Int { limit ?? 20 }
}

extension PropertyTotals {
  /// Returns the share of one value among the property's values, from 0 to 1.
  package func share(of value: KeyTotals) -> Double { Reports.share(value.count, of: count) }
}

extension ClosedRange<Day> {
  /// All days that the warehouse supports.
  package static var all: ClosedRange<Day> {
    Day(number: Int(TimeBounds.earliest / 86_400_000))...Day(number: Int(TimeBounds.latest / 86_400_000))
  }
}

extension [DailyTotals] {
  /// Returns every day of the range in order, with zeros for missing days.
  package func filled(_ range: ClosedRange<Day>) -> [DailyTotals] {
    let known = Dictionary(map { ($0.day, $0) }, uniquingKeysWith: { $1 })
    return range.map { known[$0] ?? DailyTotals(day: $0, count: 0, users: 0) }
  }
}

extension EventMetrics {
  package func content(_ request: ReportRequest) -> ReportContent {
    let days = ReportList(
      "days", title: "Days", columns: ["date", .count, .users],
      rows: self.days.map { [.day($0.day), .count($0.count), .count($0.users)] })
    return ReportContent([
      ReportList(
        "event",
        columns: [
          ReportColumn("name", heading: "event"), .count, .users, "days",
          ReportColumn("properties", isJSONOnly: true),
        ],
        rows: [
          [
            .text(name), .count(count), .count(users), .list(days),
            .list(AppReports.propertyList(properties, limit: request.propertyLimit)),
          ]
        ], isObject: true, outputs: [.json, .terminal, .page]),
      ReportList(
        "values", columns: ["date", "property", "value", .count, .users],
        rows: self.days.map { [.day($0.day), .none, .none, .count($0.count), .count($0.users)] }
          + properties.flatMap { property in
            property.values.map {
              [.none, .text(property.property), .text($0.key), .count($0.count), .count($0.users)]
            }
          }, outputs: .csv),
    ])
  }
}
