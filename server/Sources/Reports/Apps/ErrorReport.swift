import Ingest
import TernEvents
package import Warehouse

extension ReportParameter {
  /// The number of an error group.
  package static let group = ReportParameter("group", .number)
  /// The number of one error.
  package static let occurrence = ReportParameter("occurrence", .number)
}

extension AppReports {
  /// One error group, or one error with all of its details.
  package static let error = ReportDefinition(
    "error", title: "Error", explanation: "One error group with its latest occurrences, or one occurrence.",
    parent: "errors", parameters: [.group, .occurrence],
    missingParameter: ReportError(
      .missingError,
      "Choose an error. On the command line, add --group NUMBER or --occurrence NUMBER; the report errors lists "
        + "the numbers.", remedy: "errors"), pageLimit: 100, showsPersonalData: true,
    filtering: .questions, storedFacts: .errorStates,
    read: ReportDefinition.read(ErrorMetrics.self))

  fileprivate static func occurrenceList(
    _ name: String, title: String = "", _ errors: [ErrorOccurrence], isObject: Bool = false,
    outputs: ReportList.Outputs = .all, limit: Int? = nil
  ) -> ReportList {
    let jsonOnly = ["id", "received", "country", "locale"].map { ReportColumn($0, isJSONOnly: true) }
    return ReportList(
      name, title: title,
      columns: ["time", "version", "system", "model", "user", "install", "occurrence"] + jsonOnly,
      rows: errors.map { error in
        let labels = DeviceLabels(error.device)
        return [
          .time(error.time), .text(labels.version), .text(labels.system), .text(error.device.model), .text(error.user),
          .count(error.install), .id(error.id), .text(error.name), .time(error.received), .text(error.device.country),
          .text(error.device.locale),
        ]
      }, isObject: isObject, outputs: outputs, limit: limit)
  }

  private static let noText = "The stack trace was deleted to make room for newer errors."

  /// One occurrence: nested in JSON, separate tables elsewhere.
  fileprivate static func detailLists(_ detail: ErrorDetail) -> [ReportList] {
    let (error, labels) = (detail.occurrence, DeviceLabels(detail.occurrence.device))
    let attachments = ReportList(
      "attachments", title: "Attachments",
      columns: ["name", ReportColumn("contentType", heading: "type"), "bytes", "attachment"],
      rows: detail.attachments.map { [.text($0.name), .text($0.contentType), .count($0.bytes), .id($0.id)] })
    let facts: [(String, ReportValue)] = [
      ("time", .time(error.time)), ("version", .text(labels.version)), ("system", .text(labels.system)),
      ("model", .text(error.device.model)), ("user", .text(error.user)), ("id", .text(error.name)),
      ("message", .text(detail.message)),
    ]
    let own: [(String, ReportValue)] = [
      ("facts", .list(occurrenceList("facts", [error], isObject: true))), ("group", .id(error.group)),
      ("type", .text(detail.type)), ("message", .text(detail.message)), ("stack", .text(detail.stack)),
      ("isTextKept", .flag(detail.isTextKept)),
      ("event", .list(LiveRows.list("event", [detail.event], isObject: true))),
      ("before", .list(LiveRows.list("before", detail.before))), ("attachments", .list(attachments)),
      ("raw", .text(detail.raw)),
    ]
    let members = own + traceMembers(detail)
    var files = attachments
    files.outputs = [.terminal, .page]
    let people: ReportList.Outputs = [.terminal, .page]
    return [
      ReportList(
        "occurrence", columns: members.map { ReportColumn($0.0) }, rows: [members.map(\.1)], isObject: true,
        outputs: .json),
      ReportList(
        "facts", title: "Details", columns: ["detail", "value"], rows: facts.map { [.text($0.0), $0.1] },
        outputs: people),
      ReportList(
        "stack", title: "Stack trace", columns: ["frame"],
        rows: detail.isTextKept
          ? detail.shownStack.split(separator: "\n").map { [.text(String($0))] } : [[.text(noText)]],
        outputs: people), files,
      ReportList(
        "before", title: "Earlier in this session", columns: ["time", "kind", "name"],
        rows: detail.trail.map { entry in
          switch entry {
          case .event(let event): [.time(event.time), .text(event.kind.name), .text(event.name)]
          case .step(let text, let time): [.time(time), .text("step"), .text(text)]
          }
        }, outputs: people),
    ]
  }
}

