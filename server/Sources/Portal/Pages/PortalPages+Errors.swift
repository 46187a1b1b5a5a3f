import Reports
import Warehouse

extension PortalPages {
  /// Handled errors and crashes, by fault.
  func errorsPage(_ report: ErrorsReport, _ shell: Shell, _ request: ReportRequest) -> String {
    let links = PortalLinks(request)
    func list(_ heading: String, _ groups: [ErrorGroupFigures]) -> FaultList {
      FaultList(heading: heading, isEmpty: groups.isEmpty, lines: groups.map { FaultRow($0, links) })
    }
    let view = ErrorsView(lists: [list("Crashes", report.crashes), list("Handled errors", report.handled)])
    return page(shell, body: templates.render("errors", view))
  }

  /// One fault, or one occurrence of it.
  func errorPage(_ report: ErrorReport, _ shell: Shell, _ request: ReportRequest) -> String {
    let links = PortalLinks(request)
    var shell = shell
    shell.title = shown(report.occurrence?.type ?? report.error?.type ?? "", empty: "Error")
    if let occurrence = report.occurrence {
      shell.hasRange = false
      shell.trail = "All occurrences"
      shell.trailLink = links.page(.error, group: occurrence.group)
      return occurrencePage(occurrence, shell, links, request)
    }
    shell.trail = "Errors"
    shell.trailLink = links.page(.errors)
    return faultPage(report, shell, links, request)
  }

  private func faultPage(
    _ report: ErrorReport, _ shell: Shell, _ links: PortalLinks, _ request: ReportRequest
  ) -> String {
    let chart = Chart(
      id: "error", title: "Occurrences per day, \(request.days.text)", days: report.days.map(\.date),
      series: [
        .init(name: "Occurrences", values: report.days.map(\.count), isFilled: true, color: 2),
        .init(name: "Users", values: report.days.map(\.users), color: 3),
      ], endsToday: request.days.upperBound == request.today)
    let view = FaultView(
      message: shown(report.error?.message ?? "", empty: "It said nothing."),
      tiles: tiles([
        Tile("Occurrences", grouped(report.error?.count ?? 0)), Tile("Users", grouped(report.error?.users ?? 0)),
      ]), chart: chart.html(),
      table: table(
        ["Day", "Occurrences", "Users"],
        report.days.reversed().map { [$0.date.weekdayText, grouped($0.count), grouped($0.users)] }),
      hasVersions: !report.versions.isEmpty,
      bars: report.versions.map { BarRow(shown($0.name, empty: "Unknown"), $0.count, $0.share) },
      isEmpty: report.occurrences.isEmpty,
      lines: report.occurrences.map { OccurrenceRow($0, links.page(.error, occurrence: $0.occurrence)) })
    return page(shell, body: templates.render("fault", view))
  }

  /// How much of an error as it was sent a page shows; the report as JSON has all that is kept.
  private static let shownRawBytes = 64 << 10

  private func occurrencePage(
    _ detail: ErrorReport.Detail, _ shell: Shell, _ links: PortalLinks, _ request: ReportRequest
  ) -> String {
    let facts = detail.facts
    let terms = [
      ("Time", facts.time), ("Received", facts.received), ("App version", facts.version), ("Model", facts.model),
      ("System", facts.system), ("Country", facts.country), ("Locale", facts.locale), ("User", facts.user),
      ("Install", "#\(facts.install)"), ("Id", facts.id),
    ]
    let view = OccurrenceView(
      message: shown(detail.message, empty: "It said nothing.", limit: 2_000),
      facts: terms.map { LiveProperty(term: $0.0, value: shown($0.1, empty: "–")) },
      properties: LiveRow(detail.event, zone: request.zone).properties, hasStack: !detail.stack.isEmpty,
      stack: shownLines(detail.stack), hasFiles: !detail.attachments.isEmpty,
      files: detail.attachments.map {
        FileRow(
          name: shown($0.name, empty: "attachment \($0.attachment)"), link: links.file($0.attachment),
          type: shown($0.contentType, empty: "unknown type", limit: 100), size: "\(grouped($0.bytes)) bytes")
      }, hasBefore: !detail.before.isEmpty,
      entries: detail.before.map { LiveRow($0, zone: request.zone, isLive: false) },
      raw: shownLines(String(decoding: detail.raw.utf8.prefix(Self.shownRawBytes), as: UTF8.self)))
    return page(shell, body: templates.render("occurrence", view))
  }
}

/// A text of several lines from a client as a page shows it: control characters written out, line breaks kept.
private func shownLines(_ text: String) -> String {
  text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    line.isEmpty || line.allSatisfy({ $0 == " " }) ? "" : visible(String(line))
  }.joined(separator: "\n")
}

private struct ErrorsView {
  var lists: [FaultList]
}

private struct FaultList {
  var heading: String
  var isEmpty: Bool
  var lines: [FaultRow]
}

private struct FaultRow {
  var type: String
  var place: String
  var link: String
  var count: String
  var users: String
  var versions: String
  var last: String

  init(_ group: ErrorGroupFigures, _ links: PortalLinks) {
    type = shown(group.type)
    place = shown(group.place.isEmpty ? group.message : group.place, empty: "–")
    link = links.page(.error, group: group.group)
    count = grouped(group.count)
    users = grouped(group.users)
    let rest = group.versions.count - 3
    versions =
      group.versions.prefix(3).map { shown($0, empty: "Unknown", limit: 40) }.joined(separator: ", ")
      + (rest > 0 ? " and \(rest) more" : "")
    last = group.last
  }
}

private struct FaultView {
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

  init(_ error: ErrorReport.Occurrence, _ link: String) {
    self.link = link
    time = error.time
    version = shown(error.version, empty: "–", limit: 60)
    system = shown(error.system, empty: "–", limit: 60)
    model = shown(error.model, empty: "–", limit: 60)
    user = shown(error.user, empty: "–", limit: 60)
    install = "#\(error.install)"
  }
}

private struct OccurrenceView {
  var message: String
  var facts: [LiveProperty]
  var properties: [LiveProperty]
  var hasStack: Bool
  var stack: String
  var hasFiles: Bool
  var files: [FileRow]
  var hasBefore: Bool
  var entries: [LiveRow]
  var raw: String
}

private struct FileRow {
  var name: String
  var link: String
  var type: String
  var size: String
}
