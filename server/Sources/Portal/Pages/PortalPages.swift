/// The pages of the portal: values in, HTML out. Knows nothing of HTTP.
///
/// Cheap to copy: set ``collector`` on a copy to show each reader the address they came by.
public struct PortalPages: Sendable {
  /// The address under which clients reach the collector, as the code to paste shows it.
  public var collector: String
  let templates: Templates

  /// Reads the templates; throws when one is damaged.
  public init(collector: String) throws {
    self.collector = collector
    templates = try Templates()
  }

  /// The login page: posts `token` and, when given, `next` to `/login`.
  ///
  /// - Parameters:
  ///   - message: What went wrong with the attempt before, if there was one.
  ///   - next: The path to go to afterwards; ignored unless it is a path of this server.
  public func login(message: String? = nil, next: String? = nil) -> String {
    // "//host" and "/\host" are addresses of other servers to a browser, and so are they with a tab in between.
    let path = next.flatMap { next in
      let isPlain = next.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
      return isPlain && next.hasPrefix("/") && !next.hasPrefix("//") ? next : nil
    }
    let view = LoginView(
      tern: Icon.tern, hasMessage: message != nil, message: message ?? "", hasNext: path != nil, nextPath: path ?? "")
    return layout(title: "Log in", body: templates.render("login", view))
  }

  /// An error page for an HTTP status; the default message of 400, 401, 403, 404 and 429 says what to do.
  public func error(status: Int, message: String? = nil) -> String {
    let (title, fallback) = Self.explanation(of: status)
    let view = ErrorView(tern: Icon.tern, status: status, heading: title, message: message ?? fallback)
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
    case 400: ("That address does not work", "Something in it is not as expected. Go back and try again.")
    case 401: ("Please log in", "This page needs the admin token. Open /login and enter it.")
    case 403: ("Not allowed", "Your login does not reach this page.")
    case 404: ("Nothing here", "The page or the app does not exist. The list of apps shows what does.")
    case 429: ("Too many attempts", "Wait a minute, then try again.")
    case 503: ("Busy", "The server has more to do than it can at the moment. Try again in a few seconds.")
    default: ("Something went wrong", "The server's log has the details. Trying again may help.")
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
}
