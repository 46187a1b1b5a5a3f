package import Ingest
package import Warehouse

/// The users of each version on each day, from which follow the days on which releases began to spread.
package struct ReleaseHistory: Sendable {
  /// The number of days before a range whose rows decide on the first days of releases.
  package static let daysBefore = 180

  private var users: [Day: Int] = [:]
  private var versions: [ExactText: [Day: Int]] = [:]

  package init() {}

  /// Adds the number of users of a day.
  package mutating func add(_ count: Int, on day: Day) { users[day] = count }

  /// Adds the number of a day's users who used a version.
  package mutating func add(_ count: Int, of version: ExactText, on day: Day) {
    versions[version, default: [:]][day] = count
  }

  /// Returns the versions that spread, newest first, each with the first day on which at least 1 % of the day's users
  /// used it; `nil` for the first day with users, which only shows when counting began.
  package func releases() -> [ReleaseStart] {
    let beginning = users.filter { $0.value > 0 }.keys.min()
    return versions.compactMap { version, days -> ReleaseStart? in
      guard let first = days.filter({ $1 > 0 && $1 * 100 >= users[$0] ?? 0 }).keys.min() else { return nil }
      return ReleaseStart(version: version, firstDay: first == beginning ? nil : first)
    }
    .sorted { AppVersion.isOrdered($1.version.text, before: $0.version.text) }
  }

  /// Returns true if a version was used on a day in a range.
  package func wasUsed(_ version: ExactText, in days: ClosedRange<Day>) -> Bool {
    versions[version]?.contains { $1 > 0 && days.contains($0) } ?? false
  }
}

/// A release, and the day on which it began to spread; `nil` if it was in use when counting began.
package struct ReleaseStart: Hashable, Sendable {
  package var version: ExactText
  package var firstDay: Day?

  package init(version: ExactText, firstDay: Day?) { (self.version, self.firstDay) = (version, firstDay) }
}

/// The rows of one version in some days.
package struct ReleaseWindow: Hashable, Sendable {
  package var version: ExactText
  package var days: ClosedRange<Day>

  package init(_ version: ExactText, _ days: ClosedRange<Day>) { (self.version, self.days) = (version, days) }

  /// The rows of the window, among those of a question.
  package func scope(_ scope: QuestionScope) -> QuestionScope {
    QuestionScope(
      range: .dates(days.lowerBound, days.upperBound),
      filters: scope.filters + [.isOneOf(.version, [.text(version)])], person: scope.person)
  }
}

extension ReleasesQuestion {
  /// Returns the windows of a release and of the one before at equal age; `nil` unless both have a whole day.
  package func windows(
    _ release: ReleaseStart, _ previous: ReleaseStart?, today: Day
  ) -> (release: ReleaseWindow, before: ReleaseWindow)? {
    guard let previous, let first = release.firstDay, let earlier = previous.firstDay else { return nil }
    let lastWhole = min(scope.range.resolved(today: today).upperBound, today.advanced(by: -1))
    let count = min(days, first.distance(to: lastWhole) + 1, earlier.distance(to: lastWhole) + 1)
    guard count > 0 else { return nil }
    return (
      ReleaseWindow(release.version, first...first.advanced(by: count - 1)),
      ReleaseWindow(previous.version, earlier...earlier.advanced(by: count - 1))
    )
  }
}
