public import Reports
public import Warehouse

/// The pages of the portal: values in, HTML out, independent of HTTP.
///
/// Cheap to copy: set ``collector`` on a copy to show each reader the address they used.
public struct PortalPages: Sendable {
  /// The address of the collector in sample code.
  public var collector: String
  let reports: ReportRegistry
  let templates: Templates

  /// Parses the templates; throws if one is damaged.
  public init(collector: String, reports: ReportRegistry = .standard) throws {
    self.collector = collector
    self.reports = reports
    templates = try Templates()
  }

  /// The login page: posts `token` and, if given, `next` to `/login`.
  ///
  /// - Parameters:
  ///   - message: The reason why the previous attempt failed, if it did.
  ///   - next: The path to open afterwards; ignored unless it is a path on this server.
  public func login(message: String? = nil, next: String? = nil) -> String {
    // Browsers read "//host" and "/\host" as other servers, even with a tab in between.
    let path = next.flatMap { next in
      let isPlain = next.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
      return isPlain && next.hasPrefix("/") && !next.hasPrefix("//") ? next : nil
    }
    let view = LoginView(
      tern: Icon.tern, hasMessage: message != nil, message: message ?? "", hasNext: path != nil, nextPath: path ?? "")
    return layout(title: "Log in", body: templates.render("login", view))
  }

  /// An error page for an HTTP status; the default message says what to do.
  public func error(status: Int, message: String? = nil) -> String {
    let (title, fallback) = Self.explanation(of: status)
    return error(status, title, message ?? fallback)
  }

  /// The error page of a request for a report, with a link to the page that helps.
  public func error(_ error: ReportError, status: Int, app: AppID?) -> String {
    let links = app.map { PortalLinks(app: $0) }
    let remedy = error.remedy.flatMap { try? reports.report(named: $0) }
    let (title, message): (String, String) =
      switch error.code {
      case .missingEvent: ("Choose an event", "This page shows one event.")
      case .missingError: ("Choose an error", "This page shows one error.")
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
      case .unknownView: LinkView(text: "All views", link: links.views)
      case .unknownReport: LinkView(text: "Overview", link: links.page(AppReports.overview))
      default:
        remedy.map { LinkView(text: "All \($0.title.lowercased())", link: links.page($0)) }
          ?? LinkView(text: "Overview", link: links.page(AppReports.overview))
      }
    }
    return self.error(status, title, message, link: link)
  }

  private func error(_ status: Int, _ title: String, _ message: String, link: LinkView? = nil) -> String {
    let link = link ?? LinkView(text: "All apps", link: "/")
    let view = ErrorView(
      tern: Icon.tern, status: status, heading: title, message: message, link: link.link, linkText: link.text,
      hasApps: link.link != "/")
    return layout(title: title, body: templates.render("error", view))
  }

  func layout(title: String, body: String, script: String? = nil) -> String {
    let view = LayoutView(
      title: title, style: PortalAssets.link("tern.css"), favicon: PortalAssets.link("favicon.svg"),
      hasScript: script != nil, script: script.map(PortalAssets.link) ?? "", body: body)
    return templates.render("layout", view)
  }

  private static func explanation(of status: Int) -> (title: String, message: String) {
    switch status {
    case 400: ("Invalid address", "Part of this address is invalid. Go back and try again.")
    case 401: ("Please log in", "This page needs the admin token. Open /login and enter it.")
    case 403: ("Not allowed", "Your login does not include this page.")
    case 404: ("Page not found", "The page or the app does not exist. Choose one from the list of apps.")
    case 429: ("Too many attempts", "Wait a minute, then try again.")
    case 503: ("Busy", "The server is overloaded. Try again in a few seconds.")
    default: ("Something went wrong", "Try again. If it still fails, see the server's log.")
    }
  }
}

private struct LayoutView {
  var title: String
  var style: String
  var favicon: String
  var hasScript: Bool
  var script: String
  var body: String
}

private struct LoginView {
  var tern: String
  var hasMessage: Bool
  var message: String
  var hasNext: Bool
  var nextPath: String
}

private struct ErrorView {
  var tern: String
  var status: Int
  var heading: String
  var message: String
  var link: String
  var linkText: String
  var hasApps: Bool
}
