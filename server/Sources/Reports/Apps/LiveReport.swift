public import Foundation
import Ingest
public import TernEvents
public import Warehouse

extension AppReports {
  /// The most recently stored rows, newest first, independent of the range.
  public static let live = ReportDefinition(
    "live", title: "Live", explanation: "The latest rows as they arrive.",
    navigation: ReportNavigation(
      .monitoring, "Live",
      icon:
        "M10 9.9v.2M7 13a4.2 4.2 0 0 1 0-6M13 7a4.2 4.2 0 0 1 0 6M4.3 15.7a8 8 0 0 1 0-11.4M15.7 4.3a8 8 0 0 1 0 11.4"),
    showsPersonalData: true
  ) { request, store in ReportContent([LiveRow.list("events", try await LiveRow.latest(request, from: store))]) }
}

/// A stored row, for the live report and the live page.
public struct LiveRow: Sendable, Hashable {
  /// Its number; later rows have larger ones.
  public var id: Int64
  /// The kind: `event`, `screen`, `session_start`, `drops`, `handled_error`, `crash`, `attachment` or `other`.
  public var kind: String
  /// The event's or screen's name.
  public var name: String
  /// The time of the event, as far as the protocol reports it.
  public var time: Timestamp
  /// The time at which the server received it.
  public var received: Timestamp
  /// A number that identifies the install within the app.
  public var install: Int
  /// The user ID set by the app; empty if none.
  public var user: String
  /// The ISO 3166 country code; empty if unknown.
  public var country: String
  /// The app's version, as `version (build)`.
  public var version: String
  /// The device model.
  public var model: String
  /// The operating system, as `name version`.
  public var system: String
  /// The developer's properties.
  public var properties: [Properties.Element]

  /// Creates a row from a stored one.
  public init(_ stored: StoredEvent) {
    id = stored.id
    kind = stored.kind.name
    name = stored.name
    time = stored.time
    received = stored.received
    install = stored.install
    user = stored.user
    country = stored.device.country
    let labels = DeviceLabels(stored.device)
    version = labels.version
    model = stored.device.model
    system = labels.system
    properties = stored.properties
  }

  /// Reads the latest rows of a request's app; 100 unless the request has a limit.
  public static func latest(_ request: ReportRequest, from store: any MetricsStore) async throws -> [LiveRow] {
    try await store.recent(app: request.app, limit: request.limit ?? 100).map(LiveRow.init)
  }

  /// The row as JSON on one line without a line feed: the data of one server-sent event.
  public func json() throws -> Data { try ReportJSON.encoder.encode(Self.list("event", [self], isObject: true)) }

  /// Rows as a list of a report.
  static func list(_ name: String, title: String = "", _ rows: [LiveRow], isObject: Bool = false) -> ReportList {
    ReportList(
      name, title: title,
      columns: [
        "received", "kind", "name", "install", "country", "version", "model", "properties",
        ReportColumn("id", isJSONOnly: true), ReportColumn("time", isJSONOnly: true),
        ReportColumn("user", isJSONOnly: true), ReportColumn("system", isJSONOnly: true),
      ],
      rows: rows.map {
        [
          .time($0.received), .text($0.kind), .text($0.name), .count($0.install), .text($0.country), .text($0.version),
          .text($0.model), .properties($0.properties), .id($0.id), .time($0.time), .text($0.user), .text($0.system),
        ]
      }, isObject: isObject)
  }
}

extension PropertyValue {
  /// The value as text, for tables and pages.
  public var displayText: String {
    switch self {
    case .string(let text): text
    case .integer(let number): String(number)
    case .double(let number): String(number)
    case .boolean(let flag): flag ? "true" : "false"
    case .date(let time): time.isoText
    }
  }
}

extension Timestamp {
  /// The time in UTC as ISO 8601 with milliseconds, for example `2026-05-01T12:00:00.250Z`.
  ///
  /// Clients may send any time. Times before the year 1 or after 9999 are shown as the first or last moment of that
  /// range.
  public var isoText: String { utcText(withMilliseconds: true) }
}
