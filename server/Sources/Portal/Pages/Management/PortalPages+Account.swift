import Reports
import TernBase
package import Warehouse

extension PortalPages {
  /// The page of the reader's own account, which posts to `/account`.
  ///
  /// - Parameter newKey: The key of a second factor that is being set up.
  package func account(
    _ session: LoginSession, sessions: [LoginSession], newKey: String? = nil, result: FormResult = FormResult()
  ) -> String {
    let account = session.account
    return management(
      ManagementPage(
        title: "Account",
        lead: "You are logged in as \(shown(account.name)). Your role: \(account.role.rawValue).",
        result: result, tables: [sessionList(sessions, to: "/account", current: session.id)],
        forms: newKey.map { [factorForm($0)] } ?? [passwordForm(account)] + factorForms(account),
        content: newKey.map {
          templates.render("factorkey", ["key": visible($0), "link": factorLink(account, key: $0)])
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

  /// The page that asks for a code after the password, which posts to `/login/code`.
  ///
  /// - Parameters:
  ///   - message: The reason why the previous code failed, if it did.
  ///   - next: The path to open afterwards; ignored unless it is a path on this server.
  package func loginCode(message: String? = nil, next: String? = nil) -> String {
    layout(
      title: "Log in",
      body: templates.render(
        "proof",
        [
          "tern": Icon.tern, "heading": "Enter a code", "address": "/login/code", "label": "Log in", "asksCode": true,
          "message": message.map { visible($0) }, "next": Self.ownPath(next),
          "lead": "Your authenticator app shows the code. Without the app, enter one of your recovery codes.",
        ]))
  }

  /// The page that asks for the password, and the code of the second factor, again. Posts to `/confirm`.
  ///
  /// - Parameters:
  ///   - logout: The address of the form that logs out, for someone without a password; `nil` to ask for the password.
  ///   - message: The reason why the previous attempt failed, if it did.
  ///   - next: The page to return to.
  package func confirm(_ account: Account, logout: String?, message: String? = nil, next: String) -> String {
    let why = "Your login was more than 15 minutes ago, and this is about who has access."
    return layout(
      title: "Confirm",
      body: templates.render(
        "proof",
        [
          "tern": Icon.tern, "heading": "Is it still you?", "address": logout ?? "/confirm",
          "label": logout == nil ? "Continue" : "Log out", "asksPassword": logout == nil,
          "asksCode": logout == nil && account.hasSecondFactor, "message": message.map { visible($0) },
          "next": Self.ownPath(next),
          "lead": why
            + (logout == nil
              ? " Enter your password, then fill in the form again."
              : " Log out and in again, then fill in the form again.")
            ,
        ]))
  }
}
