import Questions
import Reports
import TernBase
import Warehouse

/// The login page: posts `name`, `password` and, if given, `next` to `/login`.
package struct LoginPage: Page {
  let server: PortalServer
  let message: String?
  let next: String?
  let signOut: (name: String, address: String)?

  /// - Parameters:
  ///   - message: The reason why the previous attempt failed, if it did.
  ///   - next: The path to open afterwards; ignored unless it is a path on this server.
  ///   - signOut: The provider that the person who has just logged out is still signed in with, and its page for that.
  package init(
    _ server: PortalServer, message: String? = nil, next: String? = nil, signOut: (name: String, address: String)? = nil
  ) {
    (self.server, self.message, self.next, self.signOut) = (server, message, next, signOut)
  }

  package func html() -> String {
    let path = ownPath(next)
    let query = path.map { "?next=\(PercentCoding.encode($0))" } ?? ""
    let values: TemplateValues = [
      "tern": Icon.tern, "message": message.map { visible($0) }, "next": path,
      "providers": server.providers.map { TemplateValues.link("Sign in with \(visible($0.name))", $0.path + query) },
      "signOut": signOut.map { TemplateValues.link("Sign out of \(visible($0.name)) as well", $0.address) },
    ]
    return server.layout(title: "Log in", body: server.templates.render("login", values))
  }
}
