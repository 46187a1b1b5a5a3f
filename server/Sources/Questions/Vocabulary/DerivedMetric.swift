import JSON
import Warehouse

/// A metric of some rows only, or one that is divided by another, as in purchases per user.
package struct DerivedMetric: Hashable, Sendable {
  package var term: Term
  /// The divisor; `nil` for the term alone.
  package var divisor: Term?

  package init(_ term: Term, per divisor: Term? = nil) { (self.term, self.divisor) = (term, divisor) }

  /// A metric that isn't derived, over all rows that pass the filters of the question or over some of them.
  package struct Term: Hashable, Sendable {
    package var metric: QuestionMetric
    /// The rows that count; `nil` for all.
    package var rows: Selector?

    package init(_ metric: QuestionMetric, of rows: Selector? = nil) { (self.metric, self.rows) = (metric, rows) }

    /// The term in headings of columns, such as `events of event:Purchase`.
    var name: String { rows.map { "\(metric.name) of \($0.name)" } ?? metric.name }
  }

  var terms: [Term] { [term] + (divisor.map { [$0] } ?? []) }

  var name: String { divisor.map { "\(term.name) per \($0.name)" } ?? term.name }

  /// The metric's value; `nil` if a term has none, for a division by zero, and for a quotient that no number holds.
  package func value(_ value: (Term) -> Double?) -> Double? {
    guard let divisor else { return value(term) }
    guard let dividend = value(term), let divisor = value(divisor), divisor != 0 else { return nil }
    let quotient = dividend / divisor
    return quotient.isFinite ? quotient : nil
  }
}

extension Selector {
  /// The selector in headings of columns.
  fileprivate var name: String {
    let target =
      switch target {
      case .event(let name): "event:\(name)"
      case .screen(let name): "screen:\(name)"
      case .kind(let kind): kind.rawValue
      case .any: "any"
      }
    return filters.isEmpty
      ? target : "\(target) with \(String(decoding: JSONTree.array(filters.map(\.json)).encoded, as: UTF8.self))"
  }

  /// The filter that the rows of the selector pass.
  package var filter: QuestionFilter {
    let target: QuestionFilter =
      switch target {
      case .event(let name): .isOneOf(.event, [.text(name)])
      case .screen(let name): .isOneOf(.screen, [.text(name)])
      case .kind(let kind): .isOneOf(.kind, [.text(kind.rawValue)])
      case .any: .isOneOf(.kind, [QuestionKind.event, .screen].map { .text($0.rawValue) })
      }
    return filters.isEmpty ? target : .all([target] + filters)
  }
}

extension DerivedMetric {
  /// The members of `per`, and of the metric itself besides `per`.
  private static let ownMembers = ["metric", "of"]

  init(_ node: JSONNode) throws(JSONFault) {
    let members = try node.members(Self.ownMembers + ["per"])
    term = try Term(members)
    divisor = try members.optional("per").map { node throws(JSONFault) in try Term(node.members(Self.ownMembers)) }
  }

  var json: JSONTree {
    .object(term.ownMembers + (divisor.map { [("per", .object($0.ownMembers))] } ?? []))
  }

  static var schema: Schema {
    let term: Schema.Members = ["metric": .named("MetricName")]
    let rows: Schema.Members = ["of": .nullable(.named("Selector"))]
    return .object(term, optional: rows + ["per": .nullable(.object(term, optional: rows))])
  }
}

extension DerivedMetric.Term {
  fileprivate init(_ members: JSONMembers) throws(JSONFault) {
    metric = try QuestionMetric(name: members.required("metric"))
    rows = try members.optional("of").map(JSONCodec.selector.decode)
  }

  fileprivate var ownMembers: [(String, JSONTree)] {
    [("metric", .text(metric.name))] + (rows.map { [("of", JSONCodec.selector.encode($0))] } ?? [])
  }
}
