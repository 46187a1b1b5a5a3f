import JSON
import Questions
import Warehouse

/// A funnel and its steps in a form.
extension QuestionForm {
  /// The funnel; `nil` with fewer than two steps.
  func funnel() throws(QuestionError) -> FunnelQuestion? {
    let steps = funnelSteps
    guard steps.count > 1 else { return nil }
    var funnel = FunnelQuestion(scope: try scope(), steps: [])
    let selectors = steps.enumerated().map { index, step in
      step.json(filters: filters(ofStep: index).map(\.row.json))
    }
    try funnel.set("steps", to: .array(selectors))
    for member in ["order", "window"] { try fill(&funnel, member) }
    funnel.breakdown = try breakdownDimension()
    if funnel.breakdown != nil { try fill(&funnel, "breakdown_step", from: "bystep") }
    return funnel
  }

  /// True if filters may be about the steps of a funnel.
  var hasSteps: Bool { page == .funnels || page == .people && self["group"] == "funnel" }

  /// The filters of a step, with their numbers among all filters of the form.
  func filters(ofStep index: Int) -> [(number: Int, row: FilterRow)] {
    let count = funnelSteps.count
    return rows.enumerated().compactMap { place, row -> (number: Int, row: FilterRow)? in
      guard let (step, row) = row.ofStep, step.indices(of: count).contains(index) else { return nil }
      return (place + 1, row)
    }
  }

  /// The choice of the steps that decide under which values of the breakdown someone counts.
  var breakdownStepField: BuilderField {
    choice(
      "Values of the breakdown are those of", "Steps of the breakdown", "bystep",
      FunnelBreakdownStep.allCases.map { ($0.rawValue, $0.words) },
      self["order"] == FunnelOrder.unordered.rawValue ? "every" : "first")
  }

  /// The fields of the steps, at least two.
  var stepFields: [BuilderField] {
    let steps = funnelSteps
    return (1...max(steps.count, 2)).flatMap { number in
      Self.step(number, steps.indices.contains(number - 1) ? steps[number - 1] : nil)
    }
  }

  /// The fields of one step.
  static func step(_ number: Int, _ step: RowChoice?) -> [BuilderField] {
    var kind = kind(number == 1 ? "Users with" : "then", number, step, "event", kinds)
    (kind.label, kind.step) = ("Kind of step \(number)", number)
    var name = name(number, step)
    name.label = "Name of step \(number)"
    name.isShown = step == nil || name.isShown
    return [kind, name]
  }

  /// The names of the steps in use.
  var stepNames: [String] { funnelSteps.map(\.title) }
}

extension FunnelBreakdownStep {
  /// The steps in words.
  var words: String {
    switch self {
    case .first: "the first step"
    case .last: "the last step"
    case .every: "every step"
    }
  }
}

/// Filters of a funnel's steps: `first:version is 3.3.0`.
extension FilterRow {
  /// The filter of the rows of some steps; `nil` for a filter of all rows.
  var ofStep: (step: FunnelBreakdownStep, row: FilterRow)? {
    Self.ofStep(dimension).map { ($0, FilterRow(dimension: $1, comparison: comparison, value: value)) }
  }

  /// The steps and the dimension that stand in a name such as `first:version`.
  static func ofStep(_ name: String) -> (step: FunnelBreakdownStep, dimension: String)? {
    guard let colon = name.firstIndex(of: ":"), let step = FunnelBreakdownStep(rawValue: String(name[..<colon])) else {
      return nil
    }
    return (step, String(name[name.index(after: colon)...]))
  }

  /// The same filter of the rows of some steps.
  func of(_ step: FunnelBreakdownStep) -> FilterRow {
    FilterRow(dimension: "\(step.rawValue):\(dimension)", comparison: comparison, value: value)
  }
}

extension FilterRows {
  /// The filters of all rows, without those of a funnel's steps.
  var ofAllRows: FilterRows { FilterRows(rows.filter { $0.ofStep == nil }, others: others) }
}
