import Reports
package import Warehouse

/// The page of an invited user, which posts `code` and `password`, and `factor` with a second factor, to `/welcome`.
package struct WelcomePage: Page {
  let server: PortalServer
  let account: Account
  let code: String
  let message: String?

  package init(_ server: PortalServer, _ account: Account, code: String, message: String? = nil) {
    (self.server, self.account, self.code, self.message) = (server, account, code, message)
  }

  package func html() -> String {
    server.layout(
      title: "Welcome",
      body: server.templates.render(
        "welcome",
        [
          "tern": Icon.tern, "name": shown(account.name), "code": code, "asksCode": account.hasSecondFactor,
          "message": message.map { visible($0) },
        ]))
  }
}
