public import TernEvents
public import Warehouse

/// A question to the analytics API as App Center had it: `GET /v0.1/apps/{owner}/{app}/analytics/…` (docs/app-center.md).
///
/// Days are those of the app's time zone; an app in UTC, as new ones are, gives what the original gave.
public struct AppCenterQuestion: Sendable, Hashable {
  /// The path below `analytics/`, decoded.
  public var path: [String]
  /// The subject of the path.
  var subject: AppCenterSubject
  /// The app.
  public var app: AppID
  /// The days.
  public var days: ClosedRange<Day>
  /// The length of a step of a series, in days.
  public var interval: Int
  /// Only these events; empty for all.
  public var eventNames: [String]
  /// Only these versions; empty for all.
  public var versionNames: [String]
  /// The most rows of a list.
  public var top: Int
  /// The number of rows to skip at the start of a list.
  public var skip: Int
  /// The order of a list: a column, and `asc` or `desc`.
  public var order: String
  /// The time of the question.
  public var now: Timestamp
  /// The start of the rows in the log flow.
  public var since: Timestamp

  /// Reads a question.
  ///
  /// - Parameters:
  ///   - path: the parts of the path below `analytics/`, decoded.
  ///   - parameters: `start` and `end` (ISO 8601, of which the date counts), `interval` (`P1D`, `P1W`, `P30D`),
  ///     `event_name`, `$top`, `$skip`, `$orderby`; others are ignored, except for `versions`, which only the list
  ///     of versions can answer.
  ///   - timeZone: the app's time zone.
  public init(
    path: [String], parameters: [String: String], app: AppID, timeZone: String, now: Timestamp
  ) throws(AppCenterFault) {
    let subject = try AppCenterSubject(path: path)
    self.path = path
    self.subject = subject
    self.app = app
    self.now = now
    let given = parameters.filter { !$0.value.isEmpty }
    let wanted = given["versions"]?.split(separator: "|").map(String.init) ?? []
    versionNames = subject == .versions ? wanted : []
    if wanted.count > versionNames.count || given["app_build"] != nil {
      throw AppCenterFault(
        .notImplemented, "This server has no metrics by version here. Leave out versions and app_build.")
    }
    let today: Day
    do throws(ReportError) { today = try ReportZone(timeZone).day(of: now) } catch {
      throw AppCenterFault(.badRequest, error.message)
    }
    days = try Self.days(given, isRangeless: subject.isRangeless, today: today)
    interval = try Self.interval(given["interval"])
    eventNames = given["event_name"]?.split(separator: "|").map(String.init) ?? []
    let top = try Self.number("$top", given) ?? subject.usualRows
    self.top = top == 0 ? 2_000 : min(top, 2_000)
    skip = try Self.number("$skip", given) ?? 0
    order = given["$orderby"] ?? "count desc"
    let dayStart = Timestamp(millisecondsSince1970: now.millisecondsSince1970 / 86_400_000 * 86_400_000)
    since = try Self.moment("start", given) ?? dayStart
  }

  /// The range of equal length just before.
  var previousDays: ClosedRange<Day> {
    days.lowerBound.advanced(by: -days.count)...days.lowerBound.advanced(by: -1)
  }

  private static func days(
    _ given: [String: String], isRangeless: Bool, today: Day
  ) throws(AppCenterFault) -> ClosedRange<Day> {
    let first = try isRangeless ? today.advanced(by: -27) : day("start", given)
    let last = try isRangeless ? today : day("end", given) ?? today
    guard let first else { throw AppCenterFault(.badRequest, "Choose a start: start=2026-05-01T00:00:00Z.") }
    guard first <= last else { throw AppCenterFault(.badRequest, "The start is after the end.") }
    guard first.distance(to: last) < ReportRequest.maximumDays else {
      throw AppCenterFault(.badRequest, "The range has more than \(ReportRequest.maximumDays) days.")
    }
    return first...last
  }

  /// The date of a time; the original ignored the rest, too.
  static func day(_ name: String, _ given: [String: String]) throws(AppCenterFault) -> Day? {
    guard let text = given[name] else { return nil }
    guard let day = Day(text.prefix(10)), text.utf8.count == 10 || "Tt ".contains(text.dropFirst(10).prefix(1)) else {
      throw unreadable(name)
    }
    return day
  }

  static func unreadable(_ name: String) -> AppCenterFault {
    AppCenterFault(.badRequest, "\(name) is not an ISO 8601 time. Write it as 2026-05-01T00:00:00Z.")
  }

  private static func interval(_ text: String?) throws(AppCenterFault) -> Int {
    switch text?.uppercased() {
    case nil, "P1D": return 1
    case "P1W", "P7D": return 7
    case "P30D": return 30
    default: throw AppCenterFault(.badRequest, "interval is one of P1D, P1W and P30D.")
    }
  }

  private static func number(_ name: String, _ given: [String: String]) throws(AppCenterFault) -> Int? {
    guard let text = given[name] else { return nil }
    guard let number = Int(text), (0...1_000_000).contains(number) else {
      throw AppCenterFault(.badRequest, "\(name) is not a number from 0 to 1000000.")
    }
    return number
  }
}

/// The reason why a question in App Center's form has no answer.
public struct AppCenterFault: Error, Sendable, Hashable {
  /// The kinds of fault, by their names in App Center's errors.
  public enum Code: String, Sendable {
    /// A parameter cannot be used.
    case badRequest = "BadRequest"
    /// There is no such app or address.
    case notFound = "NotFound"
    /// App Center had this, this server does not.
    case notImplemented = "NotImplemented"
    /// The token is missing or wrong.
    case unauthorized = "Unauthorized"
  }

  /// The kind of fault.
  public var code: Code
  /// The reason and what to do.
  public var message: String

  /// Creates a fault.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
