/// The reports of a view; the raw value is the name in commands and addresses.
public enum ViewReportName: String, Sendable, CaseIterable {
  /// Users, sessions, screen views and crashes per day and hour.
  case overview
  /// Screens with views, time on them, entrances and exits.
  case screens
  /// The screens with which sessions began.
  case landing
  /// The screens with which sessions ended.
  case exits
  /// How many screens sessions had.
  case depth
  /// Which way sessions took, step by step.
  case flow
  /// Events by category, action and label, and by screen.
  case events
  /// Exceptions and crashes by description and version.
  case exceptions
  /// How long things took.
  case timings
  /// Orders, transactions and products.
  case ecommerce
  /// How far sessions came on the way to an order.
  case shopping
  /// The steps of paying.
  case checkout
  /// Promotions that were seen and clicked.
  case promotions
  /// Lists of products that were seen and clicked.
  case lists
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
    case .landing: "Landing screens"
    case .exits: "Exit screens"
    case .depth: "Screens per session"
    case .flow: "Behaviour flow"
    case .events: "Events"
    case .exceptions: "Crashes and exceptions"
    case .timings: "Timings"
    case .ecommerce: "Ecommerce"
    case .shopping: "Shopping behaviour"
    case .checkout: "Checkout"
    case .promotions: "Promotions"
    case .lists: "Product lists"
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

  /// What the report shows, in one sentence.
  public var explanation: String {
    switch self {
    case .overview: "Users, sessions, screen views and crashes per day and hour, and active users."
    case .screens: "Screens with views, time on them, entrances and exits, and by app version."
    case .landing: "The first screen of each session, and how many sessions saw no other."
    case .exits: "The last screen of each session."
    case .depth: "Sessions by how many screens they had."
    case .flow: "Where sessions went from each of their first 10 steps, and where they ended."
    case .events: "Events by category, action and label, by screen, and in how many sessions."
    case .exceptions: "Exceptions and crashes by description and version, per screen view, and whom they hit."
    case .timings: "How long things took, on average and by range."
    case .ecommerce: "Orders with revenue, tax and shipping, products, and transactions."
    case .shopping: "Sessions by how far they came on the way to an order, and where they stopped."
    case .checkout: "Sessions by step of paying, where they stopped, and what they chose."
    case .promotions: "Promotions by id, name, creative and position, with views and clicks."
    case .lists: "Lists of products, with what was seen and clicked in them."
    case .social: "Interactions with social networks."
    case .devices: "Models, systems, resolutions, languages and countries."
    case .versions: "Apps, their versions, and how they are identified and were installed."
    case .acquisition: "Where sessions came from."
    case .custom: "Custom dimensions, content groups and metrics."
    case .realtime: "Who is there now, and what happened in the last half hour."
    case .late: "Hits that came after their day's cut and are in no other figure."
    case .hits: "The newest hits in full, and whether the view counts them."
    }
  }
}
