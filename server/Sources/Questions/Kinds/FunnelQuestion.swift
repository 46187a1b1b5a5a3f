package import JSON

/// Steps that persons take one after the other.
package struct FunnelQuestion: Hashable, Sendable {
  package var scope: QuestionScope
  package var steps: [Selector]
  package var order: FunnelOrder
  /// The longest time from an attempt's first row to its last, in milliseconds.
  package var window: Int64
  package var exclusions: [Exclusion]
  package var breakdown: QuestionDimension?
  private var orderedBreakdownStep: FunnelBreakdownStep

  package init(
    scope: QuestionScope = QuestionScope(), steps: [Selector], order: FunnelOrder = .ordered,
    window: Int64 = FunnelQuestion.standardWindow, exclusions: [Exclusion] = [], breakdown: QuestionDimension? = nil,
    breakdownStep: FunnelBreakdownStep = .first
  ) {
    self.scope = scope
    self.steps = steps
    self.order = order
    self.window = window
    self.exclusions = exclusions
    self.breakdown = breakdown
    orderedBreakdownStep = order == .unordered ? .first : breakdownStep
  }

  /// The steps whose rows decide under which values of the breakdown a person counts. Steps that are taken in any order
  /// have no first or last one, so all of them decide.
  package var breakdownStep: FunnelBreakdownStep {
    get { order == .unordered ? .every : orderedBreakdownStep }
    set { if order != .unordered { orderedBreakdownStep = newValue } }
  }

  /// The funnel of one value of the breakdown: the value, or that there is none, is required of the steps that decide.
  /// The breakdown's group of this value is the answer to this funnel.
  package func requiring(_ value: QuestionValue?) -> FunnelQuestion {
    guard let breakdown else { return self }
    var funnel = self
    (funnel.breakdown, funnel.orderedBreakdownStep) = (nil, .first)
    let filter: QuestionFilter = value.map { .isOneOf(breakdown, [$0]) } ?? .isNotSet(breakdown)
    for step in breakdownStep.indices(of: steps.count) { funnel.steps[step].filters.append(filter) }
    return funnel
  }

  package static let standardWindow: Int64 = 14 * 86_400_000

  /// Rows that end an attempt that has taken at least `from` steps and fewer than `to`.
  package struct Exclusion: Hashable, Sendable {
    package var selector: Selector
    package var from: Int
    package var to: Int

    package init(_ selector: Selector, from: Int, to: Int) {
      self.selector = selector
      self.from = from
      self.to = to
    }
  }
}

/// The order in which the steps of a funnel must be taken.
package enum FunnelOrder: String, CaseIterable, Sendable {
  case ordered, strict, unordered
}

/// The steps of a funnel whose rows decide under which values of a breakdown a person counts.
package enum FunnelBreakdownStep: String, CaseIterable, Sendable {
  case first, last
  /// The same value on the rows of all steps.
  case every

  /// The positions of the steps among so many.
  package func indices(of count: Int) -> Range<Int> {
    switch self {
    case .first: 0..<min(count, 1)
    case .last: max(count - 1, 0)..<count
    case .every: 0..<count
    }
  }
}

extension FunnelQuestion: ScopedQuestion {
  /// The most steps.
  static let maximumSteps = 12

  package static let standard = FunnelQuestion(steps: [])
  /// The members without a breakdown.
  static let stepMembers: [JSONMember<FunnelQuestion>] = [
    .required("steps", \.steps, .list(.selector, 2...maximumSteps)), .optional("order", \.order, .choice),
    .optional("window", \.window, .window),
    .optional("exclude", \.exclusions, widest: longest) {
      .list(.exclusion(steps: $0.steps.count), 0...12)
    },
  ]
  package static let members: [JSONMember<FunnelQuestion>] =
    stepMembers + [
      .optional("breakdown", \.breakdown, .dimension),
      .optional("breakdown_step", \.breakdownStep, widest: longest) { .breakdownStep($0.order) },
    ]

  /// A funnel with the most steps.
  static let longest = FunnelQuestion(steps: Array(repeating: Selector(.any), count: maximumSteps))

  package var dimensions: [QuestionDimension] {
    (steps + exclusions.map(\.selector)).flatMap(\.dimensions) + (breakdown.map { [$0] } ?? [])
  }
}

extension JSONCodec<Int64> {
  /// A time in minutes, hours or days.
  fileprivate static var window: JSONCodec {
    JSONCodec(.pattern("^[1-9][0-9]{0,6}[mhd]$")) { node throws(JSONFault) in
      let text = try node.text()
      let units: [Character: Int64] = ["m": 60_000, "h": 3_600_000, "d": 86_400_000]
      guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
        (1...Int64(QuestionRange.maximumDays) * 86_400_000 / unit).contains(count)
      else { throw node.fault("Expected a time such as 5m, 2h or 1d, and at most \(QuestionRange.maximumDays)d.") }
      return count * unit
    } encode: {
      .text("\($0 / 60_000)m")
    }
  }
}

extension JSONCodec<FunnelBreakdownStep> {
  /// The steps that decide on a breakdown's values, as far as the order of the steps allows.
  fileprivate static func breakdownStep(_ order: FunnelOrder) -> JSONCodec {
    JSONCodec(choice.schema) { node throws(JSONFault) in
      let step = try choice.decode(node)
      guard order != .unordered || step == .every else {
        throw node.fault("Steps in any order have no first and no last step. Choose every.")
      }
      return step
    } encode: {
      choice.encode($0)
    }
  }
}

extension JSONCodec<FunnelQuestion.Exclusion> {
  /// A selector, and the steps between which its rows end an attempt.
  fileprivate static func exclusion(steps: Int) -> JSONCodec {
    let from = JSONCodec<Int>.integer(1...max(steps - 1, 1))
    @Sendable func to(_ from: Int) -> JSONCodec<Int> { .integer(min(from + 1, steps)...steps) }
    return JSONCodec(Selector.schema(and: ["from": from.schema, "to": to(1).schema])) { node throws(JSONFault) in
      let members = try node.members(Selector.members + ["from", "to"])
      var exclusion = FunnelQuestion.Exclusion(try Selector(members), from: 1, to: steps)
      if let node = members.optional("from") { exclusion.from = try from.decode(node) }
      if let node = members.optional("to") { exclusion.to = try to(exclusion.from).decode(node) }
      return exclusion
    } encode: { exclusion in
      .object(exclusion.selector.ownMembers + [("from", .integer(exclusion.from)), ("to", .integer(exclusion.to))])
    }
  }
}
