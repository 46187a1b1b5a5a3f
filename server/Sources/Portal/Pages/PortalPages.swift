package import Questions
package import Reports
import TernBase
package import Warehouse

/// The pages of the portal: values in, HTML out, independent of HTTP.
///
/// Cheap to copy: set ``serverAddress`` and ``reader`` on a copy to show each reader the address they used, and only the links
/// that they may open.
package struct PortalPages: Sendable {
  /// The address of this server in sample code and links.
  package var serverAddress: String
  /// The reader; set it on a copy for each request.
  package var reader = PortalReader()
  /// The notes about the days of charts; set them on a copy for each request.
  package var notes: [ChartNote] = []
  /// The app's saved segments that the reader may use; set them on a copy for each request.
  package var segments: [SavedSegment] = []
  /// The values that the reader asked for and no row has ever had, with similar ones; set them on a copy for each request.
  package var unknownValues: [NamedValue: [String]] = [:]
  /// The mistake in the range of days that the reader asked for; set on a copy for each request.
  package var rangeMistake: RangeMistake?
  /// Returns what fails in the store, which pages say.
  package var problems: @Sendable () -> [WarehouseProblem] = { [] }
  /// True if rows are copied to a cluster.
  package var hasCluster = false
  /// The providers with which people can sign in, and the addresses at which that begins.
  package var providers: [(name: String, path: String)] = []
  /// Returns a sentence for each limit because of which requests of an app were refused in the last day.
  package var refusals: @Sendable (AppID) -> [String] = { _ in [] }
  /// Returns the state of an app's change of time zone whose days aren't all counted again.
  package var zoneChange: @Sendable (AppID) -> ZoneChange? = { _ in nil }
  /// The pages of an app's settings, in the order of their tabs; the site sets them.
  package var settingsTabs: [AppPlace] = []
  let reports: ReportRegistry
  let templates: Templates

  /// Parses the templates; throws if one is damaged.
  package init(serverAddress: String, reports: ReportRegistry = .standard) throws {
    self.serverAddress = serverAddress
    self.reports = reports
    templates = try Templates()
  }

  /// The login page: posts `name`, `password` and, if given, `next` to `/login`.
  ///
  /// - Parameters:
  ///   - message: The reason why the previous attempt failed, if it did.
  ///   - next: The path to open afterwards; ignored unless it is a path on this server.
  ///   - signOut: The provider that the person who has just logged out is still signed in with, and its page for that.
  package func login(
    message: String? = nil, next: String? = nil, signOut: (name: String, address: String)? = nil
  ) -> String {
    let path = Self.ownPath(next)
    let query = path.map { "?next=\(PercentCoding.encode($0))" } ?? ""
    let values: TemplateValues = [
      "tern": Icon.tern, "message": message.map { visible($0) }, "next": path,
      "providers": providers.map { TemplateValues.link("Sign in with \(visible($0.name))", $0.path + query) },
      "signOut": signOut.map { TemplateValues.link("Sign out of \(visible($0.name)) as well", $0.address) },
    ]
    return layout(title: "Log in", body: templates.render("login", values))
  }

  /// Returns a path if it is one on this server.
  static func ownPath(_ path: String?) -> String? {
    // Browsers read "//host" and "/\host" as other servers, even with a tab in between.
    path.flatMap { path in
      let isPlain = path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
      return isPlain && path.hasPrefix("/") && !path.hasPrefix("//") ? path : nil
    }
  }

  /// An error page for an HTTP status; the default message says what to do.
  package func error(status: Int, message: String? = nil) -> String {
    let (title, fallback) = Self.explanation(of: status)
    return error(status, title, message ?? fallback)
  }

  /// The page of a shared link that has ended. It leads nowhere, since its readers have no login.
  package func endedLink() -> String {
    errorPage(404, "This link has ended", "It expired or was revoked. Ask the person who sent it for a new one.")
  }

  /// The page of a shared link that can't be shown any more, for example because its segment was deleted.
  package func brokenLink(_ message: String, status: Int) -> String {
    errorPage(status, "This page can’t be shown", message + " Ask the person who sent the link for a new one.")
  }

  /// The error page of a request for a report, with a link to the page that helps.
  package func error(_ error: ReportError, status: Int, app: AppID?) -> String {
    let links = app.map { PortalLinks(app: $0) }
    let remedy = error.remedy.flatMap { try? reports.report(named: $0) }
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
    let link = links.map { links in
      switch error.code {
      case .unknownView: ("All views", links.page(.views))
      case .unknownReport: ("Overview", links.page(AppReports.overview))
      default:
        remedy.map { ("All \($0.title.lowercased())", links.page($0)) }
          ?? ("Overview", links.page(AppReports.overview))
      }
    }
    return self.error(status, title, message, link: link)
  }

  private func error(
    _ status: Int, _ title: String, _ message: String, link: (text: String, address: String)? = nil
  ) -> String {
    let apps = (text: "All apps", address: "/")
    return errorPage(status, title, message, links: link.map { [$0, apps] } ?? [apps])
  }

  /// - Parameter links: The ways out; the first is a button.
  private func errorPage(
    _ status: Int, _ title: String, _ message: String, links: [(text: String, address: String)] = []
  ) -> String {
    let values: TemplateValues = [
      "tern": Icon.tern, "status": status, "heading": title, "message": message,
      "button": links.first.map { TemplateValues.link($0.text, $0.address) },
      "others": links.dropFirst().map { TemplateValues.link($0.text, $0.address) },
    ]
    return layout(title: title, body: templates.render("error", values))
  }

  func layout(title: String, body: String, script: String? = nil) -> String {
    templates.render(
      "layout",
      [
        "title": title, "style": PortalAssets.link("tern.css"), "favicon": PortalAssets.link("favicon.svg"),
        "shellScript": PortalAssets.link("shell.js"), "script": script.map(PortalAssets.link), "body": body,
      ])
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
