import Reports
import TernBase
package import Warehouse

/// The page of the reader's own account, which posts to `/account`.
package struct AccountPage: Page {
  let visit: PageVisit
  let session: LoginSession
  let sessions: [LoginSession]
  let newKey: String?
  let result: FormResult

  /// - Parameter newKey: The key of a second factor that is being set up.
  package init(
    _ visit: PageVisit, _ session: LoginSession, sessions: [LoginSession], newKey: String? = nil,
    result: FormResult = FormResult()
  ) {
    (self.visit, self.session, self.sessions, self.newKey, self.result) = (visit, session, sessions, newKey, result)
  }

  package func html() -> String {
    let account = session.account
    return visit.management(
      ManagementPage(
        title: "Account",
        lead: "You are logged in as \(shown(account.name)). Your role: \(account.role.rawValue).",
        result: result, tables: [TemplateValues.sessions(sessions, to: "/account", current: session.id)],
        forms: newKey.map { [factorForm($0)] } ?? [passwordForm(account)] + factorForms(account),
        content: newKey.map {
          visit.templates.render("factorkey", ["key": visible($0), "link": factorLink(account, key: $0)])
        } ?? ""))
  }

  private var currentPassword: TemplateValues {
    .field("Current password", "current", type: "password", isRequired: true)
  }

  private var code: TemplateValues { .field("Code", "code", isRequired: true) }

  private func passwordForm(_ account: Account) -> TemplateValues {
    .form(
      account.hasPassword ? "Change the password" : "Choose a password", button: "Save", "password", to: "/account",
      help: "At least 10 characters, without your name. Saving ends all your other sessions.",
      (account.hasPassword ? [currentPassword] : []) + (account.hasSecondFactor ? [code] : [])
        + [.field("New password", "password", type: "password", isRequired: true)])
  }

  /// People without a password log in elsewhere, where a second factor may be asked for.
  private func factorForms(_ account: Account) -> [TemplateValues] {
    guard account.hasSecondFactor else {
      guard account.hasPassword else { return [] }
      return [
        .form(
          "Second factor", button: "Set up", "new-factor", to: "/account",
          help: "Logins then ask for a code of an authenticator app as well, so that a stolen password is not enough. "
            + "Setting it up ends all your other sessions.",
          [])
      ]
    }
    let fields = [currentPassword, code]
    return [
      .form(
        "New recovery codes", button: "Make codes", "recovery-codes", to: "/account",
        help: "Each works once instead of a code of your app. New ones replace those that are left.", fields),
      .form(
        "Turn off the second factor", button: "Turn off", "remove-factor", to: "/account",
        help: "Logins then ask only for the password.", destroys: true, fields),
    ]
  }

  private func factorForm(_ key: String) -> TemplateValues {
    .form(
      "Set up the second factor", button: "Turn on", "add-factor", to: "/account",
      help:
        "The second factor is on once the app's code is right. You then get recovery codes for when you lose the app.",
      [.hidden("key", key), currentPassword, .field("Code of the app", "code", isRequired: true)])
  }

  /// The link that authenticator apps open, with a key in Base32.
  private func factorLink(_ account: Account, key: String) -> String {
    "otpauth://totp/Tern:\(PercentCoding.encode(account.name))?secret=\(PercentCoding.encode(key))&issuer=Tern"
  }
}
