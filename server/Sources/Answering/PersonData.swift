import Foundation
package import HTTP
package import Hummingbird
package import Questions
import Reports
package import Warehouse

/// The rows of single persons, and their deletion.
package struct PersonData: Sendable {
  package let reports: ReportScheduler
  package let source: any TrailSource
  package let catalog: any CollectorCatalog

  package static let pageRows = 100

  /// Reads rows when it is the client's turn; throws ``APIError`` 404 if the app has none of the person.
  package func trail(
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
  package static func cursor(_ name: String, _ request: Request) throws(APIError) -> PersonsCursor? {
    guard let text = request.parameters[name], !text.isEmpty else { return nil }
    guard let cursor = PersonsCursor(text) else {
      throw APIError(
        status: .badRequest, code: "invalid_cursor", message: "Send the text of `next` in the previous answer.")
    }
    return cursor
  }

  /// The person whom the address names.
  package static func person(_ context: CollectorContext) throws -> Person {
    func name(_ parameter: String) -> String? {
      context.parameters.get(parameter).map { $0.removingPercentEncoding ?? String($0) }
    }
    guard let person = name("install").map({ Person.install($0) }) ?? name("user").map({ .user($0) }) else {
      throw APIError.notFound
    }
    return person
  }

  /// Adds the job of deleting a person of whom the app has data, whom a filter names, or who is to be refused.
  @discardableResult
  package func delete(
    _ person: Person, app: AppID, refusesLater: Bool, _ context: CollectorContext
  ) async throws -> DataJob {
    let isKnown = try await reports.run(for: context.clientShare) { [source] in
      try await source.trail(of: person, app: app, .latest, limit: 1) != nil
    }
    guard try isKnown || refusesLater || catalog.names(person, app: app) else { throw APIError.unknownPerson }
    return try catalog.requestDeletion(PersonDeletionRequest(person: person, refusesLater: refusesLater), app: app)
  }
}
