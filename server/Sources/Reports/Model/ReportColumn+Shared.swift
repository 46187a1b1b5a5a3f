/// The columns that several reports have, with their meanings.
extension ReportColumn {
  static let users = ReportColumn("users", meaning: "Users, each counted once.")
  static let newUsers = ReportColumn("newUsers", meaning: "Users seen for the first time in this range.")
  static let returningUsers = ReportColumn("returningUsers", meaning: "Users seen before this range.")
  static let sessions = ReportColumn(
    "sessions", meaning: "Visits. A session ends after the view’s session timeout without a hit.")
  static let views = ReportColumn("views", meaning: "How often it was shown.")
  static let unique = ReportColumn("unique", meaning: "Sessions with at least one.")
  static let hits = ReportColumn(
    "hits", meaning: "Everything the app sent: screen views, events, timings and the rest.")
  static let events = ReportColumn("events", meaning: "Events that were sent.")
  static let crashes = ReportColumn("crashes", meaning: "Exceptions that ended the app.")
  static let exceptions = ReportColumn("exceptions", meaning: "Reported errors, fatal or not.")
  static let exits = ReportColumn("exits", meaning: "Sessions that ended with this screen.")
  static let exitShare = ReportColumn(
    "exitShare", title: "Exit rate", meaning: "The share of the screen’s views that ended a session.")
  static let screensPerSession = ReportColumn("screensPerSession", meaning: "Screen views divided by sessions.")
  static let share = ReportColumn("share", meaning: "Its share of the total.")
  static let revenue = ReportColumn(
    "revenue", meaning: "Payments including tax and shipping, minus refunds.", unit: .money)
  static let tax = ReportColumn("tax", meaning: "The tax in the revenue.", unit: .money)
  static let shipping = ReportColumn("shipping", meaning: "The shipping costs in the revenue.", unit: .money)
  static let transactions = ReportColumn("transactions", meaning: "Orders, each order ID counted once a day.")
  static let quantity = ReportColumn("quantity", meaning: "Units that were bought.")
  static let refunds = ReportColumn("refunds", meaning: "The number of refunds, on the day of the refund.")
  static let refunded = ReportColumn("refunded", meaning: "The amount paid back.", unit: .money)
  static let details = ReportColumn("details", meaning: "How often a product’s details were shown.")
  static let clicks = ReportColumn("clicks", meaning: "How often it was clicked.")
  static let adds = ReportColumn("adds", meaning: "How often a product was added to the cart.")
  static let wau = ReportColumn("wau", meaning: "Users who were active in the seven days up to this one.")
  static let mau = ReportColumn("mau", meaning: "Users who were active in the thirty days up to this one.")
  static let count = ReportColumn("count", meaning: "How often it happened.")
  static let country = ReportColumn("country", unit: .code(.countries))
}
