import Foundation
import Ingest
package import Questions
package import TernEvents
package import Warehouse

/// Random rows and questions from a seed: few installs and names, so that rows meet; ties in time, late rows, missing
/// values and values of mixed types.
package struct RandomRows {
  package var generator: FastGenerator
  /// The first day of the rows; each zone's clocks change within the two weeks that follow.
  package let first: Day
  package static let days = 14

  /// So many seeds in a row, of which SEED names the first. A failure names its own.
  package static func seeds(_ count: Int) -> Range<Int> {
    let first = ProcessInfo.processInfo.environment["SEED"].flatMap { Int($0) } ?? .random(in: 0..<1_000_000_000)
    return first..<first + count
  }

  package init(seed: UInt64, first: Day) {
    generator = FastGenerator(seed: seed)
    self.first = first
  }

  package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

  package mutating func rows(_ count: Int) -> [QuestionRow] {
    var time = Int64(first.number) * 86_400_000
    let step = Int64(Self.days) * 86_400_000 / Int64(count)
    // Clients that tell microseconds, those that don't, and both.
    let telling = [0, 50, 100].randomElement(using: &generator) ?? 0
    return (0..<count).map { index in
      // A third of the rows share their time with the one before, most are whole half hours apart, which lets windows
      // end exactly on a row, and some arrive days late.
      if !chance(33) {
        let pause = Int64.random(in: 0..<step * 3, using: &generator)
        time += chance(80) ? pause / 1_800_000 * 1_800_000 : pause
      }
      let shown = chance(5) ? time - Int64.random(in: 0..<4 * 86_400_000, using: &generator) : time
      var row = row(id: Int64(index) + 1, time: shown)
      if chance(telling) { row.microseconds = Int.random(in: 0..<4, using: &generator) }
      return row
    }
  }

  private mutating func row(id: Int64, time: Int64) -> QuestionRow {
    let kinds: [QuestionKind] = [
      .event, .event, .event, .screen, .screen, .sessionStart, .handledError, .crash, .other,
    ]
    let kind = kinds.randomElement(using: &generator) ?? .event
    let install = ["i1", "i2", "u1"].randomElement(using: &generator) ?? "i1"
    var row = QuestionRow(id: id, time: time, kind: kind, install: install)
    // The same letter composed and decomposed: two names.
    if kind == .event || kind == .screen {
      row.name = ["A", "B", "C", "\u{E9}", "e\u{301}"].randomElement(using: &generator)
    }
    if chance(40) { row.user = ["u1", "u2"].randomElement(using: &generator) }
    if chance(85) { row.session = Int64.random(in: 1...6, using: &generator) }
    row.startsSession = kind == .sessionStart
    if kind == .handledError || kind == .crash { row.error = Int.random(in: 1...3, using: &generator) }
    if chance(80) { row.facts[.version] = ["1.0", "1.0b2", "1.0b10", "2.0"].randomElement(using: &generator) }
    // Two codes of one country.
    if chance(80) { row.facts[.country] = ["GB", "UK", "1.0"].randomElement(using: &generator) }
    let values: [QuestionValue] =
      chance(10)
      // Sums of these don't depend on their order: the small ones vanish, and two of the largest are infinite.
      ? [.number(1e308), .number(.leastNonzeroMagnitude), .number(-0.0), .text(String(repeating: "9", count: 300))]
      : [.number(0), .number(1), .number(2.5), .text("1"), .text("true"), .text("\u{E9}")]
    if kind == .other, chance(20) {
      row.alias = ["i1", "i2", "u1", "u2", "later", "null"].randomElement(using: &generator)
    }
    if kind != .other, chance(60) { row.properties[ExactText("p")] = values.randomElement(using: &generator) }
    return row
  }
}

extension RandomRows {
  package mutating func selector() -> Selector {
    let targets: [Selector.Target] = [
      .event("A"), .event("B"), .event("\u{E9}"), .screen("A"), .screen("C"), .kind(.crash), .kind(.sessionStart), .any,
    ]
    return Selector(targets.randomElement(using: &generator) ?? .any, filters: chance(12) ? [filter(depth: 1)] : [])
  }

