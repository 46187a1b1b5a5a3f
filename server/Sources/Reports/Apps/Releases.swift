package import Warehouse

/// A version of an app, and the day on which it began to spread.
package struct Release: Sendable, Hashable {
  /// The day in the app's time zone.
  package var day: Day
  /// The version, `VERSION (BUILD)`.
  package var version: String

  package init(day: Day, version: String) {
    self.day = day
    self.version = version
  }
}

/// Finds the days on which versions began to spread: the first on which at least 1 % of the day's installs used them.
///
/// A version that already was in use on the first day with data is no release: that day only shows when counting began.
package enum Releases {
  /// The number of days before a range in which the use of a version rules out a release.
  private static let before = 30
  /// The number of versions with the most events that are looked at.
  private static let versions = 20

  /// Returns the releases in a range of days, oldest first.
  package static func find(
    app: AppID, days: ClosedRange<Day>, from store: any MetricsStore
  ) async throws -> [Release] {
    let window = days.lowerBound.advanced(by: -before)...days.upperBound
    let keys = try await store.totals(app: app, dimension: .version, days: window, limit: versions).map(\.key)
      .filter { !$0.isEmpty && $0 != Dimension.otherKey }
    guard !keys.isEmpty else { return [] }
    let installs = Dictionary(
      try await store.activity(app: app, days: window).map { ($0.day, $0.daily) }, uniquingKeysWith: { $1 })
    var releases: [Release] = []
    for key in keys {
      let series = try await store.series(app: app, dimension: .version, key: key, days: window)
      if let day = firstDay(of: series.map { ($0.day, $0.users) }, installs: installs), days.contains(day) {
        releases.append(Release(day: day, version: key))
      }
    }
    return releases.sorted {
      $0.day == $1.day ? AppVersion.isOrdered($0.version, before: $1.version) : $0.day < $1.day
    }
  }

  /// Returns the day on which a version began to spread; `nil` if it never did, or was there from the beginning.
  static func firstDay(of users: [(day: Day, users: Int)], installs: [Day: Int]) -> Day? {
    let beginning = installs.filter { $0.value > 0 }.keys.min()
    let first = users.first { $0.users > 0 && $0.users * 100 >= (installs[$0.day] ?? 0) }?.day
    return first == beginning ? nil : first
  }
}
