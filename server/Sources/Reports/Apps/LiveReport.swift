package import Foundation
import Ingest
package import TernEvents
package import Warehouse

extension AppReports {
  /// The most recently stored rows, newest first, independent of the range.
  package static let live = ReportDefinition(
    "live", title: "Live", explanation: "What arrives right now.",
    navigation: ReportNavigation(.live, "Live"),
    fileLimit: nil, showsPersonalData: true, filtering: .latestRows, drawsDays: false, isLive: true,
    read: ReportDefinition.read(LiveMetrics.self))
}

/// The latest rows of an app, newest first; 100 unless the request has a limit.
package struct LiveMetrics: ReportMetrics {
  package var rows: [StoredEvent]

  package init(_ request: ReportRequest, from store: any MetricsStore) async throws {
    rows = try await store.recent(app: request.app, limit: request.limit ?? 100)
  }

  package func content(_ request: ReportRequest) -> ReportContent {
    ReportContent([LiveRows.list("events", rows)])
  }
}

/// Stored rows as the live report and the live page show them.
package enum LiveRows {
  /// A row as JSON on one line without a line feed: the data of one server-sent event.
  package static func json(_ row: StoredEvent) throws -> Data {
    try ReportJSON.encoder.encode(list("event", [row], isObject: true))
  }

  /// Rows as a list of a report.
  static func list(_ name: String, _ rows: [StoredEvent], isObject: Bool = false) -> ReportList {
    let jsonOnly = ["id", "time", "user", "system"].map { ReportColumn($0, isJSONOnly: true) }
    return ReportList(
      name,
      columns: ["received", "kind", "name", "install", .country, "version", "model", "properties"] + jsonOnly,
      rows: rows.map {
        let labels = DeviceLabels($0.device)
        return [
          .time($0.received), .text($0.kind.name), .text($0.name), .count($0.install), .text($0.device.country),
          .text(labels.version), .text($0.device.model), .properties($0.properties), .id($0.id), .time($0.time),
          .text($0.user), .text(labels.system),
        ]
      }, isObject: isObject)
  }
}

extension PropertyValue {
  /// The value as text, for tables and pages.
  package var displayText: String {
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
  package var isoText: String { utcText(withMilliseconds: true) }
}
