import Ingest
import Reports
import Warehouse

extension PortalPages {
  /// The page of crashes and handled errors, grouped.
  func errorsPage(_ page: PageContext) async throws -> String {
    let metrics = try await ErrorsMetrics(page.request, from: page.store)
    func list(_ heading: String, _ groups: [ErrorGroup]) -> ErrorGroupList {
      ErrorGroupList(
        heading: heading, isEmpty: groups.isEmpty, lines: groups.map { ErrorGroupRow($0, page.links) })
    }
    let view = ErrorsView(
      lead: page.request.report.explanation,
      lists: [list("Crashes", metrics.crashes), list("Handled errors", metrics.handled)])
    return self.page(page.shell, body: templates.render("errors", view))
  }

  /// The page of one error group, or of one occurrence.
  func errorPage(_ page: PageContext) async throws -> String {
    let (metrics, links) = (try await ErrorMetrics(page.request, from: page.store), page.links)
    var page = page
    page.shell.title = shown(metrics.detail?.type ?? metrics.group?.type ?? "", empty: "Error")
    if let detail = metrics.detail {
      page.shell.hasRange = false
      page.shell.trail = "All occurrences"
      page.shell.trailLink = links.page(AppReports.error, [.group: String(detail.occurrence.group)])
      return occurrencePage(detail, page)
    }
    page.shell.trail = "Errors"
    page.shell.trailLink = links.page(AppReports.errors)
    return errorGroupPage(metrics, page)
  }

  private func errorGroupPage(_ metrics: ErrorMetrics, _ page: PageContext) -> String {
    let request = page.request
    let chart = Chart(
      id: "error", title: "Occurrences per day, \(request.days.text)", days: metrics.days.map(\.day),
      series: [
        .init(name: "Occurrences", values: metrics.days.map(\.count), isFilled: true, color: 2),
        .init(name: "Users", values: metrics.days.map(\.users), color: 3),
      ], endsToday: request.days.upperBound == request.today)
    let view = ErrorGroupView(
      message: shown(metrics.group?.message ?? "", empty: "No message"),
      tiles: tiles([
        Tile("Occurrences", grouped(metrics.group?.count ?? 0)), Tile("Users", grouped(metrics.group?.users ?? 0)),
      ]), chart: chart.html(),
      table: table(
        ["Day", "Occurrences", "Users"],
        metrics.days.reversed().map { [$0.day.weekdayText, grouped($0.count), grouped($0.users)] }),
      hasVersions: !metrics.versions.isEmpty,
      bars: metrics.versions.map { BarRow(shown($0.key, empty: "Unknown"), $0.count, $0.share) },
      isEmpty: metrics.occurrences.isEmpty,
      lines: metrics.occurrences.map {
        OccurrenceRow($0, page.links.page(AppReports.error, [.occurrence: String($0.id)]))
      })
    return self.page(page.shell, body: templates.render("errorgroup", view))
  }

  /// The part of a raw report shown on a page, in bytes; the JSON report has everything that is stored.
  private static let shownRawBytes = 64 << 10

  private func occurrencePage(_ detail: ErrorDetail, _ page: PageContext) -> String {
    let (error, labels, zone) = (detail.occurrence, DeviceLabels(detail.occurrence.device), page.request.zone)
    let terms = [
      ("Time", error.time.isoText), ("Received", error.received.isoText), ("App version", labels.version),
      ("Model", error.device.model), ("System", labels.system), ("Country", error.device.country),
      ("Locale", error.device.locale), ("User", error.user), ("Install", "#\(error.install)"), ("Id", error.name),
    ]
    let view = OccurrenceView(
      message: shown(detail.message, empty: detail.isTextKept ? "No message" : "No message kept", limit: 2_000),
      facts: terms.map { LiveProperty(term: $0.0, value: shown($0.1, empty: "–")) },
      properties: StreamRow(LiveRow(detail.event), zone: zone).properties, hasStack: !detail.stack.isEmpty,
      isTextKept: detail.isTextKept,
      stack: shownLines(detail.stack), hasFiles: !detail.attachments.isEmpty,
      files: detail.attachments.map {
        FileRow(
          name: shown($0.name, empty: "attachment \($0.id)"), link: page.links.file($0.id),
          type: shown($0.contentType, empty: "unknown type", limit: 100), size: counted($0.bytes, "byte"))
      }, hasBefore: !detail.before.isEmpty,
      entries: detail.before.map { StreamRow(LiveRow($0), zone: zone, isLive: false) },
      raw: shownLines(String(decoding: detail.raw.utf8.prefix(Self.shownRawBytes), as: UTF8.self)))
    return self.page(page.shell, body: templates.render("occurrence", view))
  }
}

/// Formats text of several lines from a client: control characters escaped, line breaks kept.
private func shownLines(_ text: String) -> String {
  text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    line.isEmpty || line.allSatisfy({ $0 == " " }) ? "" : visible(String(line))
  }.joined(separator: "\n")
}

private struct ErrorsView {
  var lead: String
  var lists: [ErrorGroupList]
}

private struct ErrorGroupList {
  var heading: String
  var isEmpty: Bool
  var lines: [ErrorGroupRow]
}

private struct ErrorGroupRow {
  var type: String
  var message: String
  var place: String
  var link: String
  var count: String
  var users: String
  var versions: String
  var last: String

  init(_ group: ErrorGroup, _ links: PortalLinks) {
    type = shown(group.type)
    message = shown(group.message, empty: "No message", limit: 200)
    place = shown(group.place, empty: "–")
    link = links.page(AppReports.error, [.group: String(group.id)])
    count = grouped(group.count)
    users = grouped(group.users)
    let rest = group.versions.count - 3
    versions =
      group.versions.prefix(3).map { shown($0.key, empty: "Unknown", limit: 40) }.joined(separator: ", ")
      + (rest > 0 ? " and \(rest) more" : "")
    last = group.last.isoText
  }
}

private struct ErrorGroupView {
  var message: String
  var tiles: String
  var chart: String
  var table: String
  var hasVersions: Bool
  var bars: [BarRow]
  var isEmpty: Bool
  var lines: [OccurrenceRow]
}

private struct OccurrenceRow {
  var link: String
  var time: String
  var version: String
  var system: String
  var model: String
  var user: String
  var install: String

  init(_ error: ErrorOccurrence, _ link: String) {
    let labels = DeviceLabels(error.device)
    self.link = link
    time = error.time.isoText
    version = shown(labels.version, empty: "–", limit: 60)
    system = shown(labels.system, empty: "–", limit: 60)
    model = shown(error.device.model, empty: "–", limit: 60)
    user = shown(error.user, empty: "–", limit: 60)
    install = "#\(error.install)"
  }
}

private struct OccurrenceView {
  var message: String
  var facts: [LiveProperty]
  var properties: [LiveProperty]
  var hasStack: Bool
  var isTextKept: Bool
  var stack: String
  var hasFiles: Bool
  var files: [FileRow]
  var hasBefore: Bool
  var entries: [StreamRow]
  var raw: String
}

private struct FileRow {
  var name: String
  var link: String
  var type: String
  var size: String
}
