import Ingest
import TernBase
import TernEvents
import Warehouse

struct AppCenterActivity: Encodable {
  var daily: [AppCenterCount<Int>]
  var weekly: [AppCenterCount<Int>]
  var monthly: [AppCenterCount<Int>]
}

struct AppCenterSessions: Encodable {
  var averageSessionsPerUser: Double
  var previousAverageSessionsPerUser: Double
  var totalCount: Int
  var previousTotalCount: Int
  var sessionsPerUser: [AppCenterCount<Double>]
}

struct AppCenterDurations: Encodable {
  struct Bucket: Encodable {
    var bucket: String
    var count: Int
    var previousCount: Int
  }

  var distribution: [Bucket]
  var averageDuration: String
  var previousAverageDuration: String
}

struct AppCenterCrashes: Encodable {
  var count: Int
  var crashes: [AppCenterCount<Int>]
}

extension AppCenterQuery {
  /// The names of the duration buckets in App Center's responses.
  private static let buckets = ["0-30s", "30s-1min", "1-30min", "30min-1h", ">1h"]

  /// Weeks have 7 days and months 28, as in App Center.
  func activeDevices(_ source: any MetricsStore) async throws -> AppCenterActivity {
    func series(_ window: Int) async throws -> [AppCenterCount<Int>] {
      try await source.activeInstalls(app: app, days: days, window: window).map { AppCenterCount($0.day, $0.count) }
    }
    return AppCenterActivity(daily: try await series(1), weekly: try await series(7), monthly: try await series(28))
  }

  func sessionsPerDevice(_ source: any MetricsStore) async throws -> AppCenterSessions {
    let (now, before) = (try await sessions(source, days), try await sessions(source, previousDays))
    let active = Dictionary(
      try await source.activeInstalls(app: app, days: days, window: interval).map { ($0.day, $0.count) },
      uniquingKeysWith: { $1 })
    var series: [AppCenterCount<Double>] = []
    for (index, step) in steps(now).enumerated() {
      let start = days.lowerBound.advanced(by: index * interval)
      let last = min(start.advanced(by: interval - 1), days.upperBound)
      // The range may end within the last step; its users are then those of the remaining days.
      let isWhole = start.distance(to: last) + 1 == interval
      let users = isWhole ? active[last] ?? 0 : try await users(source, in: start...last)
      series.append(AppCenterCount(start, ratio(step.count, users)))
    }
    let (total, previous) = (now.values.saturatingSum, before.values.saturatingSum)
    return AppCenterSessions(
      averageSessionsPerUser: ratio(total, try await users(source)),
      previousAverageSessionsPerUser: ratio(previous, try await users(source, in: previousDays)), totalCount: total,
      previousTotalCount: previous, sessionsPerUser: series)
  }

  func sessionDurations(_ source: any MetricsStore) async throws -> AppCenterDurations {
    let now = try await source.sessionDurations(app: app, days: days)
    let before = try await source.sessionDurations(app: app, days: previousDays)
    return AppCenterDurations(
      distribution: zip(Self.buckets, zip(now.buckets, before.buckets)).map { name, counts in
        AppCenterDurations.Bucket(bucket: name, count: counts.0, previousCount: counts.1)
      }, averageDuration: Self.duration(now.average), previousAverageDuration: Self.duration(before.average))
  }

  func crashes(_ source: any MetricsStore) async throws -> AppCenterCrashes {
    let series = try await source.series(app: app, dimension: .kind, key: "crash", days: days)
    let counts = Dictionary(series.map { ($0.day, $0.count) }, uniquingKeysWith: { $1 })
    return AppCenterCrashes(
      count: counts.values.saturatingSum, crashes: days.map { AppCenterCount($0, counts[$0] ?? 0) })
  }

  /// Formats a duration as `hh:mm:ss`, preceded by days if there are any.
  private static func duration(_ milliseconds: Int64?) -> String {
    let seconds = (milliseconds ?? 0) / 1_000
    let clock = [seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60].map { padded($0) }.joined(separator: ":")
    return seconds >= 86_400 ? "\(seconds / 86_400).\(clock)" : clock
  }

  /// Returns a ratio, rounded to thousandths; 0 if the whole is 0.
  func ratio(_ part: Int, _ whole: Int) -> Double {
    whole > 0 ? (Double(part) / Double(whole) * 1_000).rounded() / 1_000 : 0
  }
}
