import Foundation
import Reports
package import Warehouse

extension PortalPages {
  /// The page of all tokens, which posts to `/tokens`.
  package func tokens(_ tokens: [AccessToken], apps: [App], result: FormResult = FormResult()) -> String {
    let names = Dictionary(apps.map { ($0.id, shown($0.name)) }, uniquingKeysWith: { $1 })
    let rows = tokens.map { token -> TemplateValues in
      let scopes = AccessToken.Scope.allCases.filter(token.scopes.contains).map(\.rawValue).joined(separator: ", ")
      return .row(
        [
          shown(token.name), scopes, token.app.map { names[$0] ?? "app \($0)" } ?? "All", listed(token.used),
          listed(token.expires),
        ], [.button("Revoke", "revoke", id: token.id, to: "/tokens", destroys: true)])
    }
    return management(
      ManagementPage(
        title: "Tokens",
        lead: "Programs use a token instead of a password: they send the header “Authorization: Bearer TOKEN”.",
        result: result,
        tables: [.list("Tokens", ["Token", "Scopes", "App", "Last used", "Expires"], rows, empty: "No tokens yet")],
        forms: [
          .form(
            "Create a token", button: "Create", "create", to: "/tokens",
            [
              .field("Name", "name", isRequired: true),
              .choice(
                "Scope", "scope",
                [
                  ("read", "Read reports"), ("export", "Read everything, with personal data"),
                  ("write", "Send events of one app"), ("manage", "Manage"),
                  ("administer", "Administer, including users, tokens and the audit log"),
                ]),
              .choice("App", "app", [("", "All apps")] + apps.map { ($0.id.description, shown($0.name)) }),
              .field("Expires after (days)", "days", type: "number", placeholder: "Never"),
            ])
        ]))
  }

  /// The page of the audit log.
  ///
  /// The page posts `prune` and `days` to `/audit`.
  ///
  /// - Parameters:
  ///   - hasMore: True if there are older entries.
  ///   - failed: The counts of failed logins.
  package func audit(
    _ entries: [AuditEntry], hasMore: Bool, failed: [FailedLogins], result: FormResult = FormResult()
  ) -> String {
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
    return management(page)
  }
}
