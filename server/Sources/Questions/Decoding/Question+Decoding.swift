import Ingest

extension Question {
  /// Decodes a question; throws an error that names the place of the fault.
  package init(
    _ kind: Kind, json bytes: [UInt8], segments: SegmentFilters = SegmentFilters()
  ) throws(QuestionError) {
    try self.init(kind, JSONNode(value: try JSONTree(parsing: bytes), path: "$", segments: segments))
  }

  /// Decodes a question that may name its kind in the member `kind`; without one it is a query.
  package init(json bytes: [UInt8], segments: SegmentFilters = SegmentFilters()) throws(QuestionError) {
    var tree = try JSONTree(parsing: bytes)
    var kind = Kind.query
    if case .object(var members) = tree, let index = members.firstIndex(where: { $0.name.hasBytes(of: "kind") }) {
      kind = try JSONNode(value: members.remove(at: index).value, path: "$.kind").choice()
      tree = .object(members)
    }
    try self.init(kind, JSONNode(value: tree, path: "$", segments: segments))
  }

  private init(_ kind: Kind, _ node: JSONNode) throws(QuestionError) {
    self =
      switch kind {
      case .query: .query(try QueryQuestion(node))
      case .funnel: .funnel(try FunnelQuestion(node))
      case .retention: .retention(try RetentionQuestion(node))
      case .paths: .paths(try PathsQuestion(node))
      case .lifecycle: .lifecycle(try IntervalQuestion(node))
      case .stickiness: .stickiness(try IntervalQuestion(node))
      case .persons: .persons(try PersonsQuestion(node))
      }
  }
}

extension QuestionScope {
  static let members = ["date_range", "filters", "by"]

  init(_ members: JSONMembers) throws(QuestionError) {
    range = .days(30)
    if let node = members.optional("date_range") { range = try QuestionRange(node) }
    filters = try QuestionFilter.list(members, allowsPersons: true)
    person = try members.choice("by", .install)
  }
}

extension QuestionDimension {
  init(_ node: JSONNode) throws(QuestionError) {
    guard let dimension = QuestionDimension(try node.text()) else {
      throw node.fault(
        "There is no such dimension; possible are event, screen, kind, version, os, model, country, language, install, "
          + "user, property:NAME, and time:hour, time:day, time:week or time:month.")
    }
    self = dimension
  }
}

extension FunnelQuestion {
  static let members = ["steps", "order", "window", "exclude", "breakdown"]

  init(_ node: JSONNode) throws(QuestionError) {
    let members = try node.members(Self.members + QuestionScope.members)
    try self.init(members, QuestionScope(members))
  }

  /// Decodes a funnel in a scope that is given elsewhere.
  init(_ members: JSONMembers, _ scope: QuestionScope) throws(QuestionError) {
    self.scope = scope
    let steps = try members.required("steps").list(2...12) { node throws(QuestionError) in try Selector(node) }
    self.steps = steps
    order = try members.choice("order", .ordered)
    window =
      try members.optional("window").map { node throws(QuestionError) in try Self.window(node) }
      ?? Self.standardWindow
    exclusions = try members.list("exclude", 0...12) { node throws(QuestionError) in
      try Exclusion(node, steps: steps.count)
    }
    breakdown = try members.optional("breakdown").map { node throws(QuestionError) in try QuestionDimension(node) }
  }

  private static func window(_ node: JSONNode) throws(QuestionError) -> Int64 {
    let text = try node.text()
    let units: [Character: Int64] = ["m": 60_000, "h": 3_600_000, "d": 86_400_000]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
      (1...Int64(QuestionRange.maximumDays) * 86_400_000 / unit).contains(count)
    else { throw node.fault("Expected a time such as 5m, 2h or 1d, and at most \(QuestionRange.maximumDays)d.") }
    return count * unit
  }
}

extension FunnelQuestion.Exclusion {
  init(_ node: JSONNode, steps: Int) throws(QuestionError) {
    let members = try node.members(Selector.members + ["from", "to"])
    selector = try Selector(members)
    let from = try members.optional("from").map { node throws(QuestionError) in try node.integer(1...steps - 1) } ?? 1
    self.from = from
    to = try members.optional("to").map { node throws(QuestionError) in try node.integer(from + 1...steps) } ?? steps
  }
}

extension RetentionQuestion {
  static let members = ["start", "return", "interval", "intervals", "cohort", "mode", "breakdown"]

  init(_ node: JSONNode) throws(QuestionError) {
    let members = try node.members(Self.members + QuestionScope.members)
    try self.init(members, QuestionScope(members))
  }

  /// Decodes a question about retention in a scope that is given elsewhere.
  init(_ members: JSONMembers, _ scope: QuestionScope) throws(QuestionError) {
    self.scope = scope
    start = try members.optional("start").map { node throws(QuestionError) in try Selector(node) } ?? Selector(.any)
    comesBack =
      try members.optional("return").map { node throws(QuestionError) in try Selector(node) }
      ?? Selector(.any)
    interval = try members.interval(.week)
    intervals = try members.optional("intervals").map { node throws(QuestionError) in try node.integer(1...366) } ?? 8
    cohort = try members.choice("cohort", .firstEver)
    mode = try members.choice("mode", .on)
    breakdown = try members.optional("breakdown").map { node throws(QuestionError) in try QuestionDimension(node) }
  }
}

extension PathsQuestion {
  static let members = ["nodes", "start", "end", "depth", "limit"]

  init(_ node: JSONNode) throws(QuestionError) {
    let members = try node.members(Self.members + QuestionScope.members)
    try self.init(members, QuestionScope(members))
  }

  /// Decodes paths in a scope that is given elsewhere.
  init(_ members: JSONMembers, _ scope: QuestionScope) throws(QuestionError) {
    self.scope = scope
    nodes = try members.choice("nodes", .screens)
    switch (members.optional("start"), members.optional("end")) {
    case (nil, nil): anchor = .sessionStart
    case (let start?, nil): anchor = .start(try Selector(start))
    case (nil, let end?): anchor = .end(try Selector(end))
    case (_?, let end?): throw end.fault("A path has a start or an end, not both.")
    }
    depth = try members.optional("depth").map { node throws(QuestionError) in try node.integer(2...20) } ?? 5
    limit = try members.optional("limit").map { node throws(QuestionError) in try node.integer(1...1_000) } ?? 50
  }
}

extension IntervalQuestion {
  init(_ node: JSONNode) throws(QuestionError) {
    let members = try node.members(["interval"] + QuestionScope.members)
    try self.init(members, QuestionScope(members))
  }

  /// Decodes an interval in a scope that is given elsewhere.
  init(_ members: JSONMembers, _ scope: QuestionScope) throws(QuestionError) {
    self.scope = scope
    interval = try members.interval(.day)
  }
}

extension JSONMembers {
  /// A day, a week or a month.
  fileprivate func interval(_ standard: TimeUnit) throws(QuestionError) -> TimeUnit {
    guard let node = optional("interval") else { return standard }
    let unit: TimeUnit = try node.choice()
    guard unit != .hour else { throw node.fault("Expected one of day, week, month.") }
    return unit
  }
}
