import HTTPTypes
import Hummingbird
import Reports
import TernEvents
public import Warehouse

/// `/api/v1`: apps and reports for programs.
struct ReportRoutes: Sendable {
  let reader: BodyReader
  let reports: ReportScheduler
  let store: any MetricsStore
  let catalog: any CollectorCatalog
  let answering: QuestionAnswering
  let wallTime: @Sendable () -> Timestamp

  /// The maximum size of a request to create an app, in bytes.
  private static let maximumAppBytes = 16 << 10

  func add(to routes: RouteTable) {
    routes.on(
      "/api/v1/apps",
      [
        .get: .api(.permission(.read)) { _, context in try apps(context) },
        .post: .api(.permission(.administer)) { try await create($0, $1) },
      ])
    routes.on("/api/v1/apps/:app/reports/:name", [.get: .api(.report(parameter: "name")) { try await report($0, $1) }])
  }

  private func apps(_ context: CollectorContext) throws -> Response {
    try .json(encoding: [
      "apps": try context.visitor.visible(try catalog.apps()).map { app in
        AppDescription(app, zoneChange: try catalog.zoneChange(of: app.id))
      }
    ])
  }

  private func create(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let wanted = try await reader.object(
      AppRequest.self, of: request, context, limit: Self.maximumAppBytes,
      members: "name and, optionally, timeZone, appSecret and trackingId")
    return try Response.refusingInvalid {
      let app = try catalog.createApp(
        name: wanted.name, timeZone: wanted.timeZone ?? "UTC", appSecret: wanted.appSecret,
        trackingID: wanted.trackingId)
      return try .json(encoding: AppDescription(app), status: .created)
    }
  }

  private func report(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let app = try context.app
    let parameters = request.parameters
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
      if query.report == AppReports.live, try !query.rowFilter(segments).unanswered.isEmpty {
        throw APIError(
          status: .badRequest, code: "not_filterable",
          message: "A single row can't be filtered by installs, days, or what a person has done.")
      }
      let text = try await reports.run(query, for: context.clientShare) {
        try await query.report(from: store).text(format)
      }
      return Response(
        status: .ok, headers: [.contentType: format.contentType, .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    } catch let error as ReportError {
      let status: HTTPResponse.Status = error.isNotFound ? .notFound : .badRequest
      throw APIError(status: status, code: error.code.description, message: error.message)
    }
  }
}

/// An app in the JSON of the API and of `tern apps`.
public struct AppDescription: Encodable, Sendable {
  private let id: Int64
  private let name: String
  private let key: String
  private let appSecret: String
  private let trackingId: String
  private let timeZone: String
  private let keep: String
  private let newNamesPerDay: Int?
  private let recounting: String?

  /// Describes an app.
  ///
  /// - Parameters:
  ///   - zoneChange: The state of the latest change of its time zone.
  ///   - newNamesPerDay: The limit of new names that an operator has set.
  public init(_ app: App, zoneChange: ZoneChange? = nil, newNamesPerDay: Int? = nil) {
    self.newNamesPerDay = newNamesPerDay
    id = app.id.rawValue
    name = app.name
    key = app.key
    appSecret = app.appSecret
    trackingId = app.trackingID
    timeZone = app.timeZone
    keep = app.keeping?.text ?? KeepingPeriod.foreverText
    recounting = zoneChange?.text
  }
}

/// The request body to create an app.
private struct AppRequest: Decodable {
  let name: String
  let timeZone: String?
  let appSecret: String?
  let trackingId: String?
}
