import TernEvents

/// The pace of the demo's live players: in each hour as many events as in that hour of a usual day of the history, so
/// that today looks like the other days.
struct DemoPace: Equatable {
  /// The events of a usual day by the hour in UTC.
  let hourly: [Double]

  /// The part of a day's events that the players of a show make; the crowd makes the others.
  static let showShare = 0.125
  /// The time between two shows.
  static let showInterval = Duration.seconds(86_400)
  /// The shortest time between two events of a show.
  private static let quickest = 500.0
  private static let hour = 3_600_000.0

  /// - Parameters:
  ///   - counts: The events of some days by the hour in UTC.
  ///   - days: The number of the days.
  init(counts: [Int: Int], days: Int) {
    hourly = (0..<24).map { Double(counts[$0] ?? 0) / Double(max(days, 1)) }
  }

  /// The events of a usual day.
  var daily: Double { hourly.reduce(0, +) }

  /// The milliseconds between two events of the crowd, by the hour in UTC; at most an hour.
  var crowd: [Int] {
    hourly.map { count in Int(min(Self.hour, Self.hour / max(count * (1 - Self.showShare), 1))) }
  }

  /// The milliseconds between two events of each player of a show.
  ///
  /// - Parameter length: The time for which all players of a show play, added up.
  func show(_ length: Duration) -> Int {
    Int(max(Self.quickest, Double(length.components.seconds) * 1_000 / max(daily * Self.showShare, 1)))
  }
}
