public import TernEvents
public import Warehouse

/// What someone wants to know of a view: which report, over which of its days.
public struct ViewReportRequest: Sendable, Hashable {
  /// The report.
  public var name: ViewReportName
  /// The view.
  public var view: View
  /// The days, in the view's time zone.
  public var days: ClosedRange<Day>
  /// The most rows of each list.
  public var limit: Int
  /// When it was asked.
  public var now: Timestamp
  /// The day of that.
  public var today: Day

  /// Reads a request from text parameters, as the command line, the REST API and the pages receive them: `from`, `to`,
  /// `days` and `limit` as for other reports; the default is the last 30 days and 200 rows a list.
  public init(name: String, view: View, parameters: [String: String], now: Timestamp) throws(ReportError) {
    self.name = try ViewReportName(parsing: name)
    self.view = view
    self.now = now
    let given = parameters.filter { !$0.value.isEmpty }
    today = try ReportZone(view.timeZone).day(of: now)
    days = try ReportRequest.days(given, today: today)
    limit = try ReportRequest.number("limit", given, 1...ReportRequest.maximumLimit) ?? 200
  }

  /// What amounts are in; several labels when it was changed within the days, empty when there is none.
  var currency: String {
    var labels: [String] = []
    for rules in view.rules(on: days) where !labels.contains(rules.settings.currency) {
      labels.append(rules.settings.currency)
    }
    return labels == [""] ? "" : labels.map { $0.isEmpty ? "(not set)" : $0 }.joined(separator: ", ")
  }

  /// Answers the request; throws what the source throws.
  public func report(from source: any ViewSource) async throws -> ViewReport {
    switch name {
    case .realtime: try await realtime(from: source)
    case .late: try await late(from: source)
    case .hits: try await hits(from: source)
    default: try await figures(from: source)
    }
  }

  private func figures(from source: any ViewSource) async throws -> ViewReport {
    let figures = try await source.viewFigures(view, days: days, tables: name.tables, now: now.millisecondsSince1970)
    return ViewReport(request: self, lists: labelled(lists(figures)))
  }
}

extension ViewReportName {
  /// The breakdowns that the report shows.
  var tables: Set<ViewTable> {
    switch self {
    case .overview: [.hours]
    case .screens: [.screens, .screenVersions]
    case .landing: [.landings]
    case .exits: [.exits, .screens]
    case .depth: [.depths]
    case .flow: [.flow]
    case .events: [.events, .eventScreens, .eventSessions]
    case .exceptions: [.exceptions, .exceptionSessions, .exceptionVersions, .screenVersions]
    case .timings: [.timings]
    case .ecommerce: [.transactions, .products, .orders, .productFacts]
    case .shopping: [.shopping]
    case .checkout: [.checkoutSteps, .checkoutOptions]
    case .promotions: [.promotions]
    case .lists: [.lists, .listProducts]
    case .social: [.social]
    case .devices: [.devices]
    case .versions: [.versions, .applications]
    case .acquisition: [.acquisition]
    case .custom: [.dimensions, .metrics]
    case .realtime, .late, .hits: []
    }
  }
}
