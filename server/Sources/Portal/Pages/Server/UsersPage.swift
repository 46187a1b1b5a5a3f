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

/// The page of all users, their sessions and who may see what, which posts to `/users`.
package struct UsersPage: Page {
  let visit: PageVisit
  let access: AccessOverview
  let sessions: [LoginSession]
  let apps: [App]
  let edited: Account?
  let result: FormResult

  /// - Parameter edited: The account whose rights the form changes; `nil` for an invitation.
  package init(
    _ visit: PageVisit, _ access: AccessOverview, sessions: [LoginSession], apps: [App], edited: Account? = nil,
    result: FormResult = FormResult()
  ) {
    (self.visit, self.access, self.sessions, self.apps, self.edited, self.result) = (
      visit, access, sessions, apps, edited, result
    )
  }

  package func html() -> String {
    let names = Dictionary(apps.map { ($0.id, shown($0.name)) }, uniquingKeysWith: { $1 })
    let rows = access.accounts.map { account -> TemplateValues in
      let visible = account.apps.map { $0.sorted().map { names[$0] ?? "app \($0)" }.joined(separator: ", ") }
      return .row(
        [
          shown(account.name), account.role.rawValue, account.role == .owner ? "All" : visible ?? "All",
          account.rights.permissions.contains(.readPersonalData) ? "Yes" : "No",
          account.hasSecondFactor ? "Yes" : "No", listed(account.lastLogin),
        ],
        [
          .button("Change", "edit", id: account.id, to: "/users"),
          .button("New link", "link", id: account.id, to: "/users"),
          .button("Remove", "remove", id: account.id, to: "/users", destroys: true),
        ])
    }
    let table = TemplateValues.list(
      "Users", ["User", "Role", "Apps", "Personal data", "Second factor", "Last login"], rows, empty: "No users")
    var fields: [TemplateValues] = [
      .choice(
        "Role", "role",
        [
          ("viewer", "Viewer: reads reports"), ("editor", "Editor: also changes settings and shares pages"),
          ("owner", "Owner: everything"),
        ], chosen: edited?.role.rawValue)
    ]
    if !apps.isEmpty { fields.append(.note("Apps. With none checked, the user sees all apps, also those to come.")) }
    fields += apps.map { app in
      .check(shown(app.name), "app-\(app.id)", isOn: edited?.apps?.contains(app.id) ?? false)
    }
    fields.append(.check("May see personal data", "personal", isOn: edited?.seesPersonalData ?? false))
    let help =
      "Editors and owners always see personal data. Viewers without it see figures, and errors without their occurrences."
    let form: TemplateValues =
      if let edited {
        .form(
          "Change the rights of \(shown(edited.name))", button: "Save", "change", to: "/users", help: help,
          [.hidden("id", edited.id.description)] + fields)
      } else {
        .form(
          "Invite a user", button: "Create link", "invite", to: "/users", help: help,
          [.field("Name", "name", isRequired: true)] + fields)
      }
    return visit.management(
      ManagementPage(
        title: "Users",
        lead: "Invited users choose their own password. A link works once, so send it only to the person you invite.",
        result: result,
        tables: [table, accessList(access, apps: apps), TemplateValues.sessions(sessions, to: "/users")],
        forms: [form]))
  }

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
