import Reports
import Warehouse

/// The meaning of figures, one sentence each, for the pages that show them.
enum FigureMeaning {
  /// The meaning of a column of a report; `nil` where the heading says it all.
  static func column(_ name: String) -> String? { columns[name] }

  static let users = "Installs that were active in this range, each counted once."
  static let sessions =
    "Visits to the app. A session ends when the app has been in the background for a while, or after half an hour without an event."
  static let events = "Events that the app tracked by name."

  private static let columns: [String: String] = [
    "users": "Users, each counted once.",
    "newUsers": "Users seen for the first time in this range.",
    "returningUsers": "Users seen before this range.",
    "activeUsers": "Users with a hit in the last five minutes.",
    "usersAffected": "Users with at least one of them.",
    "sessions": "Visits. A session ends after the view’s session timeout without a hit.",
    "newSessions": "New users divided by sessions.",
    "screenviews": "How often screens were shown.",
    "views": "How often it was shown.",
    "unique": "Sessions with at least one.",
    "hits": "Everything the app sent: screen views, events, timings and the rest.",
    "events": "Events that were sent.",
    "crashes": "Exceptions that ended the app.",
    "exceptions": "Reported errors, fatal or not.",
    "state": "Whether the day can still change, or is final.",
    "averageSessionMs":
      "The mean time from the first to the last hit of a session. A pause longer than the view’s session timeout ends it.",
    "averageMs": "The mean of all measured times.",
    "timeMs": "Time until the next screen. The last screen of a session has none.",
    "entrances": "Sessions that began with this screen.",
    "exits": "Sessions that ended with this screen.",
    "exitShare": "The share of the screen’s views that ended a session.",
    "oneScreen": "Sessions that saw no other screen.",
    "oneScreenShare": "The share of sessions that saw no other screen.",
    "screensPerSession": "Screen views divided by sessions.",
    "dropOffs": "Sessions that ended here.",
    "dropOffShare": "The share of sessions that ended here.",
    "share": "Its share of the total.",
    "averageValue": "The sum of the values divided by the events.",
    "hitsOverQuota": "Hits above the limit per session. No other figure includes them.",
    "usersWithCrash": "Users with at least one crash.",
    "shareOfUsers": "The share of all users with at least one of them.",
    "sessionsAffected": "Sessions with at least one of them.",
    "buyers": "Users with at least one order.",
    "conversion": "Orders divided by sessions.",
    "sessionsWithEvent": "Sessions with at least one event.",
    "shareOfSessions": "The share of all sessions with at least one event.",
    "eventsPerSessionWithEvent": "Events divided by the sessions that have any.",
    "exceptionsPerScreenview": "Exceptions divided by screen views.",
    "crashesPerScreenview": "Crashes divided by screen views.",
    "samples": "The number of measured times.",
    "revenue": "Payments including tax and shipping, minus refunds.",
    "averageOrder": "Revenue divided by transactions.",
    "tax": "The tax in the revenue.",
    "shipping": "The shipping costs in the revenue.",
    "transactions": "Orders, each order ID counted once a day.",
    "quantity": "Units that were bought.",
    "refunds": "The number of refunds, on the day of the refund.",
    "refunded": "The amount paid back.",
    "details": "How often a product’s details were shown.",
    "clicks": "How often it was clicked.",
    "clickShare": "Clicks divided by views.",
    "adds": "How often a product was added to the cart.",
    "removes": "How often a product was removed from the cart.",
    "impressions": "How often a product was shown in a list.",
    "sum": "The sum of all values.",
    "afterTheCut": "How long after its day’s cutoff the hit arrived.",
    "minutesAgo": "Minutes ago; 0 is the current minute.",
    "dau": "Users who were active on the day.",
    "wau": "Users who were active in the seven days up to this one.",
    "mau": "Users who were active in the thirty days up to this one.",
    "count": "How often it happened.",
  ]

  static func ranking(_ ranking: Ranking) -> String {
    switch ranking.dimension {
    case .event: "How often each event was tracked, and how many different users did; share is its part of all events."
    case .screen:
      "How often each screen was shown, and to how many different users; share is its part of all screens shown."
    default:
      "\(ranking.countLabel) with each \(ranking.noun), and the different users behind them; share is the part of all "
        + "\(ranking.countLabel.lowercased())."
    }
  }

  /// The columns of a list that need a word of explanation, with that word.
  static func glossary(of list: ReportList) -> [TemplateValues] {
    list.columns.compactMap { column in
      Self.column(column.name).map { ["term": column.title, "meaning": $0] }
    }
  }
}
