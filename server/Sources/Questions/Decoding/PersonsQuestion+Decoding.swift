import Warehouse

extension PersonsQuestion {
  init(_ node: JSONNode) throws(QuestionError) {
    let members = try node.members(["funnel", "cohort", "limit", "before"] + QuestionScope.members)
    scope = try QuestionScope(members)
    switch (members.optional("funnel"), members.optional("cohort")) {
    case (nil, nil): group = .all
    case (let funnel?, nil): group = try Group(funnel: funnel, scope)
    case (nil, let cohort?): group = try Group(cohort: cohort, scope)
    case (_?, let cohort?): throw cohort.fault("Persons are those of a funnel or of a cohort, not of both.")
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
  fileprivate init(funnel node: JSONNode, _ scope: QuestionScope) throws(QuestionError) {
    let members = try node.members(FunnelQuestion.members + ["step", "dropped"])
    let funnel = try FunnelQuestion(members, scope)
    let dropped = try members.optional("dropped").map { node throws(QuestionError) in try node.boolean() } ?? false
    // Before the first step there is none to have taken.
    let step = try members.required("step").integer((dropped ? 2 : 1)...funnel.steps.count)
    self = .funnel(funnel, step: step, dropped: dropped)
  }

  fileprivate init(cohort node: JSONNode, _ scope: QuestionScope) throws(QuestionError) {
    let members = try node.members(RetentionQuestion.members + ["of", "after"])
    let cohort = try RetentionQuestion(members, scope)
    let of = try members.required("of")
    guard let day = Day(try of.text()) else { throw of.fault("Expected a date such as 2026-10-31.") }
    let number = QuestionCalendar.number(of: cohort.interval, on: day)
    let after =
      try members.optional("after").map { node throws(QuestionError) in try node.integer(0...cohort.intervals) } ?? 0
    self = .cohort(cohort, of: QuestionCalendar.label(of: cohort.interval, number: number), after: after)
  }
}

extension PersonsQuestion {
  var members: [(String, JSONTree)] {
    let group: [(String, JSONTree)] =
      switch group {
      case .all: []
      case .funnel(let funnel, let step, let dropped):
        [
          (
            "funnel",
            .object(funnel.members + [("step", .integer(step)), ("dropped", .boolean(dropped))])
          )
        ]
      case .cohort(let cohort, let first, let after):
        [("cohort", .object(cohort.members + [("of", .text(first)), ("after", .integer(after))]))]
      }
    return group + [("limit", .integer(limit)), ("before", before.map { .text($0.text) } ?? .null)]
  }
}
