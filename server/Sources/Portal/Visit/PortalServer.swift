package import Reports
package import Warehouse

/// The server as its pages show it: made once, when it starts.
package struct PortalServer: Sendable {
  /// The address of this server in sample code and links, unless a reader has used another one.
  package let address: String
  /// True if rows are copied to a cluster.
  let hasCluster: Bool
  /// True if the server can send mails.
  let sendsMail: Bool
  /// The providers with which people can sign in, and the addresses at which that begins.
  let providers: [(name: String, path: String)]
  /// Returns what fails in the store, which pages say.
  let problems: @Sendable () -> [WarehouseProblem]
  /// Returns a sentence for each limit because of which requests of an app were refused in the last day.
  let refusals: @Sendable (AppID) -> [String]
  /// Returns the state of an app's change of time zone whose days aren't all counted again.
  let zoneChange: @Sendable (AppID) -> ZoneChange?
  let reports: ReportRegistry
  let templates: Templates

  /// Parses the templates; throws if one is damaged.
  package init(
    address: String, reports: ReportRegistry = .standard, hasCluster: Bool = false, sendsMail: Bool = false,
    providers: [(name: String, path: String)] = [],
    problems: @escaping @Sendable () -> [WarehouseProblem] = { [] },
    refusals: @escaping @Sendable (AppID) -> [String] = { _ in [] },
    zoneChange: @escaping @Sendable (AppID) -> ZoneChange? = { _ in nil }
  ) throws {
    self.address = address
    self.reports = reports
    (self.hasCluster, self.sendsMail) = (hasCluster, sendsMail)
    self.providers = providers
    self.problems = problems
    self.refusals = refusals
    self.zoneChange = zoneChange
    templates = try Templates()
  }

  /// A page of the server without navigation.
  func layout(title: String, body: String, script: String? = nil, theme: Theme? = nil) -> String {
    let scheme = scheme(theme)
    return templates.render(
      "layout",
      [
        "title": title, "style": PortalAssets.link("tern.css"), "favicon": PortalAssets.link("favicon.svg"),
        "shellScript": PortalAssets.link("shell.js"), "script": script.map(PortalAssets.link), "body": body,
        "scheme": scheme.text, "dark": scheme.dark,
      ])
  }
}

/// Returns a path if it is one on this server.
func ownPath(_ path: String?) -> String? {
  // Browsers read "//host" and "/\host" as other servers, even with a tab in between.
  path.flatMap { path in
    let isPlain = path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
    return isPlain && path.hasPrefix("/") && !path.hasPrefix("//") ? path : nil
  }
}
