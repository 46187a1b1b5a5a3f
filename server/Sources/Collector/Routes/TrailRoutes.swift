import Foundation
import HTTPTypes
import Hummingbird
import Portal
import Questions
import Reports
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
    .json(try TrailJSON.document(try await trail(request, context).rows, limit: Self.pageRows))
  }

  private func page(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (person, rows) = try await trail(request, context)
    let next = rows.count == Self.pageRows ? rows.last?.cursor : nil
    return .html(
      try pages.shown(to: context, request).trail(
        rows, of: person, app: try context.app, apps: try context.visitor.visible(try catalog.apps()), next: next))
  }

  private func delete(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (person, app) = (try Self.person(context), try context.app.id)
    let form = try await reader.form(request, context)
    guard form["do"] == "delete" else { throw APIError.unknownAction }
    guard form["confirm"] != nil else {
      throw APIError(
        status: .badRequest, code: "invalid", message: "To delete this person, go back and check the confirmation.")
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
    _ request: Request, _ context: CollectorContext
  ) async throws -> (person: Person, rows: [TrailRow]) {
    let person = try Self.person(context)
    var before: PersonsCursor?
    if let text = request.parameters["before"], !text.isEmpty {
      guard let cursor = PersonsCursor(text) else {
        throw APIError(
          status: .badRequest, code: "invalid_cursor", message: "Send the text of `next` in the answer before.")
      }
      before = cursor
    }
    let app = try context.app
    let (source, end) = (source, before)
    let rows = try await reports.run(for: context.clientShare) {
      try await source.trail(of: person, app: app.id, before: end, limit: Self.pageRows)
    }
    guard let rows else { throw APIError.unknownPerson }
    return (person, rows)
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
