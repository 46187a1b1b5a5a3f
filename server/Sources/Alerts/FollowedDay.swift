import Questions
package import TernEvents

/// A day that is decided on again while late data arrives: most crashes arrive with the next launch of their app.
package struct FollowedDay: Sendable, Hashable, Codable {
  /// The time between two decisions on the same day.
  static let pause: Duration = .seconds(3_600)

  /// The number in the app's calendar.
  package var number: Int
  /// The last decision; `nil` while there is too little data for one.
  package var isOutside: Bool?
  /// The time at which its figure was last read, in milliseconds since 1970.
  package var asked: Int64

  package init(number: Int, isOutside: Bool?, asked: Int64) {
    (self.number, self.isOutside, self.asked) = (number, isOutside, asked)
  }

  fileprivate func isDue(at now: Timestamp) -> Bool {
    let asked = Timestamp(millisecondsSince1970: asked)
    // A clock that was set back must not end the decisions.
    return asked > now || now.since(asked) >= Self.pause
  }
}

extension AlertState {
  /// The days that are followed, oldest first. A state that was stored before days were followed has the last one.
  var followedDays: [FollowedDay] {
    days ?? period.map { [FollowedDay(number: $0, isOutside: isBreached, asked: 0)] } ?? []
  }

  /// Returns the period whose figure is to be read now; `nil` if there is none.
  ///
  /// - Parameter periods: The periods that have ended lately, oldest first; see ``EndedPeriods/recent(_:at:in:)``.
  package func due(_ periods: [EndedPeriods], at now: Timestamp) -> EndedPeriods? {
    guard let newest = periods.last else { return nil }
    guard newest.unit == .day else { return newest.last > period ?? .min ? newest : nil }
    let days = followedDays
    if newest.last > days.last?.number ?? .min { return newest }
    let due = days.filter { $0.isDue(at: now) }.sorted { $0.asked < $1.asked }
    return due.lazy.compactMap { day in periods.first { $0.last == day.number } }.first
  }
}
