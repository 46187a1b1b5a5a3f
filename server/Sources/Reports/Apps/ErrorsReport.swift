import Ingest
package import Warehouse

extension AppReports {
  /// Crashes and handled errors, grouped.
  package static let errors = ReportDefinition(
    "errors", title: "Errors",
    explanation:
      "Crashes and handled errors, grouped by type, case and the top of the stack trace.",
    navigation: ReportNavigation(.errors, "Errors"), parameters: [.status], filtering: .questions,
    storedFacts: .errorStates,
    read: ReportDefinition.read(ErrorsMetrics.self))

  /// Error groups as a list. JSON has versions as an array, tables the first five as text.
  static func errorGroups(
    _ name: String, title: String = "", _ groups: [ErrorGroup], isObject: Bool = false,
    outputs: ReportList.Outputs = [.json, .terminal, .page], limit: Int? = nil
  ) -> ReportList {
    ReportList(
      name, title: title,
      columns: (outputs == .csv ? ["kind"] : [ReportColumn("kind", isJSONOnly: true)]) + [
        "type", "message", "place", .count, .users, "versions", "last", "group", "status",
        ReportColumn("note", isJSONOnly: outputs != .csv), ReportColumn("by", isJSONOnly: outputs != .csv),
        ReportColumn("changed", isJSONOnly: outputs != .csv), ReportColumn("reopenedIn", isJSONOnly: outputs != .csv),
      ],
      rows: groups.map { group in
        [
          .text(group.kind.name), .text(group.type), .text(group.message), .text(group.place),
          .count(group.count), .count(group.users), .texts(group.versions.map(\.key)), .time(group.last),
          .id(group.id), .text(group.triage.status.rawValue), .text(group.triage.state?.note ?? ""),
          .text(group.triage.state?.author ?? ""), group.triage.state.map { .time($0.changed) } ?? .none,
          .text(group.triage.reopenedIn ?? ""),
        ]
      }, isObject: isObject, outputs: outputs, limit: limit)
  }
}

/// The error groups of a range with the status that the request asks for, most frequent first; 200 of each kind unless the
/// request has a limit.
package struct ErrorsMetrics: ReportMetrics, Hashable {
  package var crashes: [ErrorGroup]
  package var handled: [ErrorGroup]
  /// The crashes of the range that belong to no session, whatever their status is.
  package var crashesWithoutSession: Int

  /// Reads the error groups of a request's range.
  package init(_ request: ReportRequest, from store: any MetricsStore) async throws {
    let limit = request.errorLimit
    // The status is known only after reading, and groups of another one must not use up the limit.
    let groups = try await store.errorGroups(app: request.app, group: nil, days: request.days, limit: .max)
      .triaged(request, from: store)
    crashesWithoutSession = groups.filter { $0.kind == .crash }.reduce(0) { $0 + $1.withoutSession }
    let status = request[.status] ?? ErrorStatus.open.rawValue
    let listed = groups.filter { status == "all" || $0.triage.status.rawValue == status }
    crashes = Array(listed.filter { $0.kind == .crash }.prefix(limit))
    handled = Array(listed.filter { $0.kind == .handledError }.prefix(limit))
  }
}

extension ReportRequest {
  /// The most groups of errors of each kind.
  fileprivate var errorLimit: Int { limit ?? 200 }
}

extension ErrorsMetrics {
  package func content(_ request: ReportRequest) -> ReportContent {
    return ReportContent([
      AppReports.errorGroups("crashes", title: "Crashes", crashes, limit: request.errorLimit),
      AppReports.errorGroups("handled", title: "Handled errors", handled, limit: request.errorLimit),
      AppReports.errorGroups("errors", crashes + handled, outputs: .csv),
    ])
  }
}
