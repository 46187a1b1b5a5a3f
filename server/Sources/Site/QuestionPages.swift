import Answering
import HTTP
import HTTPTypes
import Hummingbird
import Ingest
import JSON
import Portal
import Questions
import Reports
import ServerBase
import TernEvents
import Warehouse

/// The pages that ask questions: `/apps/ID/explore`, `/funnels` and so on.
struct QuestionPages: Sendable {
  let site: Site

  /// The days whose names are suggested.
  private static let suggestedDays = 30
  private static let suggestedValues = 100
  private static let suggestedProperties = 200

  func add(to routes: RouteTable) {
    for page in QuestionPage.allCases where page != .releases {
      routes.on(
        "/apps/:app/\(page.rawValue)",
        [.get: .page(.permission(page == .people ? .readPersonalData : .read)) { try await show(page, $0, $1) }])
    }
    routes.on(
      "/apps/:app/\(QuestionPage.releases.rawValue)",
      [
        .get: .page(.permission(.read)) { try await show(.releases, $0, $1) },
        .post: .page(.permission(.edit)) { try await keepConversions($0, $1) },
      ])
    routes.on("/apps/:app/properties", [.get: .page(.permission(.read)) { try await properties($0, $1) }])
    routes.on("/apps/:app/values", [.get: .page(.permission(.read)) { try await values($0, $1) }])
  }

  /// The properties that most rows have, which filters suggest as one types.
  private func properties(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let properties = try await site.answering.properties(context).prefix(Self.suggestedProperties)
    return .json(
      JSONTree.array(
        properties.map { property in
          .object([("value", .text("property:\(property.name)")), ("rows", .number(Double(property.rows)))])
        }
      ).encoded)
  }

  /// The values of a dimension with the most users, which filters suggest as one types.
  private func values(_ request: Request, _ context: CollectorContext) async throws -> Response {
    guard let dimension = QuestionDimension(request.parameters["dimension"] ?? ""), dimension.timeUnit == nil else {
      throw APIError(status: .badRequest, code: "unknown_dimension", message: "There is no such dimension.")
    }
    let question = QueryQuestion(
      scope: QuestionScope(range: .days(Self.suggestedDays), filters: [.isSet(dimension)]), metrics: [.plain(.users)],
      groups: [.init(dimension)], limit: Self.suggestedValues)
    guard
      case .query(let answer) = try await site.answering.answer(.query(question), context, allowsRecent: true).answer
    else { return .json(JSONTree.array([]).encoded) }
    let values = answer.rows.compactMap { row -> JSONTree? in
      guard let value = row.dimensions[0], let users = row.metrics[0] else { return nil }
      let name = dimension.suggestion(value.plainText)
      let label: [(String, JSONTree)] = name.label.map { [("name", .text($0))] } ?? []
      return .object([("value", .text(name.value)), ("users", .number(users))] + label)
    }
    return .json(JSONTree.array(values).encoded)
  }

  private func show(_ page: QuestionPage, _ request: Request, _ context: CollectorContext) async throws -> Response {
    let app = try context.app
    let conversions = page == .releases ? try site.catalog.releaseConversions(app: app.id) : []
    let parameters =
      page == .releases
      ? QuestionPage.releases(request.parameters, conversions: conversions) : request.parameters
    let segments = try context.visibleSegments(site.catalog)
    try site.answering.checkAllowed(ReportFilter(in: parameters), segments, context)
    if let format = parameters["format"], !format.isEmpty {
      return try await download(page, parameters, request, segments, AnswerFormat(parsing: format), context)
    }
    // A form has several fields for what the address says in one.
    if parameters["apply"] != nil {
      return Redirect(path: page.address(parameters, app: app.id, segments: segments)).response
    }
    let today = ReportZone(app.zone).day(of: site.wallTime())
    let unknownValues = try await site.answering.unknownValues(
      among: page.namedValues(parameters, segments: segments), context)
    let visit = try site.visit(
      request, context, segments: segments,
      notes: try await site.notes.about(
        page.days(parameters, segments: segments, today: today), app: app.id, for: context.clientShare),
      unknownValues: unknownValues)
    return .html(
      try await QuestionFormPage(
        visit, page, parameters, app: app, apps: try context.visitor.visible(try site.catalog.apps()),
        days: today.advanced(by: 1 - Self.suggestedDays)...today, from: site.store,
        dashboards: try site.catalog.dashboards(app: app.id),
        conversions: conversions, ask: site.answering.forForm(context)
      ).html())
  }

  /// Keeps the conversions that the page shows for everyone.
  private func keepConversions(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (app, form) = (try context.app.id, try await site.reader.form(request, context))
    do {
      let segments = try context.visibleSegments(site.catalog)
      try site.catalog.setReleaseConversions(
        app: app, to: try QuestionPage.conversions(form.values, segments: segments))
      let query = URLEncodedForm(form["query"] ?? "").values
      return Redirect(path: QuestionPage.releases.address(query, app: app, segments: segments)).response
    } catch let error as QuestionError {
      throw APIError(error)
    }
  }

  private func download(
    _ page: QuestionPage, _ parameters: [String: String], _ request: Request, _ segments: [SavedSegment],
    _ format: AnswerFormat, _ context: CollectorContext
  ) async throws -> Response {
    let (app, csv) = (try context.app, try request.csvStyle())
    do {
      let files = try page.files(parameters, segments: segments)
      guard !files.isEmpty else {
        throw APIError(status: .badRequest, code: "incomplete", message: "Fill in the form first.")
      }
      guard let file = files.first(where: { $0.name == parameters["file"] ?? "" }) else {
        throw APIError(
          status: .notFound, code: "unknown_file", message: "This page has no such file. Use the links on the page.")
      }
      let answered = try await site.answering.answer(file.question, context)
      return .answer(
        answered, format, csv, named: answered.fileName(of: app, [page.rawValue, file.name], format))
    } catch let error as QuestionError {
      throw APIError(error)
    }
  }
}
