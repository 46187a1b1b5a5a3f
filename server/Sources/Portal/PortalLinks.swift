import Reports
import Warehouse

/// The addresses of the portal's pages, for one app and one range of days.
struct PortalLinks {
  var app: AppID
  /// `days=7`, `from=…&to=…`, or empty for the default range.
  var range: String

  init(app: AppID, range: String = "") {
    self.app = app
    self.range = range
  }

  /// Keeps the range of a request: relative when it ends today, so that a bookmark stays current.
  init(_ request: ReportRequest) {
    let (length, ends) = (request.length, request.days.upperBound)
    let range =
      if ends == request.today, length == ReportRequest.defaultDays {
        ""
      } else if ends == request.today {
        "days=\(length)"
      } else {
        "from=\(request.days.lowerBound)&to=\(ends)"
      }
    self.init(app: request.app, range: range)
  }

  /// A report's page.
  func page(_ name: ReportName, event: String? = nil, range: String? = nil, limit: Int? = nil) -> String {
    let path = name == .overview ? "/apps/\(app)" : "/apps/\(app)/\(name.rawValue)"
    return path + query(event: event, range: range, limit: limit)
  }

  /// A report as a file.
  func download(_ name: ReportName, event: String?, format: ReportFormat) -> String {
    let query = query(event: event, range: nil, limit: nil)
    return "/api/v1/apps/\(app)/reports/\(name.rawValue)\(query)\(query.isEmpty ? "?" : "&")format=\(format.rawValue)"
  }

  /// The app's keys and code.
  var settings: String { "/apps/\(app)/settings" }

  private func query(event: String?, range: String?, limit: Int?) -> String {
    let parts = [
      event.map { "event=" + percentEncoded($0) } ?? "", range ?? self.range, limit.map { "limit=\($0)" } ?? "",
    ].filter { !$0.isEmpty }
    return parts.isEmpty ? "" : "?" + parts.joined(separator: "&")
  }
}