  package mutating func filter(depth: Int, persons: Bool = false) -> QuestionFilter {
    let dimensions: [QuestionDimension] = [
      .event, .version, .country, .user, .property(ExactText("p")), .time(.day), .kind,
    ]
    let dimension = dimensions.randomElement(using: &generator) ?? .event
    var values: [QuestionValue] = [
      .text("A"), .text("1.0"), .text("GB"), .text("e\u{301}"), .text("crash"), .text("u1"),
    ]
    // Only properties have numbers.
    if case .property = dimension { values.append(contentsOf: [.number(1), .number(2.5), .text("true")]) }
    let value = values.randomElement(using: &generator) ?? .text("A")
    switch Int.random(in: 0..<(persons ? 11 : depth > 0 ? 9 : 7), using: &generator) {
    case 0: return .isOneOf(dimension, [value, .text("B")])
    case 1: return .isNoneOf(dimension, [value])
    case 2: return .contains(dimension, [ExactText(".")])
    case 3: return .compare(.gte, .property(ExactText("p")), 1)
    case 4: return .isSet(dimension)
    case 5: return .isNotSet(dimension)
    case 6: return .isError(group: Int.random(in: 1...4, using: &generator))
    case 7: return .not(filter(depth: depth - 1))
    case 8: return .any([filter(depth: depth - 1), .all([filter(depth: 0), filter(depth: 0)])])
    case 9:
      return .hasDone(
        selector(), atLeast: Int.random(in: 1...3, using: &generator),
        days: [nil, 1, 3, 20].randomElement(using: &generator) ?? nil)
    default: return .hasNotDone(selector(), days: [nil, 1, 3, 20].randomElement(using: &generator) ?? nil)
    }
  }

  package mutating func scope() -> QuestionScope {
    let start = first.advanced(by: Int.random(in: 2..<7, using: &generator))
    return QuestionScope(
      range: .dates(start, start.advanced(by: Int.random(in: 0..<12, using: &generator))),
      filters: chance(25) ? [filter(depth: 1, persons: true)] : [], person: chance(50) ? .user : .install)
  }

  package mutating func funnel() -> FunnelQuestion {
    let steps = (0..<Int.random(in: 2...4, using: &generator)).map { _ in selector() }
    let to = Int.random(in: 2...steps.count, using: &generator)
    let order = FunnelOrder.allCases.randomElement(using: &generator) ?? .ordered
    return FunnelQuestion(
      scope: scope(), steps: steps, order: order,
      window: [1_800_000, 7_200_000, 36_000_000, 10 * 86_400_000].randomElement(using: &generator) ?? 1_800_000,
      exclusions: chance(60)
        ? [FunnelQuestion.Exclusion(selector(), from: Int.random(in: 1..<to, using: &generator), to: to)] : [],
      breakdown: chance(30) ? breakdown() : nil,
      breakdownStep: FunnelBreakdownStep.allCases.randomElement(using: &generator) ?? .first)
  }

  /// A dimension of which a person has several values.
  private mutating func breakdown() -> QuestionDimension {
    [.version, .property(ExactText("p")), .time(.day)].randomElement(using: &generator) ?? .version
  }

  package mutating func retention() -> RetentionQuestion {
    RetentionQuestion(
      scope: scope(), start: selector(), comesBack: selector(), interval: chance(60) ? .day : .week,
      intervals: Int.random(in: 1...8, using: &generator), cohort: chance(50) ? .firstEver : .recurring,
      mode: chance(50) ? .on : .onOrAfter, breakdown: chance(30) ? .version : nil)
  }

  package mutating func paths() -> PathsQuestion {
    let anchors: [PathsQuestion.Anchor] = [.sessionStart, .start(selector()), .end(selector())]
    return PathsQuestion(
      scope: scope(), nodes: PathsQuestion.Nodes.allCases.randomElement(using: &generator) ?? .both,
      anchor: anchors.randomElement(using: &generator) ?? .sessionStart, depth: Int.random(in: 2...5, using: &generator)
    )
  }

  package mutating func query() -> QueryQuestion {
    let p = ExactText("p")
    let groups: [QueryQuestion.Group] = [
      .init(.time(.day)), .init(.time(.hour)), .init(.time(.zonedHour)), .init(.time(.week)), .init(.version),
      .init(.property(p)),
      .init(.property(p), bins: [0, 1, 2]), .init(.event),
    ]
    let chosen = Array(groups.shuffled(using: &generator).prefix(Int.random(in: 0...2, using: &generator)))
    // Most questions are about one metric, and what others need isn't prepared.
    let all = QuestionMetric.Plain.allCases.map { QuestionMetric.plain($0) } + [.property(.avg, p), .property(.p90, p)]
    func term() -> DerivedMetric.Term {
      .init(all.randomElement(using: &generator) ?? .plain(.events), of: chance(60) ? selector() : nil)
    }
    let derived: [QuestionMetric] = (0..<3).map { _ in .derived(.init(term(), per: chance(70) ? term() : nil)) }
    let metrics =
      chance(40)
      ? all
      : Array((all + derived).shuffled(using: &generator).prefix(Int.random(in: 1...3, using: &generator)))
        + (chance(30) ? derived : [])
    let ordering = Int.random(in: 0..<metrics.count, using: &generator)
    return QueryQuestion(
      scope: scope(),
      metrics: metrics,
      groups: chosen, order: chance(50) ? [.init(.metric(ordering), isDescending: true)] : [],
      comparesPreviousPeriod: chance(50), includesTotals: true, includesTimeLabels: chance(50),
      includesTotalRows: chance(50), limit: 50, offset: chance(20) ? 1 : 0)
  }

