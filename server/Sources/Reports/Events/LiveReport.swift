import Ingest
public import TernEvents
public import Warehouse

/// The most recently stored rows, newest first; 100 unless the request says otherwise.
public struct LiveReport: Sendable, Hashable, Encodable {
  /// The rows.
  public var events: [LiveEvent]

  /// Reads the latest rows of a request's app, whatever its range.
  public init(_ request: ReportRequest, from source: any FigureSource) async throws {
    events = try await source.recent(app: request.app, limit: request.limit ?? 100).map(LiveEvent.init)
  }
}

/// One stored row, as the live report and the live page's stream show it.
public struct LiveEvent: Sendable, Hashable {
  /// Its number; later rows have larger ones.
  public var id: Int64
  /// What it records: `event`, `screen`, `session_start`, `drops`, `handled_error`, `crash` or `other`.
  public var kind: String
  /// The event's or screen's name.
  public var name: String
  /// When it happened, as far as the protocol tells.
  public var time: Timestamp
  /// When the server had received it.
  public var received: Timestamp
  /// A number that stands for the install within the app.
  public var install: Int
  /// The user named by the app; empty when none.
  public var user: String
  /// ISO 3166 country code; empty when unknown.
  public var country: String
  /// The app's version, as `version (build)`.
  public var version: String
  /// The device model.
  public var model: String
  /// The operating system, as `name version`.
  public var system: String
  /// The developer's properties.
  public var properties: [Properties.Element]

  /// Creates a row from what is stored.
  public init(_ stored: StoredEvent) {
    id = stored.id
    kind = stored.kind.reportName
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
}

extension StoredKind {
  /// The name in reports.
  fileprivate var reportName: String {
    switch self {
    case .event: "event"
    case .screen: "screen"
    case .sessionStart: "session_start"
    case .drops: "drops"
    case .handledError: "handled_error"
    case .crash: "crash"
    case .other: "other"
    case .attachment: "attachment"
    case .attachmentPart: "attachment_part"
    }
  }
}

extension PropertyValue {
  /// The value as text, as tables and pages show it.
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
  /// Times before the year 1 and after 9999 show as the first and the last moment between: a client may send any.
  public var isoText: String { utcText(withMilliseconds: true) }
}
