extension QueryQuestion {
  init(_ node: JSONNode) throws(QuestionError) {
    let members = try node.members(
      ["metrics", "dimensions", "order_by", "compare", "include", "pagination"] + QuestionScope.members)
    scope = try QuestionScope(members)
    let metrics = try members.required("metrics").list(1...20) { node throws(QuestionError) in
      try QuestionMetric(node)
    }
    let groups = try members.list("dimensions", 0...6) { node throws(QuestionError) in try Group(node) }
    (self.metrics, self.groups) = (metrics, groups)
    order = try members.list("order_by", 0...26) { node throws(QuestionError) in
      try Order(node, metrics: metrics, groups: groups)
    }
    comparesPreviousPeriod = false
    if let compare = members.optional("compare") {
      guard try compare.text() == "previous_period" else { throw compare.fault("Expected previous_period.") }
      comparesPreviousPeriod = true
    }
    let included = try members.list("include", 0...3) { node throws(QuestionError) -> Inclusion in try node.choice() }
    includesTotals = included.contains(.totals)
    includesTimeLabels = included.contains(.timeLabels)
    includesTotalRows = included.contains(.totalRows)
    (limit, offset) = (Self.standardLimit, 0)
    if let pagination = try members.optional("pagination")?.members(["limit", "offset"]) {
      if let node = pagination.optional("limit") { limit = try node.integer(1...100_000) }
      if let node = pagination.optional("offset") { offset = try node.integer(0...10_000_000) }
    }
  }

  enum Inclusion: String, CaseIterable {
    case totals
    case timeLabels = "time_labels"
    case totalRows = "total_rows"
  }
}

extension QuestionMetric {
  init(_ node: JSONNode) throws(QuestionError) {
    guard let metric = QuestionMetric(try node.text()) else {
      let plain = Plain.allCases.map(\.rawValue).joined(separator: ", ")
      let aggregates = Aggregate.allCases.map(\.rawValue).joined(separator: ", ")
      throw node.fault(
        "There is no such metric; possible are \(plain), and one of \(aggregates) followed by :property:NAME.")
    }
    self = metric
  }
}

extension QueryQuestion.Group {
  init(_ node: JSONNode) throws(QuestionError) {
    guard case .array = node.value else {
      self.init(try QuestionDimension(node))
      return
    }
    let parts = try node.elements(2...2)
    let dimension = try QuestionDimension(parts[0])
    guard case .property = dimension else { throw parts[0].fault("Only property:NAME can have bins.") }
    let bins = try parts[1].members(["bins"]).required("bins")
    let bounds = try bins.list(1...100) { node throws(QuestionError) in try node.number() }
    guard zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw bins.fault("Expected ascending numbers.")
    }
    self.init(dimension, bins: bounds)
  }
}

extension QueryQuestion.Order {
  init(
    _ node: JSONNode, metrics: [QuestionMetric], groups: [QueryQuestion.Group]
  ) throws(QuestionError) {
    let parts = try node.elements(2...2)
    let name = try parts[0].text()
    if let index = metrics.firstIndex(of: QuestionMetric(name) ?? metrics[0]), metrics[index].name == name {
      column = .metric(index)
    } else if let index = groups.firstIndex(where: { $0.dimension.name == name }) {
      column = .group(index)
    } else {
      throw parts[0].fault("Results can be ordered by a metric or dimension of the question.")
    }
    let direction: Direction = try parts[1].choice()
    isDescending = direction == .desc
  }

  enum Direction: String, CaseIterable {
    case asc, desc
  }
}
