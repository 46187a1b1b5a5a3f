import Ingest
import TernEvents
public import Warehouse

/// The errors of the range by fault, most frequent first; 200 of each list unless the request says otherwise.
public struct ErrorsReport: Sendable, Hashable, Encodable {
  /// Crashes.
  public var crashes: [ErrorGroupFigures]
  /// Errors that the app handled.
  public var handled: [ErrorGroupFigures]

  /// Reads the figures of a request's range.
  public init(_ request: ReportRequest, from source: any FigureSource) async throws {
    let groups = try await source.errorGroups(
      app: request.app, group: nil, days: request.days, limit: request.limit ?? 200)
    crashes = groups.filter { $0.kind == .crash }.map(ErrorGroupFigures.init)
    handled = groups.filter { $0.kind == .handledError }.map(ErrorGroupFigures.init)
  }
}

/// Errors that are the same fault.
public struct ErrorGroupFigures: Sendable, Hashable, Encodable {
  /// The group's number, by which the report `error` is asked for it.
  public var group: Int64
  /// `crash` or `handled_error`.
  public var kind: String
  /// The exception's type, for a crash without one the signal.
  public var type: String
  /// The frame at the top of the stack; empty when there is no stack.
  public var place: String
  /// What the first one said.
  public var message: String
  /// How many occurred.
  public var count: Int
  /// On how many distinct installs.
  public var users: Int
  /// App versions, `version (build)`, with the most occurrences first.
  public var versions: [String]
  /// When the latest occurred, as ISO 8601.
  public var last: String

  init(_ group: ErrorGroup) {
    self.group = group.id
    kind = group.kind == .crash ? "crash" : "handled_error"
    type = group.type
    place = group.place
    message = group.message
    count = group.count
    users = group.users
    versions = group.versions.map(\.key)
    last = group.last.isoText
  }
}

/// One fault: how often, in which versions, the latest occurrences; and one occurrence with all that is known of it.
public struct ErrorReport: Sendable, Hashable, Encodable {
  /// The fault; `nil` when none of it occurred in the range.
  public var error: ErrorGroupFigures?
  /// Every day of the range in order, days without any included.
  public var days: [DayRow]
  /// How many occurred in each app version, most first.
  public var versions: [RankedFigures]
  /// The occurrences, newest first; 100 unless the request says otherwise.
  public var occurrences: [Occurrence]
  /// The occurrence that was asked for.
  public var occurrence: Detail?

  /// One day's figures.
  public struct DayRow: Sendable, Hashable {
    /// The day.
    public var date: Day
    /// How many occurred.
    public var count: Int
    /// On how many distinct installs.
    public var users: Int
  }

  /// One occurrence.
  public struct Occurrence: Sendable, Hashable, Encodable {
    /// Its number.
    public var occurrence: Int64
    /// The id that the client gave it.
    public var id: String
    /// When it occurred, as ISO 8601.
    public var time: String
    /// When it was received, as ISO 8601.
    public var received: String
    /// A number that stands for the install within the app.
    public var install: Int
    /// The user named by the app; empty when none.
    public var user: String
    /// The app's version, as `version (build)`.
    public var version: String
    /// The device model.
    public var model: String
    /// The operating system, as `name version`.
    public var system: String
    /// ISO 3166 country code; empty when unknown.
    public var country: String
    /// The locale as sent.
    public var locale: String
  }

  /// What is known of one occurrence.
  public struct Detail: Sendable, Hashable, Encodable {
    /// When, where and whose it was.
    public var facts: Occurrence
    /// The number of the fault it belongs to.
    public var group: Int64
    /// The fault's type.
    public var type: String
    /// What it said.
    public var message: String
    /// Its stack.
    public var stack: String
    /// The error's row among the events, with the developer's properties.
    public var event: LiveEvent
    /// What the session recorded before it, oldest first.
    public var before: [LiveEvent]
    /// Its attachments.
    public var attachments: [Attachment]
    /// The error as it was sent.
    public var raw: String
  }

  /// A file that belongs to an occurrence.
  public struct Attachment: Sendable, Hashable, Encodable {
    /// Its number.
    public var attachment: Int64
    /// The file's name; empty when it has none.
    public var name: String
    /// The media type that the client claims.
    public var contentType: String
    /// Its size in bytes.
    public var bytes: Int
  }

  /// Reads the figures of a request's error and range; throws ``ReportError`` when there is no such fault or occurrence.
  public init(_ request: ReportRequest, from source: any FigureSource) async throws {
    var detail: ErrorDetail?
    if let occurrence = request.occurrence {
      detail = try await source.error(app: request.app, id: occurrence)
      guard detail != nil else {
        throw ReportError(
          code: .unknownError,
          message: "There is no occurrence \(occurrence); the report \"error\" of a fault lists them.")
      }
    }
    let number = detail?.occurrence.group ?? request.group
    if detail == nil, let number, try await !source.hasErrorGroup(app: request.app, id: number) {
      throw ReportError(code: .unknownError, message: "There is no fault \(number); the report \"errors\" lists them.")
    }
    let (app, range) = (request.app, request.days)
    let group =
      if let number { try await source.errorGroups(app: app, group: number, days: range, limit: 1).first } else {
        ErrorGroup?.none
      }
    error = group.map(ErrorGroupFigures.init)
    let series = Dictionary(group?.days.map { ($0.day, $0) } ?? [], uniquingKeysWith: { $1 })
    days = request.days.map { DayRow(date: $0, count: series[$0]?.count ?? 0, users: series[$0]?.users ?? 0) }
    versions = (group?.versions ?? []).map {
      RankedFigures(name: $0.key, count: $0.count, users: $0.users, share: share($0.count, of: group?.count ?? 0))
    }
    let errors =
      if let number { try await source.errors(app: app, group: number, days: range, limit: request.limit ?? 100) } else
      {
        [ErrorOccurrence]()
      }
    occurrences = errors.map(Occurrence.init)
    occurrence = detail.map(Detail.init)
  }
}

extension ErrorReport.Occurrence {
  fileprivate init(_ error: ErrorOccurrence) {
    let (device, labels) = (error.device, DeviceLabels(error.device))
    self.init(
      occurrence: error.id, id: error.name, time: error.time.isoText, received: error.received.isoText,
      install: error.install, user: error.user,
      version: labels.version, model: device.model, system: labels.system, country: device.country,
      locale: device.locale)
  }
}

extension ErrorReport.Detail {
  fileprivate init(_ detail: ErrorDetail) {
    let error = detail.occurrence
    let event = StoredEvent(
      id: error.id, kind: detail.kind, name: detail.type, time: error.time, received: error.received,
      install: error.install, user: error.user, device: error.device, properties: detail.properties)
    self.init(
      facts: ErrorReport.Occurrence(error), group: error.group, type: detail.type, message: detail.message,
      stack: detail.stack, event: LiveEvent(event),
      before: detail.before.map(LiveEvent.init),
      attachments: detail.attachments.map {
        ErrorReport.Attachment(attachment: $0.id, name: $0.name, contentType: $0.contentType, bytes: $0.bytes)
      }, raw: detail.raw)
  }
}

extension ErrorReport.DayRow: Encodable {
  private enum CodingKeys: String, CodingKey { case date, count, users }

  /// Writes the figures, with days as `YYYY-MM-DD`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(date.description, forKey: .date)
    try container.encode(count, forKey: .count)
    try container.encode(users, forKey: .users)
  }
}
