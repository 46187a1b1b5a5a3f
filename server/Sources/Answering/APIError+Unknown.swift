package import HTTP

extension APIError {
  package static let unknownDashboard = unknown("dashboard", "This app has no such dashboard.")

  package static let unknownPerson = unknown("person", "This app has no data about this person.")

  package static let unknownErrorGroup = unknown(
    "error", "This error does not exist. The report errors lists those of a range.")

  package static let unknownSegment = unknown("segment", "This app has no such segment.")

  package static let unknownAlert = unknown("alert", "There is no alert with this number.")

  package static let unknownMailReport = unknown(
    "mail_report", "This app has no report by mail with this number.")
}
