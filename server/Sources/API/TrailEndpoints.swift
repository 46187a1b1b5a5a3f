import Answering
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import JSON
import Questions
import Reports
import Warehouse

/// `/installs/{install}/events` and `/users/{user}/events` of an app: the rows of one install or user.
struct TrailEndpoints: Sendable {
  let persons: PersonData

  func add(to api: EndpointGroup) {
    let people = api.group("/apps/:app", .readPersonalData)
    for person in ["install", "user"] {
      people.on(
        .get, "/\(person)s/:\(person)/events",
        APIOperation(
          "\(person)Events", "The rows of one \(person), newest first.",
          [
            .path(person, .text(1...768)),
            .query("before", .pattern("^[0-9]{1,13}-[0-9]{1,15}$").described("`next` of the previous answer.")),
          ], answers: ["application/json": TrailJSON.schema], errors: [400, 503])
      ) { .json(try await rows($0.request, $0.context)) }
    }
  }

  private func rows(_ request: Request, _ context: CollectorContext) async throws -> [UInt8] {
    let (person, before) = (try PersonData.person(context), try PersonData.cursor("before", request))
    let rows = try await persons.trail(of: person, before.map { .before($0) } ?? .latest, PersonData.pageRows, context)
    return try TrailJSON.document(rows, limit: PersonData.pageRows)
  }
}
