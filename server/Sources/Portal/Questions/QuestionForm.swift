import JSON
import Questions
import Reports
import TernBase
import Warehouse

/// The state of a page that asks a question: the parameters of its address.
struct QuestionForm: Sendable {
  let page: QuestionPage
  /// The place of the answer among the cards of a dashboard, which show less; `nil` on the question's own page.
  var card: Int?
  /// The parameters with a value, by name.
  private(set) var values: [String: String]
  /// The saved segments that the reader may use.
  let segments: [SavedSegment]

  static let steps = 1...8
  /// The value of `days` in a form that has two dates.
  static let dates = "dates"

  init(_ page: QuestionPage, _ parameters: [String: String], segments: [SavedSegment]) {
    (self.page, self.segments) = (page, segments)
    values = FormFields.joined(parameters, of: page).filter {
      QuestionPage.known.contains($0.key) && $0.value != page.defaults[$0.key]
    }
  }

  /// The identifier of the answer's chart, unique among those of a dashboard.
  var chart: String { card.map { "card\($0)" } ?? page.rawValue }

  subscript(name: String) -> String? { values[name] }

  /// Sets the segment.
  mutating func choose(_ segment: SavedSegment) {
    values["segment"] = segment.id.description
    values["compare"] = nil
  }

  /// The form with the buckets that a page chose.
  func choosing(_ bins: HistogramBins) -> QuestionForm {
    var form = self
    form.values["bins"] = bins.bounds.map { JSONNumber.plain($0) }.joined(separator: ", ")
    return form
  }

  var withoutSegment: QuestionForm {
    var form = self
    form.values["segment"] = nil
    return form
  }

  /// Sets a parameter; `nil` leaves it out.
  mutating func set(_ name: String, to value: String?) { values[name] = value }

  /// Sets the range.
  mutating func choose(_ days: ClosedRange<Day>) {
    values["days"] = nil
    (values["from"], values["to"]) = (days.lowerBound.description, days.upperBound.description)
    values["compare"] = nil
  }

  /// The query of an address with this state and some changes; `nil` leaves a parameter out.
  func query(_ changes: KeyValuePairs<String, String?> = [:]) -> String { query(changes.map { ($0.key, $0.value) }) }

  /// The query of an address with this state and some changes; `nil` leaves a parameter out.
  func query(_ changes: [(String, String?)]) -> String {
    var values = values
    for (name, value) in changes { values[name] = value }
    return AddressText.query(
      QuestionPage.parameters.compactMap { name in values[name].map { (name, $0) } } + FilterRow.parameters(rows)
        + (values["filters"].map { [("filters", $0)] } ?? []))
  }

  /// The query of an address of the page with the people behind a figure.
  func peopleQuery(_ changes: [(String, String?)]) -> String {
    var form = self
    // The page of people has other default days than some pages.
    if values["from"] == nil, values["to"] == nil, let days = values["days"] ?? page.defaults["days"] {
      form.values["days"] = days == QuestionPage.people.defaults["days"] ? nil : days
    }
    return form.query(changes)
  }

  /// The same state with other filters.
  func filtered(by filters: FilterRows) -> QuestionForm {
    var form = self
    for name in FilterRow.numbers.map({ "f\($0)" }) + ["filters", "before", "page"] { form.values[name] = nil }
    for (name, text) in filters.parameters { form.values[name] = text }
    return form
  }

  /// The same state with the filter of a dashboard in addition to its own.
  func adding(_ filter: ReportFilter) -> QuestionForm {
    let more = FilterRows(json: filter.json)
    let rows = self.rows + more.rows.filter { !self.rows.contains($0) }
    // A form has so many fields; further filters are JSON.
    let room = FilterRow.numbers.count
    var others = otherFilters + more.others + rows.dropFirst(room).map(\.json)
    if let segment = filter.segment, values["segment"] != nil, values["segment"] != segment.description {
      others.append(.array([.text("segment"), .number(Double(segment))]))
    }
    var form = filtered(by: FilterRows(Array(rows.prefix(room)), others: others))
    if let segment = filter.segment, values["segment"] == nil { form.values["segment"] = segment.description }
    return form
  }

  /// The page's main question; `nil` while the form lacks something. Throws a fault that names the member if a field has
  /// one.
  func question() throws(QuestionError) -> Question? { try page.definition.question(self) }

