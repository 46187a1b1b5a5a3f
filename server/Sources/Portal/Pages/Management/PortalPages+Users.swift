import Reports
package import Warehouse

extension PortalPages {
  /// The page of all users, their sessions and who may see what, which posts to `/users`.
  ///
  /// - Parameter edited: The account whose rights the form changes; `nil` for an invitation.
  package func users(
    _ access: AccessOverview, sessions: [LoginSession], apps: [App], edited: Account? = nil,
    result: FormResult = FormResult()
  ) -> String {
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
    fields += apps.map { app in
      .check(shown(app.name), "app-\(app.id)", isOn: edited?.apps?.contains(app.id) ?? false)
    }
    fields.append(.check("May see personal data", "personal", isOn: edited?.seesPersonalData ?? false))
    let help = "If you check no app, the user sees all apps. Editors and owners always see personal data."
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
    return management(
      ManagementPage(
        title: "Users",
        lead: "Invited users choose their own password. A link works once, so send it only to the person you invite.",
        result: result, tables: [table, accessList(access, apps: apps), sessionList(sessions, to: "/users")],
        forms: [form]))
  }

  func sessionList(_ sessions: [LoginSession], to address: String, current: Int64? = nil) -> TemplateValues {
    let rows = sessions.map { session -> TemplateValues in
      .row(
        [
          shown(session.account.name),
          listed(session.created) + (session.provider.map { ", with \(shown($0))" } ?? ""),
          session.id == current ? "This session" : listed(session.used), shown(session.address, empty: "–"),
          shown(session.browser, empty: "Unknown", limit: 120),
        ], [.button("End", "end", id: session.id, to: address)])
    }
    return .list("Sessions", ["User", "Login", "Last used", "Address", "Browser"], rows, empty: "No sessions")
  }

  /// The page of an invited user, which posts `code` and `password`, and `factor` with a second factor, to `/welcome`.
  package func welcome(_ account: Account, code: String, message: String? = nil) -> String {
    layout(
      title: "Welcome",
      body: templates.render(
        "welcome",
        [
          "tern": Icon.tern, "name": shown(account.name), "code": code, "asksCode": account.hasSecondFactor,
          "message": message.map { visible($0) },
        ]))
  }
}
