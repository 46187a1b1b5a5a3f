import Reports
import TernBase
import Warehouse

/// The page that asks for a code after the password, which posts to `/login/code`.
package struct CodePage: Page {
  let server: PortalServer
  let message: String?
  let next: String?

  /// - Parameters:
  ///   - message: The reason why the previous code failed, if it did.
  ///   - next: The path to open afterwards; ignored unless it is a path on this server.
  package init(_ server: PortalServer, message: String? = nil, next: String? = nil) {
    (self.server, self.message, self.next) = (server, message, next)
  }

  package func html() -> String {
    server.layout(
      title: "Log in",
      body: server.templates.render(
        "proof",
        [
          "tern": Icon.tern, "heading": "Enter a code", "address": "/login/code", "label": "Log in", "asksCode": true,
          "message": message.map { visible($0) }, "next": ownPath(next),
          "lead": "Your authenticator app shows the code. Without the app, enter one of your recovery codes.",
        ]))
  }
}
