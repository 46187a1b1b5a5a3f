public import Reports
public import Warehouse

extension PortalPages {
  /// The page of any report, or the code to paste while the app has no data at all.
  ///
  /// - Parameters:
  ///   - request: What to show. Lists show 200 rows unless it has a limit.
  ///   - app: The app, as the navigation and the code to paste show it.
  ///   - apps: All apps, for switching between them; the switch is left out when there is only one.
  ///   - source: The figures; also asked for the period before, and for what the page shows beside the report.
  ///
  /// Throws what the source throws.
  public func report(
    _ request: ReportRequest, app: PortalApp, apps: [PortalApp] = [], from source: any FigureSource
  ) async throws -> String {
    let isNew = request.name != .live && request.name != .losses
    if isNew, try await source.recent(app: request.app, limit: 1).isEmpty {
      return emptyPage(request, app: app, apps: apps)
    }
    var request = request
    request.limit = request.limit ?? (request.name == .event ? 10 : request.name == .error ? 100 : 200)
    let report = try await request.report(from: source)
    let frame = Shell(
      app: app, apps: apps, active: request.name, title: Self.title(request.name), request: request)
    switch report.content {
    case .overview(let figures): return try await overviewPage(figures, frame, request, source)
    case .event(let figures): return try await eventPage(figures, frame, request, source)
    case .errors(let figures): return errorsPage(figures, frame, request)
    case .error(let figures): return errorPage(figures, frame, request)
    case .live(let figures): return livePage(figures, frame, request)
    case .losses(let figures): return try await lossesPage(figures, frame, request, source)
    case .events, .screens, .versions, .devices, .countries:
      return try await rankingPage(report, frame, request, source)
    }
  }

  static func title(_ name: ReportName) -> String {
    switch name {
    case .overview: "Overview"
    case .events: "Events"
    case .event: "Event"
    case .errors: "Errors"
    case .error: "Error"
    case .screens: "Screens"
    case .versions: "Versions"
    case .devices: "Devices"
    case .countries: "Countries"
    case .live: "Live"
    case .losses: "What was lost and why"
    }
  }

  private func emptyPage(_ request: ReportRequest, app: PortalApp, apps: [PortalApp]) -> String {
    let shell = Shell(
      app: app, apps: apps, active: request.name, title: Self.title(request.name), request: nil, hasRange: false)
    let live = PortalLinks(app: app.id).page(.live)
    let view = EmptyView(tern: Icon.tern, liveLink: live, setup: setup(app: app))
    return page(shell, body: templates.render("empty", view))
  }
}

private struct EmptyView {
  var tern: String
  var liveLink: String
  var setup: String
}

/// One large figure with its movement and a small line.
struct Tile {
  var label: String
  var value: String
  var hasChange: Bool
  var direction: String
  var change: String
  var explanation: String
  var hint: String
  var spark: String

  init(_ label: String, _ value: String, change: Change? = nil, hint: String = "", spark: String = "") {
    self.label = label
    self.value = value
    hasChange = change != nil
    direction = change?.direction ?? ""
    self.change = change?.text ?? ""
    explanation = change?.explanation ?? ""
    self.hint = hint
    self.spark = spark
  }
}

extension PortalPages {
  /// A row of tiles as HTML.
  func tiles(_ tiles: [Tile]) -> String { templates.render("tiles", ["tiles": tiles]) }

  /// The figures behind a chart as a table that opens on demand.
  func table(_ columns: [String], _ rows: [[String]]) -> String {
    struct Row { var head: String, cells: [String] }
    let rows = rows.map { Row(head: $0[0], cells: Array($0.dropFirst())) }
    return templates.render("table", ["columns": columns, "rows": rows] as [String: Any])
  }
}
