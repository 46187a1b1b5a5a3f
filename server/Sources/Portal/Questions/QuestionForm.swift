import Ingest
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

  private static let names: [String] =
    [
      "range", "from", "to", "by", "segment", "metric", "property", "breakdown", "interval", "window", "order",
      "cohort",
    ]
    + [
      "nodes", "anchor", "depth", "compare", "show", "group", "step", "dropped", "of", "after", "state", "active", "at",
    ]
    + ["type", "value", "before", "k0", "n0"]
    + steps.flatMap { ["k\($0)", "n\($0)"] } + FilterRow.numbers.flatMap { ["f\($0)", "o\($0)", "v\($0)"] }

  init(_ page: QuestionPage, _ parameters: [String: String], segments: [SavedSegment]) {
    (self.page, self.segments) = (page, segments)
    values = parameters.filter { Self.names.contains($0.key) && !$0.value.isEmpty }
  }

  /// The identifier of the answer's chart, unique among those of a dashboard.
  var chart: String { card.map { "card\($0)" } ?? page.rawValue }

  subscript(name: String) -> String? { values[name] }

  /// Sets the segment.
  mutating func choose(_ segment: SavedSegment) {
    values["segment"] = segment.id.description
    values["compare"] = nil
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
    return Self.names.compactMap { name in values[name].map { "\(name)=\(PercentCoding.encode($0))" } }
      .joined(separator: "&")
  }

  /// The question as JSON; `nil` while the form lacks something.
  func json(_ kind: Question.Kind) -> JSONTree? {
    let own: [(String, JSONTree)]
    switch kind {
    case .query: own = [("metrics", .array([.text(metric)]))]
    case .funnel:
      guard let funnel = funnel else { return nil }
      own = funnel
    case .retention: own = retention
    case .paths: own = paths
    case .lifecycle, .stickiness: own = [("interval", .text(values["interval"] ?? "day"))]
    case .persons:
      guard let persons = persons else { return nil }
      own = persons
    }
    return .object(own + scope)
  }

  /// The name of the metric.
  var metric: String {
    let metric = values["metric"] ?? "users"
    guard QuestionMetric.Aggregate(rawValue: metric) != nil else { return metric }
    return "\(metric):property:\(values["property"] ?? "")"
  }

  private var scope: [(String, JSONTree)] {
    var range = JSONTree.text(values["range"] ?? "30d")
    if let from = values["from"], let to = values["to"] { range = .array([.text(from), .text(to)]) }
    var filters = plainFilters
    if let segment = values["segment"] { filters.append(.array([.text("segment"), Self.number(segment)])) }
    if page == .explore || page == .people, let only = selectorFilter {
      filters.append(only)
    }
    filters += figureFilters
    return [("date_range", range), ("filters", .array(filters)), ("by", .text(values["by"] ?? "install"))]
  }

  /// The filters of the fields, without the segment.
  var plainFilters: [JSONTree] { FilterRow.numbers.compactMap { FilterRow($0, values)?.json } }

  /// The question; throws a fault if the form has one.
  func question(_ kind: Question.Kind, _ json: JSONTree) throws(QuestionError) -> Question {
    try Question(kind, json: json.encoded, segments: segments.filters)
  }

  /// The filter of the rows that Explore is about.
  private var selectorFilter: JSONTree? {
    switch (values["k0"], values["n0"]) {
    case ("event", let name?): .array([.text("is"), .text("event"), .array([.text(name)])])
    case ("screen", let name?): .array([.text("is"), .text("screen"), .array([.text(name)])])
    case ("crash", _), ("handled_error", _), ("session_start", _):
      .array([.text("is"), .text("kind"), .array([.text(values["k0"] ?? "")])])
    default: nil
    }
  }

  /// The selector of a numbered pair of fields; `nil` if it is not filled in.
  func selector(_ index: Int) -> JSONTree? {
    switch (values["k\(index)"], values["n\(index)"]) {
    case ("any", _): .object([("any", .boolean(true))])
    case ("screen", let name?): .object([("screen", .text(name))])
    case ("crash", _), ("handled_error", _), ("session_start", _):
      .object([("kind", .text(values["k\(index)"] ?? ""))])
    case (nil, let name?), ("event", let name?): .object([("event", .text(name))])
    default: nil
    }
  }

  var funnel: [(String, JSONTree)]? {
    let steps = Self.steps.compactMap(selector)
    guard steps.count > 1 else { return nil }
    return [
      ("steps", .array(steps)), ("order", .text(values["order"] ?? "ordered")),
      ("window", .text(values["window"] ?? "14d")), ("breakdown", breakdown),
    ]
  }

  private var breakdown: JSONTree { values["breakdown"].map { .text($0) } ?? .null }

  var retention: [(String, JSONTree)] {
    let interval = values["interval"] ?? "week"
    return [
      ("start", selector(1) ?? .null), ("return", selector(2) ?? .null), ("interval", .text(interval)),
      ("intervals", .number(interval == "day" ? 14 : 8)), ("cohort", .text(values["cohort"] ?? "first_ever")),
    ]
  }

  var paths: [(String, JSONTree)] {
    var members: [(String, JSONTree)] = [
      ("nodes", .text(values["nodes"] ?? "screens")), ("depth", Self.number(values["depth"] ?? "5")),
    ]
    if let selector = selector(1) { members.append((values["anchor"] == "end" ? "end" : "start", selector)) }
    return members
  }

  private static func number(_ text: String) -> JSONTree { Double(text).map { .number($0) } ?? .text(text) }
}
