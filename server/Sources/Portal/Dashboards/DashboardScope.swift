package import Questions
package import Reports
import ServerBase
import TernBase
package import Warehouse

/// The part of a dashboard's address that applies to all cards: a filter in addition to that of each card, and days instead of
/// those of each card.
package struct DashboardScope: Sendable {
  package var filter: ReportFilter
  /// The days of all cards; `nil` if each card has its own.
  package let range: QuestionRange?
  /// The days of the address, if cards can't have them.
  let mistake: RangeMistake?

  private static let parameters = ["days", "from", "to"]

  package init(filter: ReportFilter = ReportFilter(), range: QuestionRange? = nil) {
    (self.filter, self.range, mistake) = (filter, range, nil)
  }

  /// Creates the scope from the parameters of an address or the fields of a form.
  package init(in parameters: [String: String]) {
    filter = ReportFilter(in: parameters)
    let days = parameters.filter { Self.parameters.contains($0.key) && !$0.value.isEmpty }
    let form = QuestionForm(.explore, days, segments: [])
    do throws(QuestionError) {
      range = try days.isEmpty ? nil : form.range()
      mistake = nil
    } catch {
      range = nil
      mistake = RangeMistake(from: days["from"], to: days["to"], message: form.message(error))
    }
  }

  /// The range as parameters of an address, with those that it replaces.
  var rangeParameters: [(name: String, value: String?)] {
    let values: [String: String] =
      switch range {
      case .days(let count): ["days": String(count)]
      case .month: ["days": "month"]
      case .twelveMonths: ["days": "12mo"]
      case .dates(let first, let last): ["from": first.description, "to": last.description]
      case nil: [:]
      }
    return Self.parameters.map { ($0, values[$0]) }
  }

  /// The range as a part of an address; empty if each card has its own.
  var rangeQuery: String {
    AddressText.query(rangeParameters.compactMap { parameter in parameter.value.map { (parameter.name, $0) } })
  }

  /// The same days with another filter.
  func filtered(by filter: ReportFilter) -> DashboardScope { DashboardScope(filter: filter, range: range) }
}

extension QuestionForm {
  /// The same state with what a dashboard's address says about all cards.
  func adding(_ scope: DashboardScope) -> QuestionForm {
    var form = adding(scope.filter)
    guard scope.range != nil else { return form }
    for (name, value) in scope.rangeParameters { form.set(name, to: value == page.defaults[name] ? nil : value) }
    return form
  }
}

extension PortalLinks {
  /// The address of a dashboard.
  func dashboard(_ id: Int64) -> String { "\(page(.dashboards))/\(id)" }

  /// The address of a dashboard with what it says about all cards, and with more parameters.
  func dashboard(_ id: Int64, _ scope: DashboardScope, _ more: String? = nil) -> String {
    var links = self
    links.filter = scope.filter
    let query = AddressText.joined([more, scope.rangeQuery, links.filterQuery])
    return dashboard(id) + (query.isEmpty ? "" : "?\(query)")
  }

  /// Keeps the filter and the days of a dashboard's cards, as far as other pages have them.
  init(_ scope: DashboardScope, app: App, today: Day) {
    self.init(
      QuestionForm(.explore, [:], segments: []).adding(DashboardScope(range: scope.range)), app: app.id, today: today)
    filter = scope.filter
  }
}

extension Dashboard {
  /// The short address of the dashboard with what it says about all cards.
  package func address(_ scope: DashboardScope = DashboardScope()) -> String {
    PortalLinks(app: app).dashboard(id, scope)
  }
}
