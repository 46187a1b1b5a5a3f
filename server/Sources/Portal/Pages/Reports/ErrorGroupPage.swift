import Ingest
import Reports
import Warehouse

/// The page of one error group, or of one occurrence.
struct ErrorGroupPage: CustomReportPage {
  static let report = AppReports.error

  let page: ReportVisit

  func html() async throws -> String {
    let (metrics, links) = (try await ErrorMetrics(page.request, from: page.store), page.links)
    var page = self.page
    page.shell.title = shown(metrics.detail?.type ?? metrics.group?.type ?? "", empty: "Error")
    if let detail = metrics.detail {
      page.shell.hasRange = false
      page.shell.hasFilter = false
      page.shell.breadcrumb = .link(
        "All occurrences", links.page(AppReports.error, [.group: String(detail.occurrence.group)]))
      return OccurrencePage(page: page, detail: detail).html()
    }
    page.shell.breadcrumb = .link("Errors", links.page(AppReports.errors))
    return try await errorGroupPage(metrics, page)
  }

  private func errorGroupPage(_ metrics: ErrorMetrics, _ page: ReportVisit) async throws -> String {
    // A stack trace and the list of occurrences tell of single persons.
    let showsOccurrences = visit.reader.seesPersonalData
    let newest = try await (showsOccurrences ? metrics.occurrences.first : nil).asyncMap { error in
      try await page.store.error(app: page.request.app, id: error.id)
    }
    let isCrash = metrics.group?.kind == .crash
    let crashFree = isCrash ? try await CrashFreeFigures(visit: visit).crashFree(without: metrics.number, page) : nil
    let chart = visit.linked(
      Chart("error", metrics.days, color: 2, in: page.request), "Users", metrics.days.map(\.day), page.request,
      error: metrics.number)
    let values: TemplateValues = [
      "message": shown(metrics.group?.message ?? "", empty: "No message"), "status": statusPanel(metrics, page),
      "tiles": visit.tiles(
        [
          .tile("Occurrences", grouped(metrics.group?.count ?? 0), about: "How often this error happened."),
          .tile(
            "Users", grouped(metrics.group?.users ?? 0),
            link: metrics.group.flatMap { visit.people(page.request, error: $0.id) },
            about: "Users affected by this error, each counted once."),
        ] + [crashFree].compactMap(\.self)), "newest": newest?.map { Self.newest($0, page) },
      "chart": visit.drawn(chart),
      "table": visit.table(chart, notesOf: page.request.app),
      "breakdowns": [
        ("Versions", "version", metrics.group?.versions), ("Systems", "os", metrics.group?.systems),
        ("Models", "model", metrics.group?.models), ("Countries", "country", metrics.group?.countries),
      ].map { breakdown($0, by: $1, $2 ?? [], of: metrics, page.request) },
      "showsOccurrences": showsOccurrences,
      "lines": showsOccurrences ? metrics.occurrences.map { Self.line($0, page) } : [],
    ]
    return visit.page(page.shell, body: visit.templates.render("errorgroup", values))
  }

  /// The most frames of the newest stack trace, of which its own page has all.
  private static let newestFrames = 12

  private static func newest(_ detail: ErrorDetail, _ page: ReportVisit) -> TemplateValues {
    let thread = detail.trace.threads.first
    let rest = (thread?.frames.count ?? 0) - newestFrames
    return [
      "link": page.links.page(AppReports.error, [.occurrence: String(detail.occurrence.id)]),
      "time": page.request.zone.dateTime(of: detail.occurrence.time),
      "thread": thread.map { OccurrencePage.thread($0, in: detail.trace, limit: newestFrames) },
      "stack": thread != nil || detail.stack.isEmpty ? nil : shownLines(detail.stack),
      "missing": thread == nil && detail.stack.isEmpty
        ? detail.isTextKept ? "No stack trace" : "Deleted to make room for newer errors" : nil,
      "rest": rest > 0 ? "\(counted(rest, "more frame"))" : nil,
    ]
  }

  /// The most lines of a breakdown.
  private static let breakdownLines = 10

  private func breakdown(
    _ title: String, by dimension: String, _ keys: [KeyTotals], of metrics: ErrorMetrics, _ request: ReportRequest
  ) -> TemplateValues {
    let count = metrics.group?.count ?? 0
    return [
      "title": title,
      "more": keys.count > Self.breakdownLines ? "and \(grouped(keys.count - Self.breakdownLines)) more" : nil,
      "bars": keys.prefix(Self.breakdownLines).map {
        TemplateValues.bar(
          name($0.key, of: dimension), $0.count,
          count > 0 ? Double($0.count) / Double(count) : 0, filter: visit.filterLink(request, dimension, $0.key),
          people: visit.people(request, [FilterRow(dimension, value: $0.key)], error: metrics.number))
      },
    ]
  }

  private func name(_ key: String, of dimension: String) -> String {
    switch dimension {
    case "country": countryName(key, empty: "Unknown")
    case "model": modelName(key, empty: "Unknown")
    default: shown(key, empty: "Unknown")
    }
  }

  private static func line(_ error: ErrorOccurrence, _ page: ReportVisit) -> TemplateValues {
    let labels = DeviceLabels(error.device)
    func brief(_ text: String) -> String { shown(text, empty: "–", limit: 60) }
    return [
      "link": page.links.page(AppReports.error, [.occurrence: String(error.id)]),
      "time": page.request.zone.dateTime(of: error.time),
      "version": brief(labels.version), "system": brief(labels.system),
      "model": modelName(error.device.model, limit: 60),
      "user": brief(error.user),
      "userLink": error.user.isEmpty
        ? nil : page.links.trail(of: .user(error.user), from: (error.id, error.time)), "install": "#\(error.install)",
      "installLink": page.links.install(error.install, from: (error.id, error.time)),
    ]
  }
}
