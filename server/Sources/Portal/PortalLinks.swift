import Alerts
import Questions
import Reports
import TernBase
import Warehouse

/// The addresses of the portal's pages, for one app and one range of days.
struct PortalLinks {
  var app: AppID
  /// `days=7`, `from=…&to=…`, or empty for the default range.
  var range: String
  /// The filter, which all pages keep.
  var filter = ReportFilter()
  /// The comparison, which all pages keep.
  var comparison: ReportComparison?
  /// True for an address of the API, whose filters are JSON.
  private var isForPrograms = false

  init(app: AppID, range: String = "") {
    self.app = app
    self.range = range
  }

  /// Keeps the range, the filter and the comparison of a question.
  init(_ form: QuestionForm, app: AppID, today: Day) {
    self.init(app: app)
    // Other pages have no steps.
    let filters = FilterRows(form.rows, others: form.otherFilters).ofAllRows
    filter = ReportFilter(json: filters.json, segment: form["segment"].flatMap { Int64($0) })
    comparison = form["compare"].flatMap { ReportComparison($0) }
    // Other pages have their own default.
    guard form["days"] != nil || form["from"] != nil, let days = try? form.range().resolved(today: today),
      days.count <= ReportRequest.maximumDays
    else { return }
    let isRelative = form["days"].map { Int($0) != nil } ?? (form["from"] == nil)
    let isStandard = days.count == ReportRequest.defaultDays
    range = !isRelative ? "from=\(days.lowerBound)&to=\(days.upperBound)" : isStandard ? "" : "days=\(days.count)"
  }

  /// Keeps the range of a request: relative if it ends today, so that a bookmark stays current.
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
    filter = request.filter
    comparison = request.comparison
  }

  /// The address of the app's first page.
  var home: String { question(.releases, state(of: .releases)) }

  /// The address of another page of the app.
  func page(_ place: AppPlace) -> String { "/apps/\(app)/\(place.path)" }

  /// The address of the form of alerts, filled in with a question.
  func alert(_ question: String) -> String { page(.alerts) + "?\(AddressText.query([("question", question)]))#form" }

  /// The address of the form of alerts, filled in with a kind of condition.
  func alert(_ kind: AlertCondition.Kind) -> String { page(.alerts) + "?kind=\(kind.rawValue)#form" }

  /// The address to which the form for deleting the app is posted.
  var deletion: String { "/apps/\(app)/delete" }

  /// The address of an app's report.
  func page(
    _ report: ReportDefinition, _ parameters: [ReportParameter: String] = [:], range: String? = nil, limit: Int? = nil
  ) -> String {
    let path = report == AppReports.overview ? "/apps/\(app)" : "/apps/\(app)/\(report.name)"
    let values = report.parameters.compactMap { parameter in
      parameters[parameter].map { "\(parameter.name)=\(PercentCoding.encode($0))" }
    }
    return path + query(values, range: range, limit: limit)
  }

  /// The address of a view's report.
  func page(_ report: ReportDefinition, of view: ViewID, range: String? = nil) -> String {
    "/apps/\(app)/\(report.name)" + query(["view=\(view)"], range: range)
  }

  /// The address of a request, with another range.
  func page(_ request: ReportRequest, range: String? = nil) -> String {
    request.view.map { page(request.report, of: $0.id, range: range) }
      ?? page(request.report, request.parameters, range: range)
  }

  /// The address of an attachment.
  func file(_ attachment: Int64) -> String { "/apps/\(app)/errors/files/\(attachment)" }

  /// The address of a report as a file, with the parameters of its format.
  func download(_ request: ReportRequest, _ format: String) -> String {
    // The API refuses filters of a report about all rows.
    var links = request.isFilterable ? alone : unfiltered
    links.isForPrograms = true
    let page = links.page(request)
    let query = page.firstIndex(of: "?").map { page[$0...] + "&" } ?? "?"
    // A page shows the first rows of its lists and says so; a file has all of them.
    let limit = request.report.fileLimit.map { "&limit=\($0)" } ?? ""
    return "/api/v1/apps/\(app)/reports/\(request.report.name)\(query)\(format)\(limit)"
  }

  /// The address of the values that filters suggest.
  var values: String { "/apps/\(app)/values" }

  /// The address of the page that changes the app's time zone.
  var zone: String { "/apps/\(app)/zone" }

  /// The address of the names of properties that filters suggest.
  var properties: String { "/apps/\(app)/properties" }

  /// Without the comparison, which only pages for people show.
  var alone: PortalLinks {
    var links = self
    links.comparison = nil
    return links
  }

  /// Without the filter and the comparison.
  var unfiltered: PortalLinks {
    var links = alone
    links.filter = ReportFilter()
    return links
  }

  /// The filter alone, as the part of an address; empty if all rows pass.
  var filterQuery: String { filter.query(isForPrograms: false) }

  /// An address without parameters, with the filter.
  func filtered(_ path: String) -> String { filterQuery.isEmpty ? path : "\(path)?\(filterQuery)" }

  /// The part of the state that a page which asks a question has too.
  func state(of page: QuestionPage) -> String {
    var links = self
    if page == .people || page == .releases { links.comparison = nil }
    return String(links.query([], range: nil).dropFirst())
  }

  private func query(_ values: [String], range: String?, limit: Int? = nil) -> String {
    let query = AddressText.joined(
      values + [
        range ?? self.range, filter.query(isForPrograms: isForPrograms), comparison.map { "compare=\($0.text)" },
        limit.map { "limit=\($0)" },
      ])
    return query.isEmpty ? "" : "?\(query)"
  }
}

extension ReportFilter {
  /// The part of an address; empty if all rows pass.
  fileprivate func query(isForPrograms: Bool) -> String {
    let filters =
      isForPrograms
      ? (json.isEmpty ? "" : "filters=\(PercentCoding.encode(json))")
      : AddressText.query(FilterRows(json: json).parameters)
    return AddressText.joined([filters, segment.map { "segment=\($0)" }])
  }
}
