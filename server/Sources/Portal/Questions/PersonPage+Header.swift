import Questions
import Reports
import TernEvents
import Warehouse

extension PersonPage {
  /// The head of a person's page: totals, the time of the first and the last row, and the devices.
  func header(_ summary: PersonSummary, _ links: PortalLinks, _ zone: ReportZone) -> TemplateValues {
    func time(_ milliseconds: Int64) -> String { zone.dateTime(of: Timestamp(millisecondsSince1970: milliseconds)) }
    func fact(_ name: String, _ values: [String], _ text: (String) -> String = { shown($0) }) -> TemplateValues? {
      // The order of the devices, the latest one first.
      var unique: [String] = []
      for value in values where !value.isEmpty && !unique.contains(value) { unique.append(value) }
      guard let first = unique.first else { return nil }
      let rest = unique.dropFirst().prefix(Self.shownOlder).map(text).joined(separator: ", ")
      let more = unique.count - 1 - Self.shownOlder
      return [
        "term": name, "text": text(first),
        "older": rest.isEmpty ? nil : "before: \(rest)\(more > 0 ? " and \(more) more" : "")",
      ]
    }
    let devices = summary.devices
    let facts = [
      fact("Last seen", [time(summary.last)]), fact("First seen", [time(summary.first)]),
      fact("Version", devices.map(\.version)), fact("Device", devices.map(\.model)) { modelName($0) },
      fact("System", devices.map(\.os)), fact("Country", devices.map(\.country)) { countryName($0) },
      fact("Language", devices.map(\.language)) { shown(Ranking.Codes.languages.name(of: $0)) },
      fact("Joined by aliases with", [Self.list(summary.identifiers)]) { $0 },
    ]
    return [
      "tiles": visit.tiles([
        .tile("Events", grouped(summary.events), about: "Everything that the app tracked for this person."),
        .tile("Sessions", grouped(summary.sessions), about: "Sessions with at least one stored row."),
        .tile("Errors", grouped(summary.errors), about: "Errors that the app caught and reported."),
        .tile("Crashes", grouped(summary.crashes), about: "How often the app crashed for this person."),
      ]),
      "facts": facts.compactMap { $0 },
      "others": summary.others.map { other -> TemplateValues in
        switch other {
        case .user(let name): .link("User \(shown(name))", links.trail(of: other))
        case .install(let name): .link(shownInstall(name), links.trail(of: other))
        }
      },
    ]
  }

  /// Identifiers as text; a person may have a hundred.
  private static func list(_ identifiers: [String]) -> String {
    let more = identifiers.count - PersonSummary.maximumItems
    let shownFirst = identifiers.prefix(PersonSummary.maximumItems).map { shown($0) }.joined(separator: ", ")
    return more > 0 ? "\(shownFirst) and \(more) more" : shownFirst
  }

  /// The earlier versions, devices and so on that the head names.
  private static let shownOlder = 3
}
