import Ingest
import Reports
import TernBase
import TernEvents
import Warehouse

extension PortalPages {
  private static let shownRows = 100
  private static let countedRows = 1_000

  /// The page of the latest rows, to which a script adds new ones as they arrive.
  func livePage(_ page: PageContext) async throws -> String {
    let request = page.request
    // More than the page shows, so that those of the last minute can be counted.
    let stored = try await page.store.recent(app: request.app, limit: Self.countedRows)
    let rows = stored.prefix(request.limit ?? Self.shownRows)
    let ages = stored.map { request.now.millisecondsSince1970.subtractingSaturated($0.received.millisecondsSince1970) }
      .filter { (0..<60_000).contains($0) }
    var shell = page.shell
    shell.hasRange = false
    shell.script = "live.js"
    let links = PortalLinks(app: request.app)
    let values: TemplateValues = [
      "people": "/apps/\(request.app)/people/numbers/",
      "stream": "/apps/\(request.app)/live/events?after=\(rows.first?.id ?? 0)", "timeZone": request.zone.identifier,
      "refreshLink": links.page(AppReports.live), "setupLink": links.setup,
      "ages": ages.map(String.init).joined(separator: " "), "rate": grouped(ages.count),
      "kinds": [StoredKind.event, .screen, .sessionStart, .crash, .handledError, .attachment, .drops].map {
        ["value": $0.name, "text": Self.caption($0)] as TemplateValues
      },
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
    let place = [event.user, device.model, DeviceLabels(device).version, countryName(device.country, empty: "")]
      .filter { !$0.isEmpty }
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
