import Ingest
import Reports
import TernBase
import TernEvents
import Warehouse

/// Stored rows as several pages show them.
enum StoredEventText {
  /// A row on the live page, which shows when it arrived, or among the earlier events of a session, with the time at
  /// which it happened.
  ///
  /// - Parameter filter: Returns the address of the page with a filter for a value; `nil` on pages without filters.
  static func entry(
    _ event: StoredEvent, zone: ReportZone, _ links: PortalLinks,
    filter: ((_ dimension: String, _ value: String) -> String?)? = nil
  ) -> TemplateValues {
    let time = filter == nil ? event.time : event.received
    let device = event.device
    let places = [
      ("user", event.user, shown(event.user)), ("model", device.model, shown(device.model)),
      ("version", DeviceLabels(device).version, shown(DeviceLabels(device).version)),
      ("country", device.country, countryName(device.country, empty: "")),
    ].filter { !$0.1.isEmpty }
    let named: String? = event.kind == .event ? "event" : event.kind == .screen ? "screen" : nil
    return [
      "id": event.id, "kind": event.kind.name, "caption": caption(event.kind), "clock": zone.timeOfDay(of: time),
      "isoTime": time.isoText,
      "name": event.kind == .sessionStart ? "Session started" : shown(event.name, empty: "–"),
      "nameFilter": named.flatMap { event.name.isEmpty ? nil : filter?($0, event.name) },
      "properties": properties(of: event, filter: filter), "install": "#\(event.install)",
      "installLink": links.install(event.install, from: (event.id, event.time)),
      "places": places.enumerated().map { index, place -> TemplateValues in
        ["place": place.2, "placeFilter": filter?(place.0, place.1), "isNext": index > 0]
      },
    ]
  }

  static func properties(
    of event: StoredEvent, filter: ((_ dimension: String, _ value: String) -> String?)? = nil
  ) -> [TemplateValues] {
    event.properties.map { property in
      let value = property.value.displayText
      return [
        "term": shown(property.name, limit: 60), "value": shown(value, empty: "(empty)", limit: 120),
        "chipFilter": value.isEmpty ? nil : filter?("property:\(property.name)", value),
      ]
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
