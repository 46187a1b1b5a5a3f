import Ingest
import JSON

/// The places of filters: what may be part of them differs.
enum FilterPlace: String, CaseIterable, Sendable {
  /// A filter of a selector, which is about rows.
  case rows = "RowFilter"
  /// A filter of a segment, which may be about persons, too.
  case segment = "SegmentFilter"
  /// A filter of a question, which may be a segment, too.
  case question = "Filter"
}

extension JSONCodec<QuestionFilter> {
  static var filter: JSONCodec { filter(of: .question) }

  static func filter(of place: FilterPlace) -> JSONCodec {
    JSONCodec(.named(place.rawValue)) { node throws(JSONFault) in
      try QuestionFilter(node, place)
    } encode: {
      $0.json
    }
  }
}

extension QuestionFilter {
  /// The most filters in one list.
  static let maximumCount = 50
  /// The most values of one filter.
  private static let maximumValues = 1_000
  private static let texts = JSONCodec<[String]>.list(.text, 1...maximumValues)
  private static let counts = JSONCodec<Int>.integer(1...1_000_000_000)
  private static let groups = JSONCodec<Int>.integer(1...1 << 53)
  private static let days = JSONCodec<Int>.integer(1...QuestionRange.maximumDays)

  private static func values(of dimension: QuestionDimension) -> JSONCodec<[QuestionValue]> {
    .list(.value(of: dimension), 1...maximumValues)
  }

  private static func filters(_ place: FilterPlace) -> JSONCodec<[QuestionFilter]> {
    .list(.filter(of: place), 1...maximumCount)
  }

  fileprivate init(_ node: JSONNode, _ place: FilterPlace) throws(JSONFault) {
    let parts = try node.elements(2...3)
    let name = try parts[0].text()
    func expect(_ count: Int) throws(JSONFault) {
      guard parts.count == count else { throw node.fault("The filter \(name) has \(count) elements.") }
    }
    func dimension() throws(JSONFault) -> QuestionDimension {
      try JSONCodec<QuestionDimension>.dimension.decode(parts[1])
    }
    func expectPersons() throws(JSONFault) {
      guard place != .rows else { throw parts[0].fault("A selector cannot have filters about persons.") }
    }
    switch name {
    case "is", "is_not":
      try expect(3)
      let dimension = try dimension()
      let values = try Self.values(of: dimension).decode(parts[2])
      self = name == "is" ? .isOneOf(dimension, values) : .isNoneOf(dimension, values)
    case "contains":
      try expect(3)
      self = .contains(try dimension(), try Self.texts.decode(parts[2]).map(ExactText.init))
    case "gt", "gte", "lt", "lte":
      try expect(3)
      let dimension = try dimension()
      guard dimension.isProperty, let comparison = Comparison(rawValue: name) else {
        throw parts[1].fault("Only property:NAME can be compared with a number.")
      }
      self = .compare(comparison, dimension, try parts[2].number())
    case "set", "not_set":
      try expect(2)
      self = name == "set" ? .isSet(try dimension()) : .isNotSet(try dimension())
    case "error":
      try expect(2)
      self = .isError(group: try Self.groups.decode(parts[1]))
    case "and", "or":
      try expect(2)
      let filters = try Self.filters(place).decode(parts[1])
      self = name == "and" ? .all(filters) : .any(filters)
    case "not":
      try expect(2)
      self = .not(try QuestionFilter(parts[1], place))
    case "has_done":
      try expectPersons()
      let selector = try Selector(parts[1])
      let limits = parts.count == 3 ? try parts[2].members(["at_least", "days"]) : nil
      self = .hasDone(
        selector, atLeast: try limits?.optional("at_least").map(Self.counts.decode) ?? 1,
        days: try limits?.optional("days").map(Self.days.decode))
    case "has_not_done":
      try expectPersons()
      let limits = parts.count == 3 ? try parts[2].members(["days"]) : nil
      self = .hasNotDone(
        try Selector(parts[1]), days: try limits?.optional("days").map(Self.days.decode))
    case "segment":
      try expectPersons()
      guard place == .question else { throw parts[0].fault("A segment cannot use another segment.") }
      try expect(2)
      self = try node.segments.filter(parts[1])
    default:
      throw parts[0].fault(
        "There is no such filter; possible are is, is_not, contains, gt, gte, lt, lte, set, not_set, error, and, or, not, "
          + "has_done, has_not_done and segment.")
    }
  }

  static func schema(_ place: FilterPlace) -> Schema {
    let (plain, property, any) = (
      Schema.named("PlainDimension"), Schema.named("PropertyDimension"), Schema.named("Dimension")
    )
    // Not a reference to the schema itself: some generators of clients make nothing of an array within itself, nor of all that has it.
    let inner = Schema.list(.any).described("A \(place.rawValue).")
    let rows: [Schema] = [
      .tuple(.choice(["is", "is_not"]), plain, texts.schema),
      .tuple(.choice(["is", "is_not"]), property, values(of: .property("")).schema),
      .tuple(.choice(["contains"]), any, texts.schema),
      .tuple(.choice(Comparison.self), property, .number), .tuple(.choice(["set", "not_set"]), any),
      .tuple(.choice(["error"]), groups.schema),
      .tuple(.choice(["and", "or"]), .list(inner, 1...maximumCount)), .tuple(.choice(["not"]), inner),
    ]
    let selector = Schema.named("Selector")
    let persons: [Schema] = [
      .tuple(.choice(["has_done", "has_not_done"]), selector),
      .tuple(
        .choice(["has_done"]), selector,
        .object([:], optional: ["at_least": .nullable(counts.schema), "days": .nullable(days.schema)])),
      .tuple(.choice(["has_not_done"]), selector, .object([:], optional: ["days": .nullable(days.schema)])),
    ]
    let segment = Schema.tuple(.choice(["segment"]), SegmentFilters.number.schema)
    return .anyOf(rows + (place == .rows ? [] : persons) + (place == .question ? [segment] : []))
  }

  var json: JSONTree {
    func filter(_ name: String, _ parts: JSONTree...) -> JSONTree { .array([.text(name)] + parts) }
    switch self {
    case .isOneOf(let dimension, let values):
      return filter("is", .text(dimension.name), .array(values.map(\.json)))
    case .isNoneOf(let dimension, let values):
      return filter("is_not", .text(dimension.name), .array(values.map(\.json)))
    case .contains(let dimension, let texts):
      return filter("contains", .text(dimension.name), .array(texts.map { .text($0.text) }))
    case .compare(let comparison, let dimension, let number):
      return filter(comparison.rawValue, .text(dimension.name), .number(number))
    case .isSet(let dimension): return filter("set", .text(dimension.name))
    case .isNotSet(let dimension): return filter("not_set", .text(dimension.name))
    case .isError(let group): return filter("error", .integer(group))
    case .all(let filters): return filter("and", .array(filters.map(\.json)))
    case .any(let filters): return filter("or", .array(filters.map(\.json)))
    case .not(let inner): return filter("not", inner.json)
    case .hasDone(let selector, let count, let days):
      let limits = [("at_least", JSONTree.integer(count))] + (days.map { [("days", .integer($0))] } ?? [])
      return filter("has_done", JSONCodec.selector.encode(selector), .object(limits))
    case .hasNotDone(let selector, nil): return filter("has_not_done", JSONCodec.selector.encode(selector))
    case .hasNotDone(let selector, let days?):
      return filter("has_not_done", JSONCodec.selector.encode(selector), .object([("days", .integer(days))]))
    }
  }
}
