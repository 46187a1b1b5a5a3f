package import ServerBase
package import TernEvents
package import Warehouse

/// A request for a report of an app or view over a range of days.
package struct ReportRequest: Sendable, Hashable {
  /// The maximum range in days: two years, including a leap day.
  package static let maximumDays = 731
  /// The default range, in days.
  package static let defaultDays = 30
  /// The maximum value of a request's limit.
  package static let maximumLimit = 10_000

  package var report: ReportDefinition
  /// The app or view that the report is about.
  package var subject: ReportSubject
  /// The days, in the subject's time zone.
  package var days: ClosedRange<Day>
  /// The values of the report's own parameters.
  package var parameters: [ReportParameter: String]
  /// The maximum number of rows per list; `nil` for the report's default.
  package var limit: Int?
  /// The rows that the report is about; all, for a report that has no filters.
  package var filter = ReportFilter()
  /// The rows that the report's page also shows; `nil` to compare only figures, with the previous period.
  package var comparison: ReportComparison?
  /// The states of error groups that people set, for the reports about errors.
  package var errorStates: [Int64: ErrorState] = [:]
  /// The imported figures of the days, for the overview of a view.
  package var imported: [ImportedFigure] = []
  /// The time zone in which days begin and end.
  package let zone: ReportZone
  /// The time of the request.
  package let now: Timestamp
  /// The day of the request, which is not over yet.
  package let today: Day

  /// Creates a request from values that are known to be valid.
  package init(
    _ report: ReportDefinition, of subject: ReportSubject, days: ClosedRange<Day>,
    parameters: [ReportParameter: String] = [:], limit: Int? = nil, zone: ReportZone, now: Timestamp
  ) {
    self.report = report
    self.subject = subject
    self.days = days
    self.parameters = parameters
    self.limit = limit
    self.zone = zone
    self.now = now
    today = zone.day(of: now)
  }

  package var app: AppID { subject.app }

  /// The view; `nil` for reports of the app.
  package var view: View? { if case .view(let view) = subject { view } else { nil } }

  /// The number of days in the range.
  package var length: Int { days.count }

  /// True if the range contains the day of the request, whose metrics are not final.
  package var includesToday: Bool { days.contains(today) }

  /// The value of a parameter; `nil` if it was not given.
  package subscript(parameter: ReportParameter) -> String? { parameters[parameter] }

  /// The value of a parameter that is a number.
  func number(_ parameter: ReportParameter) -> Int64? { parameters[parameter].flatMap { Int64($0) } }
}

/// The app or view that a report is about.
package enum ReportSubject: Sendable, Hashable {
  /// An app, with the time zone of its days.
  case app(AppID, zone: ZoneRules)
  /// A view of an app.
  case view(View)

  package var app: AppID {
    switch self {
    case .app(let app, _): app
    case .view(let view): view.app
    }
  }

  /// The time zone of its days.
  package var zone: ReportZone {
    switch self {
    case .app(_, let zone): ReportZone(zone)
    case .view(let view): ReportZone(view.zone)
    }
  }
}

extension CatalogStore {
  /// Returns the app itself, or the view named by a parameter.
  ///
  /// - Parameter view: The view's number; absent or empty for the app.
  /// - Throws: ``ReportError`` if the app has no such view.
  package func subject(view: String?, of app: App) throws -> ReportSubject {
    guard let view, !view.isEmpty else { return .app(app.id, zone: app.zone) }
    guard let number = Int64(view), let found = try self.view(ViewID(number)), found.app == app.id else {
      throw ReportError(
        .unknownView,
        "App \(app.id) has no view \"\(visible(view))\". `tern views list --app \(app.id)` lists its views.")
    }
    return .view(found)
  }
}
