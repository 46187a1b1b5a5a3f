package import Reports
package import Warehouse

/// The page that people see instead of the one they asked for.
package struct ErrorPage: Page {
  /// A way out.
  typealias Link = (text: String, address: String)

  let server: PortalServer
  let status: Int
  let title: String
  let message: String
  /// The ways out; the first is a button.
  let links: [Link]

  private init(_ server: PortalServer, _ status: Int, _ title: String, _ message: String, links: [Link]) {
    (self.server, self.status, self.title, self.message, self.links) = (server, status, title, message, links)
  }

  /// Creates the page of an HTTP status; the default message says what to do.
  package init(_ server: PortalServer, status: Int, message: String? = nil) {
    let (title, fallback) = Self.explanation(of: status)
    self.init(server, status, title, message ?? fallback, links: [Self.apps])
  }

  /// Creates the page of a request for a report, with a link to the page that helps.
  package init(_ server: PortalServer, _ error: ReportError, status: Int, app: AppID?) {
    let remedy = error.remedy.flatMap { try? server.reports.report(named: $0) }
    let (title, message): (String, String) =
      switch error.code {
      case .missingEvent: ("Choose an event", "This page shows one event.")
      case .missingError: ("Choose an error", "This page shows one error.")
      case .unknownEvent: ("This event does not exist", "Open the list of events to find another one.")
      case .unknownError: ("This error does not exist", "Open the list of errors to find another one.")
      case .unknownView: ("This view does not exist", "Open the list of views to find another one.")
      case .unknownReport: ("Page not found", "Open the app's overview to find its reports.")
      case .invalidRange: ("Invalid date range", error.message)
      case .invalidDate: ("Invalid date", error.message)
      case .invalidNumber: ("Invalid number", error.message)
      default: (Self.explanation(of: status).title, error.message)
      }
    let link = app.map { PortalLinks(app: $0) }.map { links -> Link in
      switch error.code {
      case .unknownView: ("All views", links.page(.views))
      case .unknownReport: ("Overview", links.page(AppReports.overview))
      default:
        remedy.map { ("All \($0.title.lowercased())", links.page($0)) }
          ?? ("Overview", links.page(AppReports.overview))
      }
    }
    self.init(server, status, title, message, links: link.map { [$0, Self.apps] } ?? [Self.apps])
  }

  /// The page of a shared link that has ended. It leads nowhere, since its readers have no login.
  package static func endedLink(_ server: PortalServer) -> ErrorPage {
    ErrorPage(
      server, 404, "This link has ended", "It expired or was revoked. Ask the person who sent it for a new one.",
      links: [])
  }

  /// The page of a shared link that can't be shown any more, for example because its segment was deleted.
  package static func brokenLink(_ server: PortalServer, _ message: String, status: Int) -> ErrorPage {
    ErrorPage(
      server, status, "This page can’t be shown", message + " Ask the person who sent the link for a new one.",
      links: [])
  }

  private static let apps: Link = (text: "All apps", address: "/")

  package func html() -> String {
    let values: TemplateValues = [
      "tern": Icon.tern, "status": status, "heading": title, "message": message,
      "button": links.first.map { TemplateValues.link($0.text, $0.address) },
      "others": links.dropFirst().map { TemplateValues.link($0.text, $0.address) },
    ]
    return server.layout(title: title, body: server.templates.render("error", values))
  }

  private static func explanation(of status: Int) -> (title: String, message: String) {
    switch status {
    case 400: ("Invalid address", "Part of this address is invalid. Go back and try again.")
    case 401: ("Please log in", "This page needs a login. Open /login.")
    case 403: ("Not allowed", "Your login does not include this page.")
    case 404: ("Page not found", "The page or the app does not exist. Choose one from the list of apps.")
    case 429: ("Too many attempts", "Wait a minute, then try again.")
    case 503: ("Busy", "The server is overloaded. Try again in a few seconds.")
    default: ("Something went wrong", "Try again. If it still fails, see the server's log.")
    }
  }
}
