import Reports
import Warehouse

/// The meaning of figures, one sentence each, for the pages that show them.
enum FigureMeaning {
  /// The meaning of a column of a report; `nil` where the heading says it all.
  static func column(_ name: String) -> String? { columns[name] }

  static let users = "Installs that were active in this range, each counted once."
  static let sessions = "Times that the app was used: a session ends when the app has been away for a while."
  static let events = "Everything that the app tracked by name."

  private static let columns: [String: String] = [
    "users": "Different users, each counted once.",
    "new_users": "Users who were never seen before this range.",
    "returning_users": "Users who were seen before.",
    "active_users": "Users with a hit in the last five minutes.",
    "users_affected": "Users with at least one of them.",
    "sessions": "Visits: one ends when nothing has happened for the view’s session timeout.",
    "new_sessions": "New users divided by sessions.",
    "screenviews": "Times that a screen was shown.",
    "views": "Times that it was shown.",
    "unique": "Sessions in which it happened at least once.",
    "hits": "Everything that was sent: screen views, events, timings and all others.",
    "events": "Events that were sent.",
    "crashes": "Exceptions that ended the app.",
    "exceptions": "Errors that were reported, fatal or not.",
    "state": "Says if the day still grows, or if its cutoff has passed.",
    "average_session_ms": "The mean time from the first to the last hit of a session.",
    "average_ms": "The mean of all measured times.",
    "time_ms": "The time until the next screen; the last screen of a session has none.",
    "entrances": "Sessions that began with this screen.",
    "exits": "Sessions that ended with this screen.",
    "exit_share": "The share of the screen’s views that ended a session.",
    "one_screen": "Sessions that saw no other screen.",
    "one_screen_share": "The share of sessions that saw no other screen.",
    "screens_per_session": "Screen views divided by sessions.",
    "drop_offs": "Sessions that ended here.",
    "drop_off_share": "The share of sessions that ended here.",
    "share": "The part of the total in this list.",
    "average_value": "The sum of the values divided by the events.",
    "hits_over_quota": "Hits beyond the limit of a session, which count nowhere else.",
    "users_with_crash": "Users with at least one crash.",
    "share_of_users": "The share of all users with at least one of them.",
    "sessions_affected": "Sessions with at least one of them.",
    "buyers": "Users with at least one order.",
    "conversion": "Orders divided by sessions.",
    "sessions_with_event": "Sessions with at least one event.",
    "share_of_sessions": "The share of all sessions with at least one event.",
    "events_per_session_with_event": "Events divided by the sessions that have any.",
    "exceptions_per_screenview": "Exceptions divided by screen views.",
    "crashes_per_screenview": "Crashes divided by screen views.",
    "samples": "The number of measured times.",
    "revenue": "What was paid, with tax and shipping, less refunds.",
    "average_order": "Revenue divided by transactions.",
    "tax": "The tax in the revenue.",
    "shipping": "The shipping costs in the revenue.",
    "transactions": "Orders with different numbers, counted per day.",
    "quantity": "Units that were bought.",
    "refunds": "The number of refunds, on the day of the refund.",
    "refunded": "The amount that was given back.",
    "details": "Times that a product’s details were shown.",
    "clicks": "Times that it was clicked.",
    "click_share": "Clicks divided by views.",
    "adds": "Times that a product was added to the cart.",
    "removes": "Times that a product was removed from the cart.",
    "impressions": "Times that a product was shown in a list.",
    "sum": "All values added up.",
    "after_the_cut": "How long after its day’s cutoff the hit arrived.",
    "minutes_ago": "Minutes before now; 0 is the current one.",
    "dau": "Users who were active on the day.",
    "wau": "Users who were active in the seven days up to this one.",
    "mau": "Users who were active in the thirty days up to this one.",
    "count": "How often it happened.",
  ]

  /// The meaning of the figures of a ranking.
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