  /// The name of the metric.
  var metric: String {
    let metric = values["metric"] ?? "users"
    guard QuestionMetric.Aggregate(rawValue: metric) != nil else { return metric }
    return "\(metric):property:\(values["property"] ?? "")"
  }

  /// The rows that the question is about, and who counts as one person.
  func scope() throws(QuestionError) -> QuestionScope {
    var scope = QuestionScope(range: try range())
    guard values["filters"].map({ FilterRows.array($0) != nil }) ?? true else {
      throw QuestionError(
        "The filters of this address aren't a JSON array. Copy the whole address, or leave `filters` out.",
        at: "$.filters")
    }
    let segment = values["segment"].map { JSONTree.array([.text("segment"), Self.number($0)]) }
    // A figure that is divided names its rows, because the divisor has others.
    let rows = page == .explore && divisor == nil || page == .people ? subject?.filter : nil
    let filters = plainFilters + [segment, rows].compactMap { $0 } + figureFilters
    try scope.set("filters", to: .array(filters), segments: segments.filters)
    try fill(&scope, "by", from: "identity")
    if page == .people, self["group"] == "figure", let metricFilter { scope.filters.append(metricFilter) }
    return scope
  }

  /// The days of the question.
  func range() throws(QuestionError) -> QuestionRange {
    var scope = QuestionScope()
    if values["from"] != nil || values["to"] != nil {
      try scope.set("date_range", to: .array([.text(values["from"] ?? ""), .text(values["to"] ?? "")]))
    } else if let days = values["days"] ?? page.defaults["days"] {
      try scope.set("date_range", to: .text(Int(days) == nil ? days : "\(days)d"))
    }
    return scope.range
  }

  /// The filters that fit in rows.
  var rows: [FilterRow] { FilterRow.rows(values) }

  /// The filters that need more than a row, which addresses have as JSON.
  var otherFilters: [JSONTree] { FilterRows.parsed(values["filters"]) }

  /// The filters that fit in rows, without those of a funnel's steps, with their numbers in the form.
  var scopeRows: [(number: Int, row: FilterRow)] {
    rows.enumerated().map { ($0 + 1, $1) }.filter { !hasSteps || $0.row.ofStep == nil }
  }

  /// All filters of the question, without the segment.
  var plainFilters: [JSONTree] { scopeRows.map(\.row.json) + otherFilters }

  /// Sets a member of a question to what a field says, if it says anything.
  ///
  /// - Parameter field: The name of the field; by default that of the member.
  func fill(_ value: inout some JSONDescribed, _ member: String, from field: String? = nil) throws(QuestionError) {
    if let text = values[field ?? member] { try value.set(member, to: .text(text)) }
  }

  /// Sets a member of a question that is a number.
  func fill(_ value: inout some JSONDescribed, number member: String, from field: String? = nil) throws(QuestionError) {
    if let text = values[field ?? member] { try value.set(member, to: Self.number(text)) }
  }

  /// The rows that Explore is about; `nil` for all.
  var subject: RowChoice? {
    for kind in ["event", "screen"] {
      if let name = values[kind] { return RowChoice(kind: kind, name: name) }
    }
    return values["kind"].flatMap { RowChoice(kind: $0, name: "") }
  }

  /// The choice of rows of a parameter.
  func rows(_ name: String) -> RowChoice? { values[name].flatMap { RowChoice($0) } }

  var funnelSteps: [RowChoice] { Self.steps.compactMap { rows("s\($0)") } }

  /// The name of the dimension of the breakdown; `nil` without one.
  var breakdown: String? { values["by"] }

  /// The dimension of the breakdown; `nil` without one. Throws a fault if there is no such dimension.
  func breakdownDimension() throws(QuestionError) -> QuestionDimension? {
    guard let breakdown else { return nil }
    guard let dimension = QuestionDimension(breakdown) else {
      throw QuestionError("There is no such dimension.", at: "$.breakdown")
    }
    return dimension
  }

  /// A number that was typed into a field; as text, which the question refuses, if it is none.
  static func number(_ text: String) -> JSONTree {
    Double(text).flatMap { $0.isFinite ? .number($0) : nil } ?? .text(text)
  }
}
