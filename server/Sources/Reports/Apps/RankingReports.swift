import Foundation
import Warehouse

extension AppReports {
  /// Every event name.
  public static let events = ReportDefinition(
    "events", title: "Events", explanation: "All events with their counts and users.",
    navigation: ReportNavigation(.usage, "Events", icon: "M11 2.5L4 11.5h5l-1 6 7-9h-5z"),
    rankings: [eventRanking])

  /// Every screen; shares are parts of all screen views.
  public static let screens = ReportDefinition(
    "screens", title: "Screens", explanation: "All screens with their views and users.",
    navigation: ReportNavigation(.usage, "Screens", icon: "M3 4h14v10H3zM7 17h6"),
    rankings: [
      Ranking(
        "screens", noun: "screen", countLabel: "Views", dimension: .screen, limit: 1_000, emptyKey: "(no name)")
    ])

  /// App versions, as `version (build)`.
  public static let versions = ReportDefinition(
    "versions", title: "Versions", explanation: "App versions with their events and users.",
    navigation: ReportNavigation(
      .audience, "Versions", icon: "M10 3l7 3.5-7 3.5-7-3.5zM3 10.2l7 3.5 7-3.5M3 13.7l7 3.5 7-3.5"),
    rankings: [versionRanking])

  /// Device models and operating systems. An install counts under both versions of a system updated within the range.
  public static let devices = ReportDefinition(
    "devices", title: "Devices", explanation: "Device models and operating systems with their events and users.",
    navigation: ReportNavigation(.audience, "Devices", icon: "M6 2.5h8v15H6zM9 15h2"),
    rankings: [
      Ranking("models", title: "Models", noun: "model", dimension: .model),
      Ranking("systems", title: "Systems", noun: "system", dimension: .os, color: 4),
    ])

  /// Countries.
  public static let countries = ReportDefinition(
    "countries", title: "Countries", explanation: "Countries with their events and users.",
    navigation: ReportNavigation(
      .audience, "Countries",
      icon: "M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM2.5 10h15M10 2.5c-5 5-5 10 0 15M10 2.5c5 5 5 10 0 15"),
    rankings: [countryRanking])

  /// Events by name.
  public static let eventRanking = Ranking(
    "events", noun: "event", dimension: .event, limit: 1_000, emptyKey: "(no name)")
  /// App versions.
  public static let versionRanking = Ranking("versions", noun: "version", dimension: .version, color: 4)
  /// Countries, by default all of them.
  public static let countryRanking = Ranking(
    "countries", noun: "country", dimension: .country, limit: 300, isCountries: true, color: 3)
}

extension RankedKey {
  private static let english = Locale(identifier: "en_US")

  /// The row of a country code with the country's English name.
  var withCountryName: RankedKey {
    // Only two letters are a region: Foundation returns surprising names for other text.
    let isCode = key.utf8.count == 2 && key.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    var row = self
    row.name = key.isEmpty ? "Unknown" : isCode ? Self.english.localizedString(forRegionCode: key) ?? key : key
    return row
  }
}
