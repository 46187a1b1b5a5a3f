import Reports
import TernBase
package import Warehouse

/// The page that asks for the password, and the code of the second factor, again. Posts to `/confirm`.
package struct ConfirmPage: Page {
  let server: PortalServer
  let account: Account
  let logout: String?
  let message: String?
  let next: String

  /// - Parameters:
  ///   - logout: The address of the form that logs out, for someone without a password; `nil` to ask for the password.
  ///   - message: The reason why the previous attempt failed, if it did.
  ///   - next: The page to return to.
  package init(_ server: PortalServer, _ account: Account, logout: String?, message: String? = nil, next: String) {
    (self.server, self.account, self.logout, self.message, self.next) = (server, account, logout, message, next)
  }

  package func html() -> String {
    let why = "Your login was more than 15 minutes ago, and this is about who has access."
    return server.layout(
      title: "Confirm",
      body: server.templates.render(
        "proof",
        [
          "tern": Icon.tern, "heading": "Is it still you?", "address": logout ?? "/confirm",
          "label": logout == nil ? "Continue" : "Log out", "asksPassword": logout == nil,
          "asksCode": logout == nil && account.hasSecondFactor, "message": message.map { visible($0) },
          "next": ownPath(next),
          "lead": why
            + (logout == nil
              ? " Enter your password, then fill in the form again."
              : " Log out and in again, then fill in the form again.")
            ,
        ]))
  }
}