  package mutating func persons() -> PersonsQuestion {
    let cursor = PersonsCursor(time: (Int64(first.number) + 8) * 86_400_000, row: 50)
    let page = (limit: chance(50) ? 2 : 100, before: chance(30) ? cursor : nil)
    let unit: TimeUnit = chance(60) ? .day : .week
    let interval = IntervalQuestion(scope: scope(), interval: unit)
    let label = QuestionCalendar.label(
      of: unit,
      number: QuestionCalendar.number(
        of: unit, on: first.advanced(by: Int.random(in: 2..<8, using: &generator))))
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: return PersonsQuestion(scope: scope(), limit: page.limit, before: page.before)
    case 3:
      return PersonsQuestion(
        scope: interval.scope, group: .new(in: chance(60) ? .init(unit, label) : nil), limit: page.limit,
        before: page.before)
    case 4:
      let state = LifecycleFold.State.allCases.randomElement(using: &generator) ?? .new
      return PersonsQuestion(
        scope: interval.scope, group: .lifecycle(interval, of: label, state), limit: page.limit, before: page.before)
    case 5:
      let count = Int.random(in: 1...3, using: &generator)
      return PersonsQuestion(
        scope: interval.scope, group: .stickiness(interval, intervals: count), limit: page.limit, before: page.before)
    case 1:
      let funnel = funnel()
      let isDropped = chance(50)
      return PersonsQuestion(
        scope: funnel.scope,
        group: .funnel(
          funnel, step: Int.random(in: (isDropped ? 2 : 1)...funnel.steps.count, using: &generator), dropped: isDropped,
          value: funnel.breakdown == nil || chance(30) ? nil : .some(chance(50) ? .text("1.0") : nil)),
        limit: page.limit, before: page.before)
    case 7:
      return PersonsQuestion(
        scope: interval.scope, group: .error(Int.random(in: 1...4, using: &generator)), limit: page.limit,
        before: page.before)
    case 6:
      let paths = paths()
      return PersonsQuestion(
        scope: paths.scope, group: .path(paths, edge(of: paths)), limit: page.limit, before: page.before)
    default:
      let cohort = retention()
      let day = first.advanced(by: Int.random(in: 2..<8, using: &generator))
      let number = QuestionCalendar.number(of: cohort.interval, on: day)
      return PersonsQuestion(
        scope: cohort.scope,
        group: .cohort(
          cohort, of: QuestionCalendar.label(of: cohort.interval, number: number),
          after: Int.random(in: 0...cohort.intervals, using: &generator)),
        limit: page.limit, before: page.before)
    }
  }

  /// An edge that some sessions may take.
  package mutating func edge(of paths: PathsQuestion) -> PersonsQuestion.Edge {
    let nodes =
      (paths.nodes == .events ? [] : [("A", true), ("C", true)])
      + (paths.nodes == .screens ? [] : [("A", false), ("B", false)])
    let chosen = (0..<2).map { _ in
      let (name, isScreen) = nodes.randomElement(using: &generator) ?? ("A", true)
      return PathsAnswer.Node(isScreen: isScreen, name: .text(name))
    }
    return PersonsQuestion.Edge(
      step: Int.random(in: 1..<paths.depth, using: &generator), from: chosen[0], to: chosen[1])
  }

  /// A question of a random kind.
  package mutating func question() -> Question {
    switch Question.Kind.allCases.randomElement(using: &generator) ?? .query {
    case .query: .query(query())
    case .funnel: .funnel(funnel())
    case .retention: .retention(retention())
    case .paths: .paths(paths())
    case .lifecycle: .lifecycle(IntervalQuestion(scope: scope(), interval: chance(60) ? .day : .week))
    case .stickiness: .stickiness(IntervalQuestion(scope: scope(), interval: chance(60) ? .day : .week))
    case .persons: .persons(persons())
    case .releases: .releases(releases())
    }
  }

  package mutating func releases() -> ReleasesQuestion {
    let conversions: [ReleasesQuestion.Conversion] = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
      guard chance(50) else { return .perUser(selector()) }
      var funnel = funnel()
      (funnel.scope, funnel.breakdown, funnel.breakdownStep) = (QuestionScope(), nil, .first)
      return .funnel(funnel)
    }
    return ReleasesQuestion(
      scope: scope(), conversions: conversions, days: [1, 3, 14].randomElement(using: &generator) ?? 1,
      limit: [1, 2, 10].randomElement(using: &generator) ?? 10)
  }
}
