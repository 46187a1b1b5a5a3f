import Foundation
import HTTPTypes
import Hummingbird
import Portal
import Questions
import Reports
import ServerBase
import Warehouse

/// The rows of one install or user, for programs and as a page.
struct TrailRoutes: Sendable {
  let pages: PortalPages
  let reader: BodyReader
  let reports: ReportScheduler
  let source: any TrailSource
  let catalog: any CollectorCatalog
  let persons: PersonRoutes

  private static let pageRows = 100

  func add(to routes: RouteTable) {
    // Not below `/people/installs`, where a number can be the name of an install.
    routes.on(
      "/apps/:app/people/numbers/:number", [.get: .page(.permission(.readPersonalData)) { try await find($0, $1) }])
    for path in ["installs/:install", "users/:user"] {
      routes.on(
        "/api/v1/apps/:app/\(path)/events", [.get: .api(.permission(.readPersonalData)) { try await rows($0, $1) }])
      routes.on(
        "/apps/:app/people/\(path)",
        [
          .get: .page(.permission(.readPersonalData)) { try await page($0, $1) },
          .post: .page(.permission(.edit)) { try await delete($0, $1) },
        ])
    }
  }

  private func rows(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (person, before) = (try Self.person(context), try Self.cursor("before", request))
    let rows = try await trail(of: person, before.map { .before($0) } ?? .latest, Self.pageRows, context)
    return .json(try TrailJSON.document(rows, limit: Self.pageRows))
  }

  private func page(
    _ request: Request, _ context: CollectorContext, message: String? = nil
  ) async throws -> Response {
    let (person, app) = (try Self.person(context), try context.app)
    let (before, after) = (try Self.cursor("before", request), try Self.cursor("after", request))
    var place = before.map { TrailPage.before($0) } ?? after.map { .after($0) } ?? .latest
    // One more row shows that another page follows.
    var rows = try await trail(of: person, place, Self.pageRows + 1, context)
    if case .after = place, rows.count <= Self.pageRows {
      // The last page before the latest one would be short.
      place = .latest
      rows = try await trail(of: person, place, Self.pageRows + 1, context)
    }
    let hasMore = rows.count > Self.pageRows
    var (later, earlier): (PersonsCursor?, PersonsCursor?)
    switch place {
    case .latest:
      rows = Array(rows.prefix(Self.pageRows))
      earlier = hasMore ? rows.last?.cursor : nil
    case .before(let end):
      rows = Array(rows.prefix(Self.pageRows))
      earlier = hasMore ? rows.last?.cursor : nil
      let first = rows.first?.cursor ?? end
      later = try await trail(of: person, .after(first), 1, context).isEmpty ? nil : first
    case .after:
      rows = Array(rows.suffix(Self.pageRows))
      (later, earlier) = (rows.first?.cursor, rows.last?.cursor)
    }
    let summary = try await reports.run(for: context.clientShare) { [source] in
      try await source.summary(of: person, app: app.id)
    }
    return .html(
      try pages.shown(to: context, request).trail(
        rows, of: person, summary, app: app, apps: try context.visitor.visible(try catalog.apps()), later: later,
        earlier: earlier, message: message),
      status: message == nil ? .ok : .badRequest)
  }

  private func delete(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (person, app) = (try Self.person(context), try context.app.id)
    let form = try await reader.form(request, context)
    guard form["do"] == "delete" else { throw APIError.unknownAction }
    guard let typed = form["confirm"], person.isNamed(by: typed) || person.isNamed(by: typed.trimmed) else {
      return try await page(
        request, context, message: "To delete this person, enter the user ID or install exactly as the page shows it.")
    }
    try await persons.delete(person, app: app, refusesLater: form["refuse"] != nil, context)
    return Redirect(path: "/apps/\(app)/people").response
  }

  /// Redirects from an install's number, which lists of rows show, to the page of its rows.
  private func find(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let app = try context.app.id
    guard let number = context.parameters.get("number").flatMap({ Int($0) }),
      let name = try await reports.run(
        for: context.clientShare, { [source] in try await source.installName(number: number, app: app) })
    else {
      throw APIError(status: .notFound, code: "unknown_person", message: "The app has no install with this number.")
    }
    let before = request.parameters["before"].flatMap { PersonsCursor($0) }.map { "?before=\($0.text)" } ?? ""
    return Redirect(path: PortalPages.trailPath(of: .install(name), app: app) + before).response
  }

  private func trail(
    of person: Person, _ page: TrailPage, _ limit: Int, _ context: CollectorContext
  ) async throws -> [TrailRow] {
    let app = try context.app.id
    let rows = try await reports.run(for: context.clientShare) { [source] in
      try await source.trail(of: person, app: app, page, limit: limit)
    }
    guard let rows else { throw APIError.unknownPerson }
    return rows
  }

  private static func cursor(_ name: String, _ request: Request) throws(APIError) -> PersonsCursor? {
    guard let text = request.parameters[name], !text.isEmpty else { return nil }
    guard let cursor = PersonsCursor(text) else {
      throw APIError(
        status: .badRequest, code: "invalid_cursor", message: "Send the text of `next` in the answer before.")
    }
    return cursor
  }

  /// The person whom the address names.
  private static func person(_ context: CollectorContext) throws -> Person {
    func name(_ parameter: String) -> String? {
      context.parameters.get(parameter).map { $0.removingPercentEncoding ?? String($0) }
    }
    guard let person = name("install").map({ Person.install($0) }) ?? name("user").map({ .user($0) }) else {
      throw APIError.notFound
    }
    return person
  }
}
