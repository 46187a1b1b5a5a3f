import Answering
import HTTP
import HTTPTypes
import Hummingbird
import JSON
import Questions
import Reports
import Warehouse

/// `DELETE /api/v1/apps/:app/persons`: the deletion of a person, which the server does in the background.
struct PersonEndpoints: Sendable {
  let persons: PersonData

  func add(to api: EndpointGroup) {
    api.group("/apps/:app", .edit).on(
      .delete, "/persons", "deletePerson",
      "Deletes everything of one person, in the background. Name the install or the user, not both.",
      JobEndpoints.job.accepted,
      [
        .query("install", .text.described("The install: a UUID, or a client ID.")),
        .query("user", .text.described("The user ID that the app has set.")),
        .query("refuseLater", .boolean.described("True to refuse what the person still sends.")),
      ], errors: [400, 503]
    ) { try await delete($0.request, $0.context) }
  }

  private func delete(_ request: Request, _ context: CollectorContext) async throws -> JobStatus {
    let app = try context.app.id
    let named = [
      request.parameters["install"].map { Person.install($0) }, request.parameters["user"].map { .user($0) },
    ].compactMap(\.self)
    guard let person = named.first, named.count == 1, !person.name.isEmpty else {
      throw APIError.invalid("Name one person: with `install` or `user`.")
    }
    let later = request.parameters["refuseLater"] ?? "false"
    guard ["true", "false"].contains(later) else {
      throw APIError.invalid("`refuseLater` must be true or false.")
    }
    return JobStatus(try await persons.delete(person, app: app, refusesLater: later == "true", context))
  }
}

extension Person {
  fileprivate var name: String {
    switch self {
    case .install(let name), .user(let name): name
    }
  }
}