/// One error group with its counts, versions and latest occurrences, or one error with all of its details.
package struct ErrorMetrics: ReportMetrics, Hashable {
  /// The group, or `nil` if it has no occurrence in the range.
  package var group: ErrorGroup?
  /// The number of the group.
  package var number: Int64
  /// The status of the group, even if it has no occurrence in the range.
  package var triage: ErrorTriage
  /// Every day of the range in order, including days without any.
  package var days: [DailyTotals]
  /// The occurrences in each app version, most first.
  package var versions: [RankedKey]
  /// The occurrences, newest first; 100 unless the request has a limit.
  package var occurrences: [ErrorOccurrence]
  /// The error named by the request.
  package var detail: ErrorDetail?

  /// Reads the error of a request; throws ``ReportError`` if the app has no such group or error.
  package init(_ request: ReportRequest, from store: any MetricsStore) async throws {
    if let id = request.number(.occurrence) {
      guard let found = try await store.error(app: request.app, id: id) else { throw Self.unknown }
      detail = found
    }
    guard let asked = detail?.occurrence.group ?? request.number(.group),
      let number = try await store.errorGroupNumbers(app: request.app, [asked])[asked]
    else { throw Self.unknown }
    let group = try await store.errorGroups(app: request.app, group: number, days: request.days, limit: 1)
      .triaged(request, from: store).first
    self.group = group
    self.number = number
    if let group {
      triage = group.triage
    } else {
      triage = try await ErrorTriage(number, request.errorStates, app: request.app, from: store)
    }
    days = (group?.days ?? []).filled(request.days)
    versions = (group?.versions ?? []).map {
      RankedKey(
        key: $0.key, name: $0.key, count: $0.count, users: $0.users, share: share($0.count, of: group?.count ?? 0))
    }
    occurrences = try await store.errors(
      app: request.app, group: number, days: request.days, limit: request.limit ?? 100)
  }

  private static let unknown = ReportError(
    .unknownError, "This error does not exist. The report errors lists those of a range.",
    remedy: "errors")
}

extension ErrorDetail {
  /// The error as an event row, with the developer's properties.
  package var event: StoredEvent {
    StoredEvent(
      id: occurrence.id, kind: kind, name: type, time: occurrence.time, received: occurrence.received,
      install: occurrence.install, user: occurrence.user, device: occurrence.device, properties: properties)
  }
}

extension ErrorMetrics {
  package func content(_ request: ReportRequest) -> ReportContent {
    let group = self.group.map { [$0] } ?? []
    let days = ReportList(
      "days", columns: ["date", .count, .users],
      rows: self.days.map { [.day($0.day), .count($0.count), .count($0.users)] }, outputs: .json)
    let lists = [
      AppReports.errorGroups("error", group, isObject: true, outputs: .json),
      ReportList(
        "error", columns: ["kind", "type", "message", .count, .users],
        rows: group.map {
          [.text($0.kind.name), .text($0.type), .text($0.message), .count($0.count), .count($0.users)]
        }, outputs: [.terminal, .page]), days,
    ]
    let isDetail = detail != nil
    let versions = ReportList(
      "versions", title: "Versions",
      columns: [
        ReportColumn("name", heading: "version"), .count, .share, ReportColumn("users", isJSONOnly: true),
      ],
      rows: self.versions.map { [.text($0.key), .count($0.count), .share($0.share), .count($0.users)] },
      outputs: isDetail ? .json : [.json, .terminal, .page])
    let breakdowns = [
      ("systems", "Systems", "system", group.first?.systems), ("models", "Models", "model", group.first?.models),
      ("countries", "Countries", "country", group.first?.countries),
    ].map { name, title, heading, keys in
      ReportList(
        name, title: title, columns: [ReportColumn("name", heading: heading), .count, .share],
        rows: (keys ?? []).map { key in
          [.text(key.key), .count(key.count), .share(share(key.count, of: group.first?.count ?? 0))]
        }, outputs: isDetail ? .json : [.json, .terminal, .page])
    }
    let occurrences = AppReports.occurrenceList(
      "occurrences", title: "Occurrences", self.occurrences, outputs: isDetail ? [.json, .csv] : .all,
      limit: isDetail ? nil : request.limit ?? 100)
    return ReportContent(lists + [versions] + breakdowns + [occurrences] + (detail.map(AppReports.detailLists) ?? []))
  }
}
