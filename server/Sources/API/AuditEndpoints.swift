import Answering
import HTTP
import HTTPTypes
import JSON
import TernEvents
import Warehouse

/// `/api/v1/audit` and `/api/v1/failed-logins`: who has changed what, and who has tried to log in.
struct AuditEndpoints: Sendable {
  let catalog: any CollectorCatalog
  let wallTime: @Sendable () -> Timestamp

  private static let deleted = JSONAnswer<Int>([.shown("deleted", .count) { .integer($0) }])

  func add(to api: EndpointGroup) {
    let owners = api.group("", .manageAccess)
    owners.page(
      "/audit", "listAudit",
      "The audit log, latest first. It has logins, and changes of settings, users, tokens and links.",
      "entries", of: JSONAnswer("AuditEntry", AuditEntry.members), number: \.id
    ) { _, page in try catalog.audit(before: page.before, limit: page.limit + 1) }
    owners.on(
      .delete, "/audit", "pruneAudit", "Deletes old entries of the audit log. The deletion itself is recorded.",
      Self.deleted,
      [.query("days", .limited(1...3_650).described("The age beyond which entries are deleted."), isRequired: true)],
      errors: [400]
    ) { call in
      guard let days = call.request.parameters["days"].flatMap({ Int($0) }), (1...3_650).contains(days) else {
        throw APIError.invalid("`days` must be from 1 to 3650; older entries are deleted.")
      }
      return try catalog.pruneAudit(before: wallTime() - .seconds(days * 86_400))
    }
    owners.get(
      "/failed-logins", "listFailedLogins",
      "Failed logins by name and address, those with the latest failure first.",
      .list("logins", of: JSONAnswer("FailedLogins", FailedLogins.members)), [ListPage.limitParameter], errors: [400]
    ) { try catalog.failedLogins(limit: try ListPage($0.request).limit) }
  }
}
