import Ingest
import Reports
import TernEvents
import Warehouse

extension PortalPages {
  /// The page of the latest rows, to which a script adds new ones as they arrive.
  func livePage(_ page: PageContext) async throws -> String {
    let (request, rows) = (page.request, try await LiveRows.latest(page.request, from: page.store))
    var shell = page.shell
    shell.hasRange = false
    shell.script = "live.js"
    let links = PortalLinks(app: request.app)
    let values: TemplateValues = [
      "people": "/apps/\(request.app)/people/numbers/",
      "stream": "/apps/\(request.app)/live/events?after=\(rows.first?.id ?? 0)", "timeZone": request.zone.identifier,
      "refreshLink": links.page(AppReports.live), "setupLink": links.settings,
      "entries": rows.map { Self.entry($0, zone: request.zone, links) },
    ]
    return self.page(shell, body: templates.render("live", values))
  }

  /// A row on the live page, which shows when it arrived, or among the earlier events of a session, with the time at
  /// which it happened.
  static func entry(
    _ event: StoredEvent, zone: ReportZone, _ links: PortalLinks, isLive: Bool = true
  ) -> TemplateValues {
    let time = isLive ? event.received : event.time
    let device = event.device
    let place = [event.user, device.model, DeviceLabels(device).version, device.country].filter { !$0.isEmpty }
    return [
      "id": event.id, "kind": event.kind.name, "caption": caption(event.kind), "clock": zone.timeOfDay(of: time),
      "isoTime": time.isoText,
      "name": event.kind == .sessionStart ? "Session started" : shown(event.name, empty: "–"),
      "properties": properties(of: event), "install": "#\(event.install)",
      "installLink": links.install(event.install, from: (event.id, event.time)),
      "place": place.map(visible).joined(separator: " · "),
    ]
  }

  static func properties(of event: StoredEvent) -> [TemplateValues] {
    event.properties.map {
      ["term": shown($0.name, limit: 60), "value": shown($0.value.displayText, empty: "(empty)", limit: 120)]
    }
  }

  /// The caption of a kind of row. The script of the live page has the same list.
  static func caption(_ kind: StoredKind) -> String {
    switch kind {
    case .event: "Event"
    case .screen: "Screen"
    case .sessionStart: "Session"
    case .drops: "Drops"
    case .handledError: "Error"
    case .crash: "Crash"
    case .attachment: "File"
    case .attachmentPart, .other: "Other"
    }
  }
}
