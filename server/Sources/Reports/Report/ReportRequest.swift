public import Warehouse

/// What someone wants to know: which report, of which app, over which days.
public struct ReportRequest: Sendable, Hashable {
  /// The longest range, in days: two years and a leap day.
  public static let maximumDays = 731
  /// The range when none is given, in days.
  public static let defaultDays = 30
  /// The most rows that can be asked for.
  public static let maximumLimit = 10_000

  /// The report.
  public var name: ReportName
  /// The app.
  public var app: AppID
  /// The days, in the app's time zone.
  public var days: ClosedRange<Day>
  /// The event the report is about; only the event report has one.
  public var event: String?
  /// The fault the report is about; only the error report has one.
  public var group: Int64?
  /// The occurrence the report is about; only the error report has one.
  public var occurrence: Int64?
  /// The most rows of each list; `nil` for the report's own default.
  public var limit: Int?
  /// The time zone in which days begin and end.
  public var zone: ReportZone
  /// The day on which the request was made; its figures are still growing.
  public var today: Day

  /// Creates a request from values that are known to be valid.
  public init(
    name: ReportName, app: AppID, days: ClosedRange<Day>, event: String? = nil, group: Int64? = nil,
    occurrence: Int64? = nil, limit: Int? = nil, zone: ReportZone, today: Day
  ) {
    self.name = name
    self.app = app
    self.days = days
    self.event = event
    self.group = group
    self.occurrence = occurrence
    self.limit = limit
    self.zone = zone
    self.today = today
  }

  /// The number of days in the range.
  public var length: Int { days.count }

  /// The same question about the range of equal length just before.
  public var previous: ReportRequest {
    var request = self
    request.days = days.lowerBound.advanced(by: -length)...days.lowerBound.advanced(by: -1)
    return request
  }

  /// Whether the range contains the day of the request, whose figures are not final.
  public var includesToday: Bool { days.contains(today) }

  /// The same question for another report.
  public func named(_ name: ReportName, event: String? = nil, limit: Int? = nil) -> ReportRequest {
    ReportRequest(name: name, app: app, days: days, event: event, limit: limit, zone: zone, today: today)
  }
}
