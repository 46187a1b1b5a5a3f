import Alerts
import Foundation
import Outgoing
import Reports
import Warehouse

/// The page of an unsubscribe link. Opening it changes nothing, because mail programs open links to check them.
package struct UnsubscribePage: Page {
  let server: PortalServer
  let subject: String?
  let address: String

  /// - Parameters:
  ///   - subject: The report, for example `Overview of Radio, every day at 07:00`; `nil` if the recipient has unsubscribed.
  ///   - address: The recipient's address.
  package init(_ server: PortalServer, _ subject: String?, address: String = "") {
    (self.server, self.subject, self.address) = (server, subject, address)
  }

  package func html() -> String {
    let values: TemplateValues = [
      "tern": Icon.tern, "isActive": subject != nil, "subject": subject.map { shown($0) }, "receiver": shown(address),
    ]
    return server.layout(title: "Reports by mail", body: server.templates.render("unsubscribe", values))
  }

  /// The page of a link that this server didn't issue.
  package static func unknown(_ server: PortalServer) -> ErrorPage {
    ErrorPage(
      server, status: 404, message: "This unsubscribe link is not valid. Copy the whole link from the mail.")
  }
}
