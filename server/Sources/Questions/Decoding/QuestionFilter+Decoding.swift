extension QuestionFilter {
  /// The most filters in one list.
  static let maximumCount = 50
  /// The most values of one filter.
  static let maximumValues = 1_000

  /// Decodes the member `filters`.
  static func list(_ members: JSONMembers, allowsPersons: Bool) throws(QuestionError) -> [QuestionFilter] {
    try members.list("filters", 0...maximumCount) { node throws(QuestionError) in
      try QuestionFilter(node, allowsPersons: allowsPersons)
    }
  }

  /// Decodes one filter. Filters about persons cannot be part of a selector.
  init(_ node: JSONNode, allowsPersons: Bool) throws(QuestionError) {
    let parts = try node.elements(2...3)
    let name = try parts[0].text()
    func expect(_ count: Int) throws(QuestionError) {
      guard parts.count == count else { throw node.fault("The filter \(name) has \(count) elements.") }
    }
    func filters() throws(QuestionError) -> [QuestionFilter] {
      try expect(2)
      return try parts[1].list(1...Self.maximumCount) { node throws(QuestionError) in
        try QuestionFilter(node, allowsPersons: allowsPersons)
      }
    }
    switch name {
    case "is", "is_not":
      try expect(3)
      let dimension = try QuestionDimension(parts[1])
      let values = try parts[2].list(1...Self.maximumValues) { node throws(QuestionError) in
        try QuestionValue(node, of: dimension)
      }
      self = name == "is" ? .isOneOf(dimension, values) : .isNoneOf(dimension, values)
    case "contains":
      try expect(3)
      let texts = try parts[2].list(1...Self.maximumValues) { node throws(QuestionError) in try node.text() }
      self = .contains(try QuestionDimension(parts[1]), texts)
    case "gt", "gte", "lt", "lte":
      try expect(3)
      let dimension = try QuestionDimension(parts[1])
      guard case .property = dimension, let comparison = Comparison(rawValue: name) else {
        throw parts[1].fault("Only property:NAME can be compared with a number.")
      }
      self = .compare(comparison, dimension, try parts[2].number())
    case "set", "not_set":
      try expect(2)
      let dimension = try QuestionDimension(parts[1])
      self = name == "set" ? .isSet(dimension) : .isNotSet(dimension)
    case "and": self = .all(try filters())
    case "or": self = .any(try filters())
    case "not":
      try expect(2)
      self = .not(try QuestionFilter(parts[1], allowsPersons: allowsPersons))
    case "has_done", "has_not_done":
      guard allowsPersons else { throw parts[0].fault("A selector cannot have filters about persons.") }
      let selector = try Selector(parts[1])
      if name == "has_not_done" {
        try expect(2)
        self = .hasNotDone(selector)
      } else {
        let count = parts.count == 3 ? try parts[2].members(["at_least"]).required("at_least") : nil
        self = .hasDone(
          selector, atLeast: try count.map { node throws(QuestionError) in try node.integer(1...1_000_000_000) } ?? 1)
      }
    case "segment":
      guard allowsPersons else { throw parts[0].fault("A selector cannot have filters about persons.") }
      guard let segments = node.segments else { throw parts[0].fault("A segment cannot use another segment.") }
      try expect(2)
      self = try segments.filter(parts[1])
    default:
      throw parts[0].fault(
        "There is no such filter; possible are is, is_not, contains, gt, gte, lt, lte, set, not_set, and, or, not, "
          + "has_done, has_not_done and segment.")
    }
  }
}

extension QuestionValue {
  /// Decodes a value of a dimension. Only properties can be numbers or Booleans.
  init(_ node: JSONNode, of dimension: QuestionDimension) throws(QuestionError) {
    switch (node.value, dimension) {
    case (.null, _): throw node.fault("Rows without a value are found by not_set.")
    case (.number(let number), .property): self = .number(number)
    case (.boolean(let flag), .property): self = .text(flag ? "true" : "false")
    default: self = .text(try node.text())
    }
  }
}

extension Selector {
  static let members = ["event", "screen", "kind", "any", "filters"]

  init(_ node: JSONNode) throws(QuestionError) { try self.init(node.members(Self.members)) }

  init(_ members: JSONMembers) throws(QuestionError) {
    let names = ["event", "screen", "kind", "any"].filter { members.optional($0) != nil }
    guard names.count == 1, let node = members.optional(names[0]) else {
      throw members.object.fault("A selector has exactly one of event, screen, kind and any.")
    }
    switch names[0] {
    case "event": target = .event(try node.text())
    case "screen": target = .screen(try node.text())
    case "kind":
      let kind: QuestionKind = try node.choice()
      guard kind == .crash || kind == .handledError || kind == .sessionStart else {
        throw node.fault("Expected one of crash, handled_error, session_start.")
      }
      target = .kind(kind)
    default:
      guard node.value == .boolean(true) else { throw node.fault("Expected true.") }
      target = .any
    }
    filters = try QuestionFilter.list(members, allowsPersons: false)
  }
}
