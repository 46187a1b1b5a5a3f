import JSON
import Questions

/// A figure of Explore that is divided by another, such as purchases per user.
extension QuestionForm {
  /// The name of the metric by which the figure is divided; `nil` for none.
  var divisor: String? { page == .explore ? self["per"] : nil }

  /// The metric in questions, with the rows of each term if it is divided.
  var metricJSON: JSONTree {
    guard let divisor else { return .text(metric) }
    func term(_ metric: String, _ rows: RowChoice?) -> [(String, JSONTree)] {
      [("metric", .text(metric))] + (rows.flatMap { $0.kind == "any" ? nil : [("of", $0.json)] } ?? [])
    }
    return .object(term(metric, subject) + [("per", .object(term(divisor, rows("perof"))))])
  }

  /// The controls of the divisor; those of its rows only if there is one.
  var divisorFields: [BuilderField] {
    // Shares and averages as divisors mean nothing that a reader could name.
    let counts = Self.metrics.filter { QuestionMetric($0.0).map { !$0.isFraction } ?? false }
    let field = choice("divided by", "Divisor", "per", [("", "nothing")] + counts, "")
    guard divisor != nil else { return [field] }
    let choice = rows("perof")
    return [
      field, Self.kind("of", 1, choice, "", [("", "all activity")] + Self.kinds.dropLast()), Self.name(1, choice),
    ]
  }
}
