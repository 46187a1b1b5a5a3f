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
  func page(
    _ name: ReportName, event: String? = nil, group: Int64? = nil, occurrence: Int64? = nil, range: String? = nil,
    limit: Int? = nil
  ) -> String {
    let path = name == .overview ? "/apps/\(app)" : "/apps/\(app)/\(name.rawValue)"
    return path + query(event, group, occurrence, range: range, limit: limit)
  }

  /// An attachment of an error as a file.
  func file(_ attachment: Int64) -> String { "/apps/\(app)/errors/files/\(attachment)" }

  /// A report as a file.
  func download(_ request: ReportRequest, format: ReportFormat) -> String {
    let query = query(request.event, request.group, request.occurrence, range: nil, limit: nil)
    return
      "/api/v1/apps/\(app)/reports/\(request.name.rawValue)\(query)\(query.isEmpty ? "?" : "&")format=\(format.rawValue)"
  }

  /// The app's keys and code.
  var settings: String { "/apps/\(app)/settings" }

  /// The app's views.
  var views: String { "/apps/\(app)/views" }

  private func query(
    _ event: String?, _ group: Int64?, _ occurrence: Int64?, range: String?, limit: Int?
  ) -> String {
    let parts = [
      event.map { "event=" + percentEncoded($0) } ?? "", group.map { "group=\($0)" } ?? "",
      occurrence.map { "occurrence=\($0)" } ?? "", range ?? self.range, limit.map { "limit=\($0)" } ?? "",
    ].filter { !$0.isEmpty }
    return parts.isEmpty ? "" : "?" + parts.joined(separator: "&")
  }
}
