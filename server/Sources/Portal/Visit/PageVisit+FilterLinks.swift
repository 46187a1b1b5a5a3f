import Ingest
import Questions
import Reports
import Warehouse

extension PageVisit {
  /// The dimensions of stored counts by which filters choose rows, with their names.
  static let filterNames: [Dimension: String] = [
    .event: "event", .screen: "screen", .version: "version", .os: "os", .model: "model", .country: "country",
    .language: "language",
  ]

  /// The address of a report's page with a filter for a key of a list; `nil` if the page has no filters.
  func filterLink(_ request: ReportRequest, _ dimension: Dimension, _ key: String) -> String? {
    Self.filterNames[dimension].flatMap { filterLink(request, $0, key) }
  }

  /// The address of a report's page with a filter for a value; `nil` if the page has no filters.
  func filterLink(_ request: ReportRequest, _ dimension: String, _ value: String) -> String? {
    guard !reader.isGuest, request.isFilterable, value != Dimension.otherKey,
      let filters = FilterRows(json: request.filter.json).adding(FilterRow(dimension, value: value))
    else { return nil }
    var links = PortalLinks(request)
    links.filter.json = filters.json
    return links.page(request)
  }

  /// The address of a question's page with a filter for a value of its breakdown.
  func filterLink(_ form: QuestionForm, _ app: App, _ value: QuestionValue?) -> String? {
    form.breakdown.flatMap { filterLink(form, app, FilterRow($0, of: value)) }
  }

  /// The address of a question's page with one more filter; `nil` if that changes nothing, and on cards.
  func filterLink(_ form: QuestionForm, _ app: App, _ row: FilterRow) -> String? {
    guard !reader.isGuest, form.card == nil,
      let filters = FilterRows(form.rows, others: form.otherFilters).adding(row)
    else { return nil }
    return PortalLinks(app: app.id).question(form.page, form.filtered(by: filters).query())
  }
}
