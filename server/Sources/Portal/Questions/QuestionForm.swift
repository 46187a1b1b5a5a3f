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

  init(_ page: QuestionPage, _ parameters: [String: String], segments: [SavedSegment]) {
    (self.page, self.segments) = (page, segments)
    values = parameters.filter { QuestionPage.parameters.contains($0.key) && !$0.value.isEmpty }
  }

  /// The identifier of the answer's chart, unique among those of a dashboard.
  var chart: String { card.map { "card\($0)" } ?? page.rawValue }

  subscript(name: String) -> String? { values[name] }

  /// Sets the segment.
  mutating func choose(_ segment: SavedSegment) {
    values["segment"] = segment.id.description
    values["compare"] = nil
  }

  /// The form without its segment.
  var withoutSegment: QuestionForm {
    var form = self
    form.values["segment"] = nil
    return form
  }

  /// Sets the range.
  mutating func choose(_ days: ClosedRange<Day>) {
    (values["from"], values["to"]) = (days.lowerBound.description, days.upperBound.description)
    values["compare"] = nil
  }

  /// The query of an address with this state and some changes; `nil` leaves a parameter out.
  func query(_ changes: KeyValuePairs<String, String?> = [:]) -> String { query(changes.map { ($0.key, $0.value) }) }

  /// The query of an address with this state and some changes; `nil` leaves a parameter out.
  func query(_ changes: [(String, String?)]) -> String {
    var values = values
    for (name, value) in changes { values[name] = value }
    return QuestionPage.parameters.compactMap { name in values[name].map { "\(name)=\(PercentCoding.encode($0))" } }
      .joined(separator: "&")
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
    var scope = QuestionScope()
    if let from = values["from"], let to = values["to"] {
      try scope.set("date_range", to: .array([.text(from), .text(to)]))
    } else {
      try fill(&scope, "date_range", from: "range")
    }
    let segment = values["segment"].map { JSONTree.array([.text("segment"), Self.number($0)]) }
    let rows = page == .explore || page == .people ? selectorFilter : nil
    let filters = plainFilters + [segment, rows].compactMap { $0 } + figureFilters
    try scope.set("filters", to: .array(filters), segments: segments.filters)
    try fill(&scope, "by")
    if page == .people, self["group"] == "figure", let metricFilter { scope.filters.append(metricFilter) }
    return scope
  }

  /// The filters of the fields, without the segment.
  var plainFilters: [JSONTree] { FilterRow.numbers.compactMap { FilterRow($0, values)?.json } }

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

  /// The kinds of rows without a name.
  private static let kinds: Set<String> = ["crash", "handled_error", "session_start"]

  /// The filter of the rows that Explore is about.
  private var selectorFilter: JSONTree? {
    switch (values["k0"], values["n0"]) {
    case ("event", let name?): .array([.text("is"), .text("event"), .array([.text(name)])])
    case ("screen", let name?): .array([.text("is"), .text("screen"), .array([.text(name)])])
    case (let kind?, _) where Self.kinds.contains(kind): .array([.text("is"), .text("kind"), .array([.text(kind)])])
    default: nil
    }
  }

  /// The selector of a numbered pair of fields; `nil` if it is not filled in.
  func selector(_ index: Int) -> JSONTree? {
    switch (values["k\(index)"], values["n\(index)"]) {
    case ("any", _): .object([("any", .boolean(true))])
    case ("screen", let name?): .object([("screen", .text(name))])
    case (let kind?, _) where Self.kinds.contains(kind): .object([("kind", .text(kind))])
    case (nil, let name?), ("event", let name?): .object([("event", .text(name))])
    default: nil
    }
  }

  /// A number that was typed into a field; as text, which the question refuses, if it is none.
  static func number(_ text: String) -> JSONTree {
    Double(text).flatMap { $0.isFinite ? .number($0) : nil } ?? .text(text)
  }
}
