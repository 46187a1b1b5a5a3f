/// The reports of a view; the raw value is the name in commands and addresses.
public enum ViewReportName: String, Sendable, CaseIterable {
  /// Users, sessions, screen views and crashes per day and hour.
  case overview
  /// Screens with views, time on them, entrances and exits.
  case screens
  /// Events by category, action and label.
  case events
  /// Exceptions and crashes by description and version.
  case exceptions
  /// How long things took.
  case timings
  /// Transactions and products.
  case ecommerce
  /// Interactions with social networks.
  case social
  /// Models, systems, resolutions, languages and countries.
  case devices
  /// Apps and their versions.
  case versions
  /// Where sessions came from.
  case acquisition
  /// Custom dimensions and metrics.
  case custom
  /// The last half hour.
  case realtime
  /// Hits that came after their day's cut.
  case late
  /// The newest hits in full.
  case hits

  /// Finds a report by its name; throws ``ReportError`` that lists the valid names.
  public init(parsing name: String) throws(ReportError) {
    guard let report = ViewReportName(rawValue: name) else {
      let names = ViewReportName.allCases.map(\.rawValue).joined(separator: ", ")
      throw ReportError(
        code: .unknownReport, message: "A view has no report \"\(visible(name))\". Choose one of: \(names).")
    }
    self = report
  }

  /// The report's title on pages.
  public var title: String {
    switch self {
    case .overview: "Overview"
    case .screens: "Screens"
    case .events: "Events"
    case .exceptions: "Crashes and exceptions"
    case .timings: "Timings"
    case .ecommerce: "Ecommerce"
    case .social: "Social"
    case .devices: "Devices"
    case .versions: "App versions"
    case .acquisition: "Acquisition"
    case .custom: "Custom"
    case .realtime: "Real-time"
    case .late: "Late hits"
    case .hits: "Hit inspector"
    }
  }
}
