import Ingest
package import JSON
import Warehouse

/// The JSON form of a group of persons.
package protocol DescribedGroup: JSONDescribed {
  /// Creates the form of a group; `nil` for a group that has another form.
  init?(_ group: PersonsQuestion.Group)
  var group: PersonsQuestion.Group { get }
}

/// The persons at a step of a funnel.
package struct FunnelGroup: DescribedGroup {
  package var funnel: FunnelQuestion
  private var dropped = false
  private var step = 1
  /// The value of the breakdown, or an empty list for persons without one; `nil` for the persons of all values.
  package var values: [QuestionValue]?

  package init(funnel: FunnelQuestion) { self.funnel = funnel }

  package init?(_ group: PersonsQuestion.Group) {
    guard case .funnel(let funnel, let step, let dropped, let value) = group else { return nil }
    (self.funnel, self.step, self.dropped) = (funnel, step, dropped)
    values = value.map { $0.map { [$0] } ?? [] }
  }

  package var group: PersonsQuestion.Group {
    .funnel(funnel, step: step, dropped: dropped, value: values.map(\.first))
  }

  package static let standard = FunnelGroup(funnel: .standard)
  package static let members: [JSONMember<FunnelGroup>] =
    FunnelQuestion.members.map { $0.lifted(\.funnel) } + [
      .optional("dropped", \.dropped, .boolean),
      .required("step", \.step, widest: FunnelGroup(funnel: .longest)) { group in
        // Before the first step there is none to have taken.
        .integer((group.dropped ? 2 : 1)...max(group.funnel.steps.count, 2))
      },
      .optional("value", \.values, widest: FunnelGroup(funnel: FunnelQuestion(steps: [], breakdown: .property("")))) {
        JSONCodec.list(.value(of: $0.funnel.breakdown ?? .kind), 0...1).orNull
      }
      .refused("Only a funnel with a breakdown has values.") { $0.funnel.breakdown == nil },
    ]
}

/// The persons whose sessions take an edge of paths.
package struct PathGroup: DescribedGroup {
  package var paths: PathsQuestion
  private var edge: PersonsQuestion.Edge

  package init(paths: PathsQuestion) {
    self.paths = paths
    let node = PathsAnswer.Node(isScreen: true, name: .text(""))
    edge = .init(step: 1, from: node, to: node)
  }

  package init?(_ group: PersonsQuestion.Group) {
    guard case .path(let paths, let edge) = group else { return nil }
    (self.paths, self.edge) = (paths, edge)
  }

  package var group: PersonsQuestion.Group { .path(paths, edge) }

  package static let standard = PathGroup(paths: .standard)
  package static let members: [JSONMember<PathGroup>] =
    PathsQuestion.members.map { $0.lifted(\.paths) } + [
      .required("step", \.edge.step, widest: PathGroup(paths: PathsQuestion(depth: PathsQuestion.maximumDepth))) {
        .integer(1...max($0.paths.depth - 1, 1))
      },
      .required("from", \.edge.from, .node), .required("to", \.edge.to, .node),
    ]
}

/// The persons of a cohort, or those of them who came back.
package struct CohortGroup: DescribedGroup {
  package var cohort: RetentionQuestion
  private var first = ""
  private var after = 0

  package init(cohort: RetentionQuestion) { self.cohort = cohort }

  package init?(_ group: PersonsQuestion.Group) {
    guard case .cohort(let cohort, let first, let after) = group else { return nil }
    (self.cohort, self.first, self.after) = (cohort, first, after)
  }

  package var group: PersonsQuestion.Group { .cohort(cohort, of: first, after: after) }

  package static let standard = CohortGroup(cohort: .standard)
  package static let members: [JSONMember<CohortGroup>] =
    RetentionQuestion.members.map { $0.lifted(\.cohort) } + [
      .required("of", \.first, widest: standard) { .label(of: $0.cohort.interval) },
      .optional(
        "after", \.after,
        widest: CohortGroup(cohort: RetentionQuestion(intervals: RetentionQuestion.maximumIntervals))
      ) { .integer(0...$0.cohort.intervals) },
    ]
}

