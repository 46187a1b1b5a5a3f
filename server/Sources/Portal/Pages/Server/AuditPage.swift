import Foundation
import Reports
package import Warehouse

/// The page of the audit log.
///
/// The page posts `prune` and `days` to `/audit`.
package struct AuditPage: Page {
  let visit: PageVisit
  let entries: [AuditEntry]
  let hasMore: Bool
  let failed: [FailedLogins]
  let result: FormResult

  /// - Parameters:
  ///   - hasMore: True if there are older entries.
  ///   - failed: The counts of failed logins.
  package init(
    _ visit: PageVisit, _ entries: [AuditEntry], hasMore: Bool, failed: [FailedLogins],
    result: FormResult = FormResult()
  ) {
    (self.visit, self.entries, self.hasMore, self.failed, self.result) = (visit, entries, hasMore, failed, result)
  }

  package func html() -> String {
    let logins = failed.map { login -> TemplateValues in
      .row([
        shown(login.name, empty: "–"), shown(login.address, empty: "–"), "\(login.count)", listed(login.first),
        listed(login.last),
      ])
    }
    let rows = entries.map { entry -> TemplateValues in
      .row([
        listed(entry.time), shown(entry.actor.name, empty: "–"), entry.action, shown(entry.subject, empty: "–"),
        shown(entry.actor.address, empty: "–"), entry.count > 1 ? "\(entry.count), last \(listed(entry.last))" : "1",
      ])
    }
    var page = ManagementPage(
      title: "Audit log",
      lead:
        "Who logged in, and who changed settings, users, tokens and links. Entries can’t be edited. Logins, exports and "
        + "the like that are repeated within an hour are counted.",
      result: result,
      tables: [.list("Entries", ["Time", "Who", "Action", "Object", "Address", "Times"], rows, empty: "No entries")]
        + (failed.isEmpty
          ? [] : [.list("Failed logins", ["Name", "Address", "Attempts", "First", "Last"], logins, empty: "")]),
      forms: [
        .form(
          "Delete old entries", button: "Delete them", "prune", to: "/audit",
          help: "Deletes older entries for good. The deletion itself is recorded.", destroys: true,
          [.field("Older than (days)", "days", type: "number")])
      ])
    if hasMore, let last = entries.last { page.older = "/audit?before=\(last.id)" }
    return visit.management(page)
  }
}
