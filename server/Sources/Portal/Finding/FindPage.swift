import Reports
import ServerBase
import TernBase
import TernEvents
import Warehouse

/// The page that finds an app's pages, events, releases, errors and more by name. Ctrl-K opens it above any page (palette.js).
package struct FindPage: AppPage {
  package static let place = AppPlace("Find", "find", right: .read)

  /// The days whose events, screens, releases and errors are found.
  private static let days = 90
  /// The names of each kind that are looked through: those with the most rows, as the pages list them.
  private static let names = 1_000
  /// The most things of a kind that are shown.
  private static let shownThings = 6

  let visit: PageVisit
  let finder: Finder
  let names: Names
  let dashboards: [Dashboard]
  let segments: [SavedSegment]
  let app: App
  let apps: [App]

  /// The names and errors that clients have sent.
  struct Names: Sendable {
    var events: [String] = []
    var screens: [String] = []
    var releases: [String] = []
    var errors: [ErrorGroup] = []

    init() {}

    init(app: AppID, days: ClosedRange<Day>, from store: any MetricsStore) async throws {
      func keys(_ dimension: Dimension) async throws -> [String] {
        try await store.totals(app: app, dimension: dimension, days: days, limit: FindPage.names).map(\.key)
          .filter { !$0.isEmpty && $0 != Dimension.otherKey }
      }
      (events, screens, releases) = (try await keys(.event), try await keys(.screen), try await keys(.version))
      errors = try await store.errorGroups(app: app, group: nil, days: days, limit: FindPage.names)
    }
  }

  init(
    _ visit: PageVisit, _ search: String, _ names: Names, dashboards: [Dashboard], segments: [SavedSegment], app: App,
    apps: [App]
  ) {
    (self.visit, self.names, self.dashboards, self.segments) = (visit, names, dashboards, segments)
    (finder, self.app, self.apps) = (Finder(search), app, apps)
  }

  package init(_ request: some PageRequest) async throws {
    let (app, search) = (request.app, request.parameters["q"] ?? "")
    var names = Names()
    if !Finder(search).isEmpty {
      let today = ReportZone(app.zone).day(of: request.now)
      names = try await request.read { store in
        try await Names(app: app.id, days: today.advanced(by: 1 - Self.days)...today, from: store)
      }
    }
    self.init(
      try await request.visit(), search, names, dashboards: try request.catalog.dashboards(app: app.id),
      segments: try request.segments(), app: app, apps: request.apps)
  }

  package func html() -> String {
    let shell = Shell(app: app, apps: apps, report: nil, title: "Find", place: Self.place)
    let found = groups(shell)
    let values: TemplateValues = [
      "action": PortalLinks(app: app.id).page(Self.place), "query": shown(finder.text, empty: ""),
      "longest": Finder.maximumBytes, "found": found,
      "nothing": found.isEmpty ? "Nothing of the last \(Self.days) days has such a name." : nil,
    ]
    return visit.page(shell, body: visit.templates.render("find", values))
  }

  private func groups(_ shell: Shell) -> [TemplateValues] {
    let links = PortalLinks(app: app.id)
    let pages = visit.navigation(shell, links).flatMap(\.entries).flatMap(\.pages)
    // Without a search, there are pages to choose from, all of them.
    guard !finder.isEmpty else {
      return [group("Pages", pages, limit: pages.count, \.label) { $0.link }].compactMap { $0 }
    }
    return [
      group("Pages", pages, \.label) { $0.link },
      group("Dashboards", dashboards, \.name) { links.dashboard($0.id) },
      group("Segments", segments, \.name) { links.overview(ReportFilter(segment: $0.id)) },
      group("Events", names.events, \.self) { links.page(AppReports.event, [.event: $0]) },
      group("Screens", names.screens, \.self) { links.overview(Self.filter("screen", $0)) },
      group("Releases", names.releases, \.self) { links.overview(Self.filter("version", $0)) },
      group("Errors", names.errors, Self.name) { links.page(AppReports.error, [.group: String($0.id)]) },
      persons(links),
      group("Apps", apps.filter { $0.id != app.id }, \.name) { PortalLinks(app: $0.id).home },
    ].compactMap { $0 }
  }

  private func group<Thing>(
    _ kind: String, _ things: [Thing], limit: Int = shownThings, _ name: (Thing) -> String, link: (Thing) -> String
  ) -> TemplateValues? {
    let (found, others) = finder.found(things, limit: limit, name: name)
    guard !found.isEmpty else { return nil }
    return [
      "kind": kind, "things": found.map { TemplateValues.link(shown(name($0), limit: 160), link($0)) },
      "others": others > 0 ? "and \(grouped(others)) more" : nil,
    ]
  }

  private static func name(of error: ErrorGroup) -> String {
    [error.type, error.message, error.place].filter { !$0.isEmpty }.joined(separator: " · ")
  }

  /// Persons aren't listed by name: the page of people looks for those of exactly this one.
  private func persons(_ links: PortalLinks) -> TemplateValues? {
    guard visit.reader.seesPersonalData else { return nil }
    let things = [("User", "user"), ("Install", "install")].map { word, dimension -> TemplateValues in
      var links = links
      links.filter = Self.filter(dimension, finder.text)
      return .link(
        "\(word) \(shown(finder.text, limit: 160))", links.question(.people, links.state(of: .people)))
    }
    return ["kind": "Persons", "things": things]
  }

  private static func filter(_ dimension: String, _ value: String) -> ReportFilter {
    var filters = FilterRows(json: "")
    filters.rows = [FilterRow(dimension, value: value)]
    return ReportFilter(json: filters.json)
  }
}

extension PortalLinks {
  /// The address of the app's overview with a filter.
  fileprivate func overview(_ filter: ReportFilter) -> String {
    var links = self
    links.filter = filter
    return links.page(AppReports.overview)
  }
}