/// The persons who were new in the range, or in a unit of time.
package struct NewGroup: DescribedGroup {
  private var interval = TimeUnit.day
  private var label: String?

  package init() {}

  package init?(_ group: PersonsQuestion.Group) {
    guard case .new(let bucket) = group else { return nil }
    (interval, label) = (bucket?.unit ?? .day, bucket?.label)
  }

  package var group: PersonsQuestion.Group { .new(in: label.map { .init(interval, $0) }) }

  package static let standard = NewGroup()
  package static let members: [JSONMember<NewGroup>] = [
    .optional("interval", \.interval, .choice(of: [.hour, .day, .week, .month])),
    .optional("of", \.label, widest: NewGroup(.new(in: .init(.hour, ""))) ?? standard) {
      JSONCodec.label(of: $0.interval).orNull
    },
  ]
}

/// The persons in a state of the lifecycle.
package struct LifecycleGroup: DescribedGroup {
  package var question: IntervalQuestion
  private var label = ""
  private var state = LifecycleFold.State.new

  package init(question: IntervalQuestion) { self.question = question }

  package init?(_ group: PersonsQuestion.Group) {
    guard case .lifecycle(let question, let label, let state) = group else { return nil }
    (self.question, self.label, self.state) = (question, label, state)
  }

  package var group: PersonsQuestion.Group { .lifecycle(question, of: label, state) }

  package static let standard = LifecycleGroup(question: .standard)
  package static let members: [JSONMember<LifecycleGroup>] =
    IntervalQuestion.members.map { $0.lifted(\.question) } + [
      .required("of", \.label, widest: standard) { .label(of: $0.question.interval) },
      .required("state", \.state, .choice),
    ]
}

/// The persons active in exactly so many intervals.
package struct StickinessGroup: DescribedGroup {
  package var question: IntervalQuestion
  private var intervals = 1

  package init(question: IntervalQuestion) { self.question = question }

  package init?(_ group: PersonsQuestion.Group) {
    guard case .stickiness(let question, let intervals) = group else { return nil }
    (self.question, self.intervals) = (question, intervals)
  }

  package var group: PersonsQuestion.Group { .stickiness(question, intervals: intervals) }

  package static let standard = StickinessGroup(question: .standard)
  package static let members: [JSONMember<StickinessGroup>] =
    IntervalQuestion.members.map { $0.lifted(\.question) } + [
      .required("intervals", \.intervals, .integer(1...QuestionRange.maximumDays))
    ]
}

/// The persons who had an error of a group.
package struct ErrorPersons: DescribedGroup {
  private var number = 1

  package init() {}

  package init?(_ group: PersonsQuestion.Group) {
    guard case .error(let number) = group else { return nil }
    self.number = number
  }

  package var group: PersonsQuestion.Group { .error(number) }

  package static let standard = ErrorPersons()
  package static let members: [JSONMember<ErrorPersons>] = [
    // JSON has no larger whole numbers.
    .required("group", \.number, .integer(1...1 << 53))
  ]
}

extension JSONCodec<PathsAnswer.Node> {
  /// A screen or an event: `{"screen": NAME}`.
  fileprivate static var node: JSONCodec {
    JSONCodec(.anyOf(.object(["screen": .text]), .object(["event": .text]))) { node throws(JSONFault) in
      let members = try node.members(["screen", "event"])
      switch (members.optional("screen"), members.optional("event")) {
      case (let screen?, nil): return .init(isScreen: true, name: .text(try screen.text()))
      case (nil, let event?): return .init(isScreen: false, name: .text(try event.text()))
      default: throw node.fault("Expected {\"screen\": NAME} or {\"event\": NAME}.")
      }
    } encode: {
      $0.json
    }
  }
}

extension JSONCodec<String> {
  /// The name of the unit that contains a day; of an hour, the name itself.
  static func label(of unit: TimeUnit) -> JSONCodec {
    JSONCodec(unit == .hour ? .text.described("The unit of the first row ever.") : .date) {
      node throws(JSONFault) in
      let text = try node.text()
      if unit == .hour {
        let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        guard let day = Day(String(parts[0])), let hour = parts.count == 2 ? Int(parts[1].prefix(2)) : nil,
          case let label = QuestionCalendar.label(of: .hour, number: day.number * 24 + hour), label.hasBytes(of: text)
        else { throw node.fault("Expected an hour such as 2026-10-31T14:00.") }
        return text
      }
      guard let day = Day(text) else { throw node.fault("Expected a date such as 2026-10-31.") }
      return QuestionCalendar.label(of: unit, number: QuestionCalendar.number(of: unit, on: day))
    } encode: {
      .text($0)
    }
  }
}
