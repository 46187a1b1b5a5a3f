package import Warehouse

/// The releases of an app, newest first.
package struct ReleasesAnswer: Equatable, Sendable {
  package var releases: [Release]
  /// The days of the range.
  package var days: [String]
  /// The users of each day.
  package var dayUsers: [Int]
  /// The users of each day by versions that are not among the releases or unknown, added up.
  package var otherUsers: [Int]

  package init(releases: [Release], days: [String], dayUsers: [Int], otherUsers: [Int]) {
    (self.releases, self.days, self.dayUsers, self.otherUsers) = (releases, days, dayUsers, otherUsers)
  }

  package struct Release: Equatable, Sendable {
    package var version: String
    /// The day on which the release began to spread; `nil` if it was in use when counting began.
    package var firstDay: Day?
    /// The users of each day of the range.
    package var dayUsers: [Int]
    /// The figures of the whole range.
    package var figures: Figures
    /// The numbers of the error groups whose first error ever is of this release and lies in the range, ascending.
    package var newErrors: [Int]
    /// The release against the one before; `nil` if there is none, or no whole day of each.
    package var comparison: Comparison?

    package init(
      version: String, firstDay: Day?, dayUsers: [Int], figures: Figures, newErrors: [Int], comparison: Comparison?
    ) {
      (self.version, self.firstDay, self.dayUsers) = (version, firstDay, dayUsers)
      (self.figures, self.newErrors, self.comparison) = (figures, newErrors, comparison)
    }
  }

  /// The figures of one release in some days.
  package struct Figures: Equatable, Sendable {
    package var users: Int
    package var crashedUsers: Int
    package var sessions: Int
    package var crashedSessions: Int
    package var conversions: [Conversion]

    package init(users: Int, crashedUsers: Int, sessions: Int, crashedSessions: Int, conversions: [Conversion]) {
      (self.users, self.crashedUsers, self.sessions) = (users, crashedUsers, sessions)
      (self.crashedSessions, self.conversions) = (crashedSessions, conversions)
    }

    package var crashFreeUsers: Share { Share(users - crashedUsers, of: users) }
    package var crashFreeSessions: Share { Share(sessions - crashedSessions, of: sessions) }
  }

  package enum Conversion: Equatable, Sendable {
    case share(Share)
    case mean(Mean)
  }

  /// The first days of a release, and as many of the release before.
  package struct Comparison: Equatable, Sendable {
    package var previous: String
    package var days: Int
    /// The first day of the release before.
    package var previousFirstDay: Day
    package var release: Figures
    package var before: Figures

    package init(previous: String, days: Int, previousFirstDay: Day, release: Figures, before: Figures) {
      (self.previous, self.days, self.previousFirstDay) = (previous, days, previousFirstDay)
      (self.release, self.before) = (release, before)
    }
  }
}

extension ReleasesAnswer.Conversion {
  package var value: Double? {
    switch self {
    case .share(let share): share.value
    case .mean(let mean): mean.value
    }
  }

  package var interval: Interval? {
    switch self {
    case .share(let share): share.interval
    case .mean(let mean): mean.interval
    }
  }

  package var isFew: Bool {
    switch self {
    case .share(let share): share.isFew
    case .mean(let mean): mean.isFew
    }
  }

  package func difference(from before: ReleasesAnswer.Conversion) -> Difference? {
    switch (self, before) {
    case (.share(let share), .share(let before)): share.difference(from: before)
    case (.mean(let mean), .mean(let before)): mean.difference(from: before)
    default: nil
    }
  }
}

extension ReleasesAnswer.Comparison {
  package var crashFreeUsers: Difference? { release.crashFreeUsers.difference(from: before.crashFreeUsers) }
  package var crashFreeSessions: Difference? { release.crashFreeSessions.difference(from: before.crashFreeSessions) }
  package var conversions: [Difference?] {
    zip(release.conversions, before.conversions).map { $0.difference(from: $1) }
  }
}
