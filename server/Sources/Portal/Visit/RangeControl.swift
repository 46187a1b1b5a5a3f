import Questions
import Reports
import Warehouse

/// The control in the head of a page that changes the days of everything on it.
struct RangeControl: Sendable {
  /// The address of the form with two days.
  var action: String
  /// The values that the form resubmits.
  var inputs: [(name: String, value: String)] = []
  /// The ranges that need one click.
  var quick: [(text: String, link: String, isActive: Bool)]
  /// The days in the form.
  var from: String
  var to: String
  var today: Day
  /// The mistake in the days, in words.
  var mistake: String?

  var values: TemplateValues {
    [
      "action": action, "mistake": mistake,
      "inputs": inputs.map { input -> TemplateValues in ["name": input.name, "value": input.value] },
      "quick": quick.map { TemplateValues.link($0.text, $0.link, isActive: $0.isActive) },
      "ends": [("From", "from", from), ("To", "to", to)].map { caption, name, value -> TemplateValues in
        ["caption": caption, "name": name, "value": value, "isFirst": name == "from", "latest": today.description]
      },
    ]
  }
}

extension RangeControl {
  /// The ranges up to today that all pages offer, in days.
  static let lengths = [7, 30, 90]

  /// The days of a report.
  init(_ request: ReportRequest, mistake: RangeMistake?) {
    let links = PortalLinks(request)
    action =
      request.view == nil
      ? PortalLinks(app: request.app).page(request.report) : "/apps/\(request.app)/\(request.report.name)"
    inputs = request.report.parameters.compactMap { parameter in
      request[parameter].map { (parameter.name, $0) }
    }
    if let view = request.view { inputs.append(("view", view.id.description)) }
    inputs += Self.inputs(request.filter)
    if let comparison = request.comparison { inputs.append(("compare", comparison.text)) }
    quick = Self.lengths.map { days in
      (
        "\(days) days", links.page(request, range: days == ReportRequest.defaultDays ? "" : "days=\(days)"),
        request.length == days && request.days.upperBound == request.today
      )
    }
    (from, to) = (
      mistake?.from ?? request.days.lowerBound.description, mistake?.to ?? request.days.upperBound.description
    )
    (today, self.mistake) = (request.today, mistake?.message)
  }

  /// The days of all cards of a dashboard. The first link gives each card its own days again.
  init(_ dashboard: Dashboard, _ scope: DashboardScope, today: Day) {
    let links = PortalLinks(app: dashboard.app)
    func link(_ text: String, _ range: QuestionRange?) -> (text: String, link: String, isActive: Bool) {
      (
        text, links.dashboard(dashboard.id, DashboardScope(filter: scope.filter, range: range)),
        scope.range == range && scope.mistake == nil
      )
    }
    action = links.dashboard(dashboard.id)
    inputs = Self.inputs(scope.filter)
    quick = [link("Own days", nil)] + Self.lengths.map { link("\($0) days", .days($0)) }
    let days = scope.range?.resolved(today: today)
    (from, to) = (
      scope.mistake?.from ?? days?.lowerBound.description ?? "", scope.mistake?.to ?? days?.upperBound.description ?? ""
    )
    (self.today, mistake) = (today, scope.mistake?.message)
  }

  private static func inputs(_ filter: ReportFilter) -> [(name: String, value: String)] {
    FilterRows(json: filter.json).parameters.map { ($0.0, $0.1) }
      + (filter.segment.map { [("segment", $0.description)] } ?? [])
  }
}
