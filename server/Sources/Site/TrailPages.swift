import Answering
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Portal
import Questions
import Reports
import ServerBase
import Warehouse

/// The page with the rows of one install or user.
struct TrailPages: Sendable {
  let site: Site

  private static let pageRows = PersonData.pageRows

  func add(to routes: RouteTable) {
    // Not below `/people/installs`, where a number can be the name of an install.
    routes.on(
      "/apps/:app/people/numbers/:number", [.get: .page(.permission(.readPersonalData)) { try await find($0, $1) }])
    for path in ["installs/:install", "users/:user"] {
      routes.on(
        "/apps/:app/people/\(path)",
        [
          .get: .page(.permission(.readPersonalData)) { try await page($0, $1) },
          .post: .page(.permission(.edit)) { try await delete($0, $1) },
        ])
    }
  }

  private func page(
    _ request: Request, _ context: CollectorContext, message: String? = nil
  ) async throws -> Response {
    let (person, app) = (try PersonData.person(context), try context.app)
    let (before, after) = (try PersonData.cursor("before", request), try PersonData.cursor("after", request))
    var place = before.map { TrailPage.before($0) } ?? after.map { .after($0) } ?? .latest
    // One more row shows that another page follows.
    var rows = try await site.data.persons.trail(of: person, place, Self.pageRows + 1, context)
    if case .after = place, rows.count <= Self.pageRows {
      // The last page before the latest one would be short.
      place = .latest
      rows = try await site.data.persons.trail(of: person, place, Self.pageRows + 1, context)
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
      later = try await site.data.persons.trail(of: person, .after(first), 1, context).isEmpty ? nil : first
    case .after:
      rows = Array(rows.suffix(Self.pageRows))
      (later, earlier) = (rows.first?.cursor, rows.last?.cursor)
    }
    let summary = try await site.reports.run(for: context.clientShare) { [site] in
      try await site.data.persons.source.summary(of: person, app: app.id)
    }
    return .html(
      try PersonPage(
        site.visit(request, context), rows, of: person, summary, app: app,
        apps: try context.visitor.visible(try site.catalog.apps()), later: later,
        earlier: earlier, message: message
      ).html(),
      status: message == nil ? .ok : .badRequest)
  }

  private func delete(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (person, app) = (try PersonData.person(context), try context.app.id)
    let form = try await site.reader.form(request, context)
    guard form["do"] == "delete" else { throw APIError.unknownAction }
    guard let typed = form["confirm"], person.isNamed(by: typed) || person.isNamed(by: typed.trimmed) else {
      return try await page(
        request, context, message: "To delete this person, enter the user ID or install exactly as the page shows it.")
    }
    do {
      try await site.data.persons.delete(person, app: app, refusesLater: form["refuse"] != nil, context)
    } catch let error as WarehouseError where error.code == .held {
      return try await page(request, context, message: error.message)
    }
    return Redirect(path: "/apps/\(app)/people").response
  }

  /// Redirects from an install's number, which lists of rows show, to the page of its rows.
  private func find(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let app = try context.app.id
    guard let number = context.parameters.get("number").flatMap({ Int($0) }),
      let name = try await site.reports.run(
        for: context.clientShare, { [site] in try await site.data.persons.source.installName(number: number, app: app) }
      )
    else {
      throw APIError(status: .notFound, code: "unknown_person", message: "The app has no install with this number.")
    }
    let before = request.parameters["before"].flatMap { PersonsCursor($0) }.map { "?before=\($0.text)" } ?? ""
    return Redirect(path: Person.install(name).path(app: app) + before).response
  }
}
