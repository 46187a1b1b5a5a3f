package import ServerBase
package import TernEvents
package import Warehouse

/// A query of App Center's analytics API: `GET /v0.1/apps/{owner}/{app}/analytics/…` (docs/app-center.md).
///
/// Days are those of the app's time zone. An app in UTC, the default, gives the same results as App Center.
package struct AppCenterQuery: Sendable, Hashable {
  /// The path below `analytics/`, decoded.
  package var path: [String]
  /// The subject of the path.
  var subject: AppCenterSubject
  package var app: AppID
  package var days: ClosedRange<Day>
  /// The length of a step of a series, in days.
  package var interval: Int
  /// The events to include; empty for all.
  package var eventNames: [String]
  /// The versions to include; empty for all.
  package var versionNames: [String]
  /// The maximum number of rows in a list.
  package var top: Int
  /// The number of rows to skip at the start of a list.
  package var skip: Int
  /// The order of a list: a column, and `asc` or `desc`.
  package var order: String
  /// The time of the query.
  package var now: Timestamp
  /// The earliest time of receipt in the log flow.
  package var since: Timestamp

  /// Returns true if the answer to a path shows single events.
  ///
  /// - Parameter path: The parts of the path below `analytics/`, decoded.
  package static func showsPersonalData(path: [String]) -> Bool {
    (try? AppCenterSubject(path: path))?.showsPersonalData ?? false
  }

  /// Parses a query.
  ///
  /// - Parameters:
  ///   - path: The parts of the path below `analytics/`, decoded.
  ///   - parameters: `start` and `end` (ISO 8601; only the date counts), `interval` (`P1D`, `P1W`, `P30D`), `event_name`,
  ///     `$top`, `$skip`, `$orderby`; others are ignored, except for `versions`, which only the list of versions
  ///     supports.
  ///   - zone: The app's time zone.
  package init(
    path: [String], parameters: [String: String], app: AppID, zone: ZoneRules, now: Timestamp
  ) throws(AppCenterError) {
    let subject = try AppCenterSubject(path: path)
    self.path = path
    self.subject = subject
    self.app = app
    self.now = now
    let given = parameters.filter { !$0.value.isEmpty }
    let wanted = given["versions"]?.split(separator: "|").map(String.init) ?? []
    versionNames = subject == .versions ? wanted : []
    if wanted.count > versionNames.count || given["app_build"] != nil {
      throw AppCenterError(
        .notImplemented, "This server has no metrics by version here. Leave out versions and app_build.")
    }
    let today = ReportZone(zone).day(of: now)
    days = try Self.days(given, isRangeless: subject.isRangeless, today: today)
    interval = try Self.interval(given["interval"])
    eventNames = given["event_name"]?.split(separator: "|").map(String.init) ?? []
    let top = try Self.number("$top", given) ?? subject.usualRows
    self.top = top == 0 ? 2_000 : min(top, 2_000)
    skip = try Self.number("$skip", given) ?? 0
    order = given["$orderby"] ?? "count desc"
    let dayStart = Timestamp(millisecondsSince1970: now.millisecondsSince1970 / 86_400_000 * 86_400_000)
    since = try Self.time("start", given) ?? dayStart
  }

  /// The preceding range of equal length.
  var previousDays: ClosedRange<Day> {
    days.lowerBound.advanced(by: -days.count)...days.lowerBound.advanced(by: -1)
  }

  private static func days(
    _ given: [String: String], isRangeless: Bool, today: Day
  ) throws(AppCenterError) -> ClosedRange<Day> {
    let first = try isRangeless ? today.advanced(by: -27) : day("start", given)
    let last = try isRangeless ? today : day("end", given) ?? today
    guard let first else { throw AppCenterError(.badRequest, "Add a start, for example start=2026-05-01T00:00:00Z.") }
    guard first <= last else {
      throw AppCenterError(.badRequest, "The start is after the end. Choose an earlier start.")
    }
    guard first.distance(to: last) < ReportRequest.maximumDays else {
      throw AppCenterError(.badRequest, "The range is too long. Choose at most \(ReportRequest.maximumDays) days.")
    }
    return first...last
  }

  /// Parses the date of a time; the rest is ignored, as in App Center.
  static func day(_ name: String, _ given: [String: String]) throws(AppCenterError) -> Day? {
    guard let text = given[name] else { return nil }
    guard let day = Day(text.prefix(10)), text.utf8.count == 10 || "Tt ".contains(text.dropFirst(10).prefix(1)) else {
      throw unreadable(name)
    }
    return day
  }

  static func unreadable(_ name: String) -> AppCenterError {
    AppCenterError(.badRequest, "\(name) is not an ISO 8601 time. Write it as 2026-05-01T00:00:00Z.")
  }

  private static func interval(_ text: String?) throws(AppCenterError) -> Int {
    switch text?.uppercased() {
    case nil, "P1D": return 1
    case "P1W", "P7D": return 7
    case "P30D": return 30
    default: throw AppCenterError(.badRequest, "Set interval to P1D, P1W or P30D.")
    }
  }

  private static func number(_ name: String, _ given: [String: String]) throws(AppCenterError) -> Int? {
    guard let text = given[name] else { return nil }
    guard let number = Int(text), (0...1_000_000).contains(number) else {
      throw AppCenterError(.badRequest, "Set \(name) to a number from 0 to 1000000.")
    }
    return number
  }
}

/// An error of a query, in terms of App Center's API.
package struct AppCenterError: Error, Sendable, Hashable {
  /// The kinds of error, by their names in App Center's API.
  package enum Code: String, Sendable {
    /// A parameter cannot be used.
    case badRequest = "BadRequest"
    /// There is no such app or address.
    case notFound = "NotFound"
    /// App Center had this, but this server does not.
    case notImplemented = "NotImplemented"
    /// The token is missing or wrong.
    case unauthorized = "Unauthorized"
  }

  /// The kind of error.
  package var code: Code
  /// The reason and what to do.
  package var message: String

  /// Creates an error.
  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
