import Foundation
import HTTPTypes
import Hummingbird
import JSON
import Questions
import Reports
import Warehouse

/// `/installs/{install}/events` and `/users/{user}/events` of an app: the rows of one install or user.
struct TrailEndpoints: Sendable {
  let reports: ReportScheduler
  let source: any TrailSource

  /// The rows of a page.
  static let pageRows = 100

  func add(to api: EndpointGroup) {
    let people = api.group("/apps/:app", .readPersonalData)
    for person in ["install", "user"] {
      people.on(
        .get, "/\(person)s/:\(person)/events",
        APIOperation(
          "\(person)Events", "The rows of one \(person), newest first.",
          [
            .path(person, .text(1...768)),
            .query("before", .pattern("^[0-9]{1,13}-[0-9]{1,15}$").described("`next` of the answer before.")),
          ], answers: ["application/json": TrailJSON.schema], errors: [400, 503])
      ) { .json(try await rows($0.request, $0.context)) }
    }
  }

  private func rows(_ request: Request, _ context: CollectorContext) async throws -> [UInt8] {
    let (person, before) = (try Self.person(context), try Self.cursor("before", request))
    let rows = try await trail(of: person, before.map { .before($0) } ?? .latest, Self.pageRows, context)
    return try TrailJSON.document(rows, limit: Self.pageRows)
  }

  /// Reads rows when it is the client's turn; throws ``APIError`` 404 if the app has none of the person.
  func trail(
    of person: Person, _ page: TrailPage, _ limit: Int, _ context: CollectorContext
  ) async throws -> [TrailRow] {
    let app = try context.app.id
    let rows = try await reports.run(for: context.clientShare) { [source] in
      try await source.trail(of: person, app: app, page, limit: limit)
    }
    guard let rows else { throw APIError.unknownPerson }
    return rows
  }

  /// The place in the rows that a parameter names.
  static func cursor(_ name: String, _ request: Request) throws(APIError) -> PersonsCursor? {
    guard let text = request.parameters[name], !text.isEmpty else { return nil }
    guard let cursor = PersonsCursor(text) else {
      throw APIError(
        status: .badRequest, code: "invalid_cursor", message: "Send the text of `next` in the answer before.")
    }
    return cursor
  }

  /// The person whom the address names.
  static func person(_ context: CollectorContext) throws -> Person {
    func name(_ parameter: String) -> String? {
      context.parameters.get(parameter).map { $0.removingPercentEncoding ?? String($0) }
    }
    guard let person = name("install").map({ Person.install($0) }) ?? name("user").map({ .user($0) }) else {
      throw APIError.notFound
    }
    return person
  }
}
