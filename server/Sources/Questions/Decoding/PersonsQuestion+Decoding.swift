import Ingest
import Warehouse

extension PersonsQuestion {
  init(_ node: JSONNode) throws(QuestionError) {
    let members = try node.members(Group.members + ["limit", "before"] + QuestionScope.members)
    scope = try QuestionScope(members)
    group = .all
    for name in Group.members {
      guard let node = members.optional(name) else { continue }
      guard group == .all else { throw node.fault("Persons are those of one group, not of several.") }
      group = try Group(name, node, scope)
    }
    limit =
      try members.optional("limit").map { node throws(QuestionError) in try node.integer(1...1_000) }
      ?? Self.standardLimit
    before = nil
    if let node = members.optional("before") {
      guard let cursor = PersonsCursor(try node.text()) else {
        throw node.fault("Expected the text of `next` in the answer before.")
      }
      before = cursor
    }
  }
}

extension PersonsQuestion.Group {
  fileprivate static let members = ["funnel", "paths", "cohort", "new", "lifecycle", "stickiness"]

  fileprivate init(_ name: String, _ node: JSONNode, _ scope: QuestionScope) throws(QuestionError) {
    self =
      switch name {
      case "funnel": try Self(funnel: node, scope)
      case "paths": try Self(paths: node, scope)
      case "cohort": try Self(cohort: node, scope)
      case "new": try Self(new: node)
      case "lifecycle": try Self(lifecycle: node, scope)
      default: try Self(stickiness: node, scope)
      }
  }

  fileprivate init(new node: JSONNode) throws(QuestionError) {
    let members = try node.members(["interval", "of"])
    guard let of = members.optional("of") else {
      self = .new(in: nil)
      return
    }
    let unit: TimeUnit = try members.choice("interval", .day)
    self = .new(in: PersonsQuestion.Bucket(unit, try of.label(of: unit)))
  }

  fileprivate init(lifecycle node: JSONNode, _ scope: QuestionScope) throws(QuestionError) {
    let members = try node.members(["interval", "of", "state"])
    let interval = try IntervalQuestion(members, scope)
    let state: LifecycleFold.State = try members.required("state").choice()
    self = .lifecycle(interval, of: try members.required("of").label(of: interval.interval), state)
  }

  fileprivate init(stickiness node: JSONNode, _ scope: QuestionScope) throws(QuestionError) {
    let members = try node.members(["interval", "intervals"])
    let count = try members.required("intervals").integer(1...QuestionRange.maximumDays)
    self = .stickiness(try IntervalQuestion(members, scope), intervals: count)
  }

  fileprivate init(funnel node: JSONNode, _ scope: QuestionScope) throws(QuestionError) {
    let members = try node.members(FunnelQuestion.members + ["step", "dropped", "value"])
    let funnel = try FunnelQuestion(members, scope)
    let dropped = try members.optional("dropped").map { node throws(QuestionError) in try node.boolean() } ?? false
    // Before the first step there is none to have taken.
    let step = try members.required("step").integer((dropped ? 2 : 1)...funnel.steps.count)
    var value: QuestionValue??
    if let node = members.optional("value") {
      guard let breakdown = funnel.breakdown else { throw node.fault("Only a funnel with a breakdown has values.") }
      let values = try node.list(0...1) { node throws(QuestionError) in try QuestionValue(node, of: breakdown) }
      value = .some(values.first)
    }
    self = .funnel(funnel, step: step, dropped: dropped, value: value)
  }

  fileprivate init(paths node: JSONNode, _ scope: QuestionScope) throws(QuestionError) {
    let members = try node.members(PathsQuestion.members + ["step", "from", "to"])
    let paths = try PathsQuestion(members, scope)
    let edge = PersonsQuestion.Edge(
      step: try members.required("step").integer(1...max(paths.depth - 1, 1)),
      from: try PathsAnswer.Node(members.required("from")), to: try PathsAnswer.Node(members.required("to")))
    self = .path(paths, edge)
  }

  fileprivate init(cohort node: JSONNode, _ scope: QuestionScope) throws(QuestionError) {
    let members = try node.members(RetentionQuestion.members + ["of", "after"])
    let cohort = try RetentionQuestion(members, scope)
    let of = try members.required("of").label(of: cohort.interval)
    let after =
      try members.optional("after").map { node throws(QuestionError) in try node.integer(0...cohort.intervals) } ?? 0
    self = .cohort(cohort, of: of, after: after)
  }
}

extension PathsAnswer.Node {
  fileprivate init(_ node: JSONNode) throws(QuestionError) {
    let members = try node.members(["screen", "event"])
    switch (members.optional("screen"), members.optional("event")) {
    case (let screen?, nil): self.init(isScreen: true, name: .text(try screen.text()))
    case (nil, let event?): self.init(isScreen: false, name: .text(try event.text()))
    default: throw node.fault("Expected {\"screen\": NAME} or {\"event\": NAME}.")
    }
  }
}

extension JSONNode {
  /// The name of the unit that contains a day; of an hour, the name itself.
  fileprivate func label(of unit: TimeUnit) throws(QuestionError) -> String {
    let text = try text()
    if unit == .hour {
      let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
      guard let day = Day(String(parts[0])), let hour = parts.count == 2 ? Int(parts[1].prefix(2)) : nil,
        case let label = QuestionCalendar.label(of: .hour, number: day.number * 24 + hour), label.hasBytes(of: text)
      else { throw fault("Expected an hour such as 2026-10-31T14:00.") }
      return text
    }
    guard let day = Day(text) else { throw fault("Expected a date such as 2026-10-31.") }
    return QuestionCalendar.label(of: unit, number: QuestionCalendar.number(of: unit, on: day))
  }
}

extension PersonsQuestion {
  var members: [(String, JSONTree)] {
    let group: [(String, JSONTree)] =
      switch group {
      case .all: []
      case .funnel(let funnel, let step, let dropped, let value):
        [
          (
            "funnel",
            .object(
              funnel.members + [("step", .integer(step)), ("dropped", .boolean(dropped))]
                + (value.map { [("value", .array($0.map { [$0.json] } ?? []))] } ?? []))
          )
        ]
      case .path(let paths, let edge):
        [
          (
            "paths",
            .object(
              paths.members + [("step", .integer(edge.step)), ("from", edge.from.json), ("to", edge.to.json)])
          )
        ]
      case .cohort(let cohort, let first, let after):
        [("cohort", .object(cohort.members + [("of", .text(first)), ("after", .integer(after))]))]
      case .new(let bucket):
        [
          (
            "new",
            .object(bucket.map { [("interval", .text($0.unit.rawValue)), ("of", .text($0.label))] } ?? [])
          )
        ]
      case .lifecycle(let question, let first, let state):
        [
          (
            "lifecycle",
            .object([
              ("interval", .text(question.interval.rawValue)), ("of", .text(first)), ("state", .text(state.rawValue)),
            ])
          )
        ]
      case .stickiness(let question, let count):
        [
          (
            "stickiness",
            .object([("interval", .text(question.interval.rawValue)), ("intervals", .integer(count))])
          )
        ]
      }
    return group + [("limit", .integer(limit)), ("before", before.map { .text($0.text) } ?? .null)]
  }
}
