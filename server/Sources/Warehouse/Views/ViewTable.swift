package import TernBase

/// The breakdowns of a view's metrics. The raw values are stored: never reuse one.
package enum ViewTable: Int, Sendable, CaseIterable {
  /// By hour of the day, `00` to `23`: sessions, hits.
  case hours = 1
  /// By screen: views, unique views, milliseconds viewed, views of known duration, exits, entrances.
  case screens = 2
  /// By category, action, label: events, unique events, sum of values, events with a value.
  case events = 3
  /// By description and app version: exceptions, crashes included in them.
  case exceptions = 4
  /// By category, variable, label: samples, milliseconds, then samples below 100 ms, 500 ms, 1 s, 3 s, 10 s, and above.
  case timings = 5
  /// By transaction ID: hits, revenue, tax and shipping in millionths.
  case transactions = 6
  /// By name and SKU: quantity sold, revenue in millionths, and hits with each action: detail, click, add, remove,
  /// checkout, purchase, refund.
  case products = 7
  /// By fact and value, such as `model`, `iPhone8,1`: sessions.
  case devices = 8
  /// By app and version: sessions, screen views, crashes.
  case versions = 9
  /// By source, medium, campaign: sessions.
  case acquisition = 10
  /// By network, action, target: interactions.
  case social = 11
  /// By number, scope and value, such as `cd1`, `session`, `gold`, including content groups (`cg1`): hits, sessions.
  case dimensions = 12
  /// By number of the metric, such as `cm1`: hits, sum in millionths.
  case metrics = 13

  /// By the first screen of a session: sessions, sessions of one screen view, total milliseconds, total screen views.
  case landings = 40
  /// By the last screen of a session: sessions.
  case exits = 41
  /// By screen views of a session, `00` to `19` and `20+`: sessions, total milliseconds.
  case depths = 42
  /// By step (`01` to `10`), kind and name of the current item, and kind and name of the next: sessions. The kinds are
  /// `screen`, `event`, `exit` and `other`.
  case flow = 43
  /// By screen, app and version: views, unique views.
  case screenVersions = 44
  /// By screen, category, action: events, unique events, sum of values.
  case eventScreens = 45
  /// In one row: events, sessions with an event.
  case eventSessions = 46
  /// By `exception` and `crash`: hits, sessions with one.
  case exceptionSessions = 47
  /// By app version: exceptions, crashes.
  case exceptionVersions = 48
  /// By application ID and installer ID: sessions, screen views, crashes.
  case applications = 49
  /// By dimension and value, such as `currency`, `EUR`; the dimension `all` has one row: orders, revenue, tax and
  /// shipping in millionths, refunds, refunded revenue in millionths.
  case orders = 60
  /// By dimension and value, such as `brand`, `Tern`: quantity sold, revenue in millionths, then hits with detail, add,
  /// purchase.
  case productFacts = 61
  /// By stage or other action, such as `add`: sessions, hits, sessions that ended there.
  case shopping = 62
  /// By checkout step: sessions, hits, sessions that ended there.
  case checkoutSteps = 63
  /// By checkout step and option: sessions, hits.
  case checkoutOptions = 64
  /// By ID, name, creative, position: views, clicks.
  case promotions = 65
  /// By list, product name and SKU: impressions, clicks, details.
  case listProducts = 66
  /// By list: impressions, clicks, details.
  case lists = 67

  /// The number of values in a row.
  package var width: Int {
    switch self {
    case .social, .devices, .acquisition, .exits, .flow: 1
    case .hours, .exceptions, .metrics, .dimensions: 2
    case .depths, .screenVersions, .eventSessions, .exceptionSessions, .exceptionVersions: 2
    case .checkoutOptions, .promotions: 2
    case .versions, .eventScreens, .applications: 3
    case .shopping, .checkoutSteps, .listProducts, .lists: 3
    case .events, .transactions, .landings: 4
    case .productFacts: 5
    case .screens, .orders: 6
    case .timings: 8
    case .products: 9
    }
  }
}

/// The totals of a view's day or range.
package struct ViewTotals: Sendable, Hashable {
  /// Counted hits.
  package var hits: SaturatingInt64 = 0
  package var sessions: SaturatingInt64 = 0
  /// Screen and page views.
  package var screenViews: SaturatingInt64 = 0
  /// Event hits.
  package var events: SaturatingInt64 = 0
  /// Exceptions, fatal or not.
  package var exceptions: SaturatingInt64 = 0
  /// Fatal exceptions.
  package var crashes: SaturatingInt64 = 0
  /// The total duration of sessions, in milliseconds.
  package var duration: SaturatingInt64 = 0
  /// Distinct transaction IDs per day.
  package var transactions: SaturatingInt64 = 0
  /// Revenue in millionths.
  package var revenue: SaturatingInt64 = 0
  /// Hits beyond the 500th of their session, a sign of an app that sends too much. With quotas, they are counted
  /// nowhere else.
  package var excessHits: SaturatingInt64 = 0

  /// Creates totals of zero.
  package init() {}
}
