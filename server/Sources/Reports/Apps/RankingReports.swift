import Foundation
import Warehouse

extension AppReports {
  /// Every event name.
  package static let events = ReportDefinition(
    "events", title: "Events", explanation: "All events with their counts and users.",
    navigation: ReportNavigation(.events, "Events"),
    rankings: [eventRanking])

  /// Every screen; shares are parts of all screen views.
  package static let screens = ReportDefinition(
    "screens", title: "Screens", explanation: "All screens with their views and users.",
    navigation: ReportNavigation(.events, "Screens"),
    rankings: [
      Ranking(
        "screens", noun: "screen", countLabel: "Views", dimension: .screen, limit: 1_000, emptyKey: "(no name)")
    ])

  /// App versions, as `version (build)`.
  package static let versions = ReportDefinition(
    "versions", title: "Versions", explanation: "App versions with their events and users.",
    navigation: ReportNavigation(.audience, "Versions"),
    rankings: [versionRanking])

  /// Device models and operating systems. An install counts under both versions of a system updated within the range.
  package static let devices = ReportDefinition(
    "devices", title: "Devices", explanation: "Device models and operating systems with their events and users.",
    navigation: ReportNavigation(.audience, "Devices"),
    rankings: [
      Ranking("models", title: "Models", noun: "model", dimension: .model),
      Ranking("systems", title: "Systems", noun: "system", dimension: .os, color: 4),
    ])

  package static let countries = ReportDefinition(
    "countries", title: "Countries", explanation: "Countries with their events and users.",
    navigation: ReportNavigation(.audience, "Countries"),
    rankings: [countryRanking])

  /// Languages, from the devices' locales.
  package static let languages = ReportDefinition(
    "languages", title: "Languages", explanation: "Languages with their events and users.",
    navigation: ReportNavigation(.audience, "Languages"),
    rankings: [Ranking("languages", noun: "language", dimension: .language, limit: 300, codes: .languages, color: 2)])

  /// Events by name.
  package static let eventRanking = Ranking(
    "events", noun: "event", dimension: .event, limit: 1_000, emptyKey: "(no name)")
  /// App versions.
  package static let versionRanking = Ranking("versions", noun: "version", dimension: .version, color: 4)
  /// Countries, by default all of them.
  package static let countryRanking = Ranking(
    "countries", noun: "country", dimension: .country, limit: 300, codes: .countries, color: 3)
}

extension Ranking.Codes {
  private static let english = Locale(identifier: "en_US")

  /// Returns the English name of a code; the code itself if it has none.
  package func name(of code: String) -> String {
    guard !code.isEmpty else { return "Unknown" }
    // Foundation returns surprising names for other text.
    switch self {
    case .countries:
      let isCode = code.utf8.count == 2 && code.utf8.allSatisfy { (0x41...0x5A).contains($0) }
      return isCode ? Self.english.localizedString(forRegionCode: code) ?? code : code
    case .languages:
      let parts = code.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      let isCode =
        parts.count <= 2
        && parts.allSatisfy { (2...3).contains($0.count) && $0.allSatisfy { (0x61...0x7A).contains($0 | 0x20) } }
      return isCode ? Self.english.localizedString(forIdentifier: code) ?? code : code
    }
  }

  /// Returns the code of the country with an English name, in any case; `nil` for other text.
  package static func country(named name: String) -> String? { countryCodes[name.lowercased()] }

  private static let countryCodes = Dictionary(
    Locale.Region.isoRegions.map(\.identifier).filter { $0.utf8.count == 2 }.compactMap { code in
      english.localizedString(forRegionCode: code).map { ($0.lowercased(), code) }
    }, uniquingKeysWith: { first, _ in first })
}
