import Mustache
import Reports
import TernEvents
import Warehouse

extension PortalPages {
  /// The latest rows; with a script new ones arrive by themselves.
  func livePage(_ report: LiveReport, _ shell: Shell, _ request: ReportRequest) -> String {
    var shell = shell
    shell.hasRange = false
    shell.script = "live.js"
    let last = report.events.first?.id ?? 0
    let view = LiveView(
      stream: "/apps/\(request.app)/live/events?after=\(last)", timeZone: request.zone.identifier,
      refreshLink: PortalLinks(app: request.app).page(.live), setupLink: PortalLinks(app: request.app).settings,
      isEmpty: report.events.isEmpty,
      entries: report.events.map { LiveRow($0, zone: request.zone) })
    return page(shell, body: templates.render("live", view))
  }

  /// What a kind of row is called; the script of the live page has the same list.
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
  var entries: [LiveRow]
}

struct LiveRow {
  var id: Int64
  var kind: String
  var caption: String
  var clock: String
  var isoTime: String
  var name: String
  var properties: [LiveProperty]
  var install: String
  var place: String

  /// Live shows when an event came; elsewhere it is told when it happened.
  init(_ event: LiveEvent, zone: ReportZone, isLive: Bool = true) {
    let time = isLive ? event.received : event.time
    id = event.id
    kind = event.kind
    caption = PortalPages.caption(event.kind)
    clock = zone.timeOfDay(of: time)
    isoTime = time.isoText
    name = event.kind == "session_start" ? "Session began" : shown(event.name, empty: "–")
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
