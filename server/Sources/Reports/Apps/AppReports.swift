package enum AppReports {
  /// All of them, in the order of the navigation.
  static let all = [
    overview, events, event, screens, errors, error, missingSymbols, versions, devices, countries, languages, live,
    dropped,
  ]
}
