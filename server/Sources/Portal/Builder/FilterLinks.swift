import Ingest
import Questions
import Reports
import Warehouse

extension FilterRows {
  /// The filters with one more, instead of another value of the same dimension; `nil` if that changes nothing.
  func adding(_ row: FilterRow) -> FilterRows? {
    var filters = self
    let single = ["is", "is_number", "is_text", "not_set"]
    if row.comparison != "not_set", single.contains(row.comparison) {
      filters.rows.removeAll { $0.dimension == row.dimension && single.contains($0.comparison) }
    }
    guard !rows.contains(row), filters.rows.count < FilterRow.numbers.count else { return nil }
    filters.rows.append(row)
    return filters
  }
}

extension FilterRow {
  /// The filter for one value of a dimension; rows without one for an empty value.
  init(_ dimension: String, value: String) {
    self.init(dimension: dimension, comparison: value.isEmpty ? "not_set" : "is", value: value)
  }

  /// The filter for one value of a breakdown; `nil` stands for rows without one. A property may hold the number 1 and the
  /// text `1`, which are two values.
  init(_ dimension: String, of value: QuestionValue?) {
    let comparison =
      switch value {
      case nil: "not_set"
      case .number: "is_number"
      case .text(let text) where dimension.hasPrefix("property:") && Double(text.text)?.isFinite ?? false: "is_text"
      case .text: "is"
      }
    self.init(dimension: dimension, comparison: comparison, value: value?.plainText ?? "")
  }
}

extension PortalPages {
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
