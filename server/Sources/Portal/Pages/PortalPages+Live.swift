import Mustache
import Reports
import TernEvents
import Warehouse

extension PortalPages {
  /// The page of the latest rows, to which a script adds new ones as they arrive.
  func livePage(_ page: PageContext) async throws -> String {
    let (request, rows) = (page.request, try await LiveRow.latest(page.request, from: page.store))
    var shell = page.shell
    shell.hasRange = false
    shell.script = "live.js"
    let links = PortalLinks(app: request.app)
    let view = LiveView(
      stream: "/apps/\(request.app)/live/events?after=\(rows.first?.id ?? 0)", timeZone: request.zone.identifier,
      refreshLink: links.page(AppReports.live), setupLink: links.settings, isEmpty: rows.isEmpty,
      entries: rows.map { StreamRow($0, zone: request.zone) })
    return self.page(shell, body: templates.render("live", view))
  }

  /// The caption of a kind of row. The script of the live page has the same list.
  fileprivate static func caption(_ kind: String) -> String {
    switch kind {
    case "event": "Event"
    case "screen": "Screen"
    case "session_start": "Session"
    case "drops": "Drops"
    case "handled_error": "Error"
    case "crash": "Crash"
    case "attachment": "File"
    default: "Other"
    }
  }
}

private struct LiveView {
  var stream: String
  var timeZone: String
  var refreshLink: String
  var setupLink: String
  var isEmpty: Bool
  var entries: [StreamRow]
}

/// A row on the live page or among the earlier events of a session.
struct StreamRow {
  var id: Int64
  var kind: String
  var caption: String
  var clock: String
  var isoTime: String
  var name: String
  var properties: [LiveProperty]
  var install: String
  var place: String

  /// Creates a row. The live page shows the time of arrival, other pages the time of the event.
  init(_ event: LiveRow, zone: ReportZone, isLive: Bool = true) {
    let time = isLive ? event.received : event.time
    id = event.id
    kind = event.kind
    caption = PortalPages.caption(event.kind)
    clock = zone.timeOfDay(of: time)
    isoTime = time.isoText
    name = event.kind == "session_start" ? "Session started" : shown(event.name, empty: "–")
    properties = event.properties.map {
      LiveProperty(term: shown($0.name, limit: 60), value: shown($0.value.displayText, empty: "(empty)", limit: 120))
    }
    install = "#\(event.install)"
    place = [event.user, event.model, event.version, event.country].filter { !$0.isEmpty }.map(visible)
      .joined(separator: " · ")
  }
}

struct LiveProperty {
  var term: String
  var value: String
}
