import Foundation
import Reports
package import Warehouse

/// The page of all tokens, which posts to `/tokens`.
package struct TokensPage: Page {
  let visit: PageVisit
  let tokens: [AccessToken]
  let apps: [App]
  let result: FormResult

  package init(_ visit: PageVisit, _ tokens: [AccessToken], apps: [App], result: FormResult = FormResult()) {
    (self.visit, self.tokens, self.apps, self.result) = (visit, tokens, apps, result)
  }

  package func html() -> String {
    let names = Dictionary(apps.map { ($0.id, shown($0.name)) }, uniquingKeysWith: { $1 })
    let rows = tokens.map { token -> TemplateValues in
      let scopes = AccessToken.Scope.allCases.filter(token.scopes.contains).map(\.rawValue).joined(separator: ", ")
      return .row(
        [
          shown(token.name), scopes, token.app.map { names[$0] ?? "app \($0)" } ?? "All", listed(token.used),
          listed(token.expires),
        ], [.button("Revoke", "revoke", id: token.id, to: "/tokens", destroys: true)])
    }
    return visit.management(
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
}
