import Reports
package import Warehouse

/// Everyone and everything that may read an app.
package struct AccessOverview: Sendable {
  package var accounts: [Account]
  /// The tokens that haven't ended.
  package var tokens: [AccessToken]
  /// The shared links that haven't ended.
  package var links: [SharedLink]

  package init(accounts: [Account], tokens: [AccessToken], links: [SharedLink]) {
    (self.accounts, self.tokens, self.links) = (accounts, tokens, links)
  }
}

extension PortalPages {
  /// A list of who may see what: for each app, who reads its reports, who sees personal data, and who changes it.
  func accessList(_ access: AccessOverview, apps: [App]) -> TemplateValues {
    let rows = apps.map { app -> TemplateValues in
      func names(_ permission: Permission) -> String {
        let users = access.accounts.filter { $0.rights.allows(permission, app: app.id) }.map { shown($0.name) }
        let tokens = access.tokens.filter { $0.rights.allows(permission, app: app.id) }.map {
          "token \(shown($0.name))"
        }
        let names = users + tokens
        // Owners come first; a row of a hundred names would help no one.
        let more = names.count > 20 ? " and \(names.count - 20) more" : ""
        return names.isEmpty ? "–" : names.prefix(20).joined(separator: ", ") + more
      }
      let links = access.links.count { $0.app == app.id }
      return .row([
        shown(app.name), names(.read), names(.readPersonalData), names(.edit),
        links == 0 ? "–" : "\(links) shared link\(links == 1 ? "" : "s")",
      ])
    }
    return .list(
      "Who may see what", ["App", "Reports", "Personal data", "May change it", "Anyone with"], rows,
      empty: "No apps yet.")
  }
}
