import Answering
import HTTP
import HTTPTypes
import Hummingbird
import JSON
import Questions
import Reports
import TernEvents
import Warehouse

/// `/reports` of an app, for programs.
struct ReportEndpoints: Sendable {
  let reports: ReportScheduler
  let store: any MetricsStore
  let catalog: any CollectorCatalog
  let answering: QuestionAnswering
  let wallTime: @Sendable () -> Timestamp

  /// The parameters of a range of days.
  static let range: [APIOperation.Parameter] = [
    .query("from", .date.described("The first day.")), .query("to", .date.described("The last day.")),
  ]
  private static let names = Set((ReportRegistry.standard.app + ReportRegistry.standard.view).map(\.name)).sorted()
  private static let parameters: [APIOperation.Parameter] =
    [.path("name", .choice(names))] + range + [
      .query("days", .limited(1...ReportRequest.maximumDays).described("The length of a range without `from`.")),
      .query("limit", .limited(1...ReportRequest.maximumLimit).described("The most rows of a list.")),
      .query(
        "filters",
        .text.described(
          "Only rows that pass: a JSON array of filters, as in questions. For overview, events, event, screens, "
            + "versions, devices and countries; the other reports refuse it.")),
      QuestionEndpoints.unknown,
      .query("segment", .identifier.described("Only rows that pass a saved segment.")),
      .query("view", .identifier.described("The number of a view.")),
      .query("event", .text.described("The name of the event, for reports about one.")),
      .query("group", .identifier.described("The number of an error group.")),
      .query("occurrence", .identifier.described("The number of an error.")),
      .query(
        "status",
        .choice(ErrorStatus.allCases.map(\.rawValue) + ["all"]).described("The errors of the report `errors`.")
      ),
      .query("format", .choice(ReportFormat.self)),
    ] + APIOperation.Parameter.csv
  private static let schema = Schema.object(
    ["app": .count, "from": .date, "to": .date, "timeZone": .text],
    optional: [
      "view": .count, "report": .text,
      "fullLists": .list(.text).described("Lists that end at the limit and may lack rows; absent for none."),
    ],
    others: .any.described("A value of the report, or one of its lists: an array of objects.")
  ).named("Report")

  func add(to api: EndpointGroup) {
    api.group("/apps/:app", .report(parameter: "name")).on(
      .get, "/reports/:name",
      APIOperation(
        "report", "A report of an app, or of one of its views.", Self.parameters,
        answers: ["application/json": Self.schema, "text/csv": .text, "text/plain": .text], errors: [400, 503])
    ) { try await report($0.request, $0.context) }
  }

  private func report(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let app = try context.app
    let (parameters, csv) = (request.parameters, try request.csvStyle())
    do {
      let format = try ReportFormat(parsing: parameters["format"].flatMap { $0.isEmpty ? nil : $0 } ?? "json")
      let bare = try ReportRequest(
        context.parameters.get("name") ?? "", of: try catalog.subject(view: parameters["view"], of: app),
        parameters: parameters, now: wallTime())
      let query = try catalog.addingStoredFacts(to: bare)
      guard query.filter.isEmpty || query.isFilterable else {
        throw APIError(
          status: .badRequest, code: "not_filterable",
          message: "The report \(query.report.name) is about all rows. Leave out filters and segment.")
      }
      let segments = try context.visibleSegments(catalog)
      let store = try answering.metrics(for: query, from: store, segments: segments, context)
      if let filters = try? JSONTree(parsing: Array(query.filter.json.utf8)) {
        try await answering.checkKnown(filters, request, context)
      }
      if case .latestRows = query.report.filtering, try !query.rowFilter(segments).unanswered.isEmpty {
        throw APIError(
          status: .badRequest, code: "not_filterable",
          message: "A single row can't be filtered by installs, days, or what a person has done.")
      }
      return try await reports.run(query, for: context.clientShare) {
        try .report(try await query.report(from: store), format, csv, of: app)
      }
    } catch let error as ReportError {
      let status: HTTPResponse.Status = error.isNotFound ? .notFound : .badRequest
      throw APIError(status: status, code: error.code.rawValue, message: error.message)
    }
  }
}
