import Ingest
import TernEvents
package import Warehouse

extension Question {
  /// The question as understood, with every default and the days of its range.
  package func understood(today: Day) -> JSONTree {
    let own: [(String, JSONTree)] =
      switch self {
      case .query(let question): question.members
      case .funnel(let question): question.members
      case .retention(let question): question.members
      case .paths(let question): question.members
      case .lifecycle(let question), .stickiness(let question): [("interval", .text(question.interval.rawValue))]
      case .persons(let question): question.members
      }
    let days = scope.range.resolved(today: today)
    let shared: [(String, JSONTree)] = [
      ("date_range", .array([.text(days.lowerBound.description), .text(days.upperBound.description)])),
      ("filters", .array(scope.filters.map(\.json))), ("by", .text(scope.person.rawValue)),
    ]
    return .object(own + shared)
  }
}

extension JSONTree {
  /// An object of members in the given order.
  package static func object(_ members: [(String, JSONTree)]) -> JSONTree {
    .object(members.map { Member(name: $0.0, value: $0.1) })
  }

  static func integer(_ value: Int) -> JSONTree { .number(Double(value)) }

  /// Compact JSON.
  package var encoded: [UInt8] {
    var writer = JSONWriter(capacity: 512)
    write(to: &writer)
    return writer.bytes
  }

  private func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.raw("null")
    case .boolean(let flag): writer.boolean(flag)
    case .number(let number): writer.raw(Array(QuestionJSON.plain(number).utf8))
    case .text(let text): writer.string(text)
    case .array(let elements):
      writer.raw("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { writer.raw(",") }
        element.write(to: &writer)
      }
      writer.raw("]")
    case .object(let members):
      writer.raw("{")
      for (index, member) in members.enumerated() {
        if index > 0 { writer.raw(",") }
        writer.string(member.name)
        writer.raw(":")
        member.value.write(to: &writer)
      }
      writer.raw("}")
    }
  }
}

extension QuestionFilter {
  var json: JSONTree {
    func filter(_ name: String, _ parts: JSONTree...) -> JSONTree { .array([.text(name)] + parts) }
    switch self {
    case .isOneOf(let dimension, let values):
      return filter("is", .text(dimension.name), .array(values.map(\.json)))
    case .isNoneOf(let dimension, let values):
      return filter("is_not", .text(dimension.name), .array(values.map(\.json)))
    case .contains(let dimension, let texts):
      return filter("contains", .text(dimension.name), .array(texts.map { .text($0) }))
    case .compare(let comparison, let dimension, let number):
      return filter(comparison.rawValue, .text(dimension.name), .number(number))
    case .isSet(let dimension): return filter("set", .text(dimension.name))
    case .isNotSet(let dimension): return filter("not_set", .text(dimension.name))
    case .all(let filters): return filter("and", .array(filters.map(\.json)))
    case .any(let filters): return filter("or", .array(filters.map(\.json)))
    case .not(let inner): return filter("not", inner.json)
    case .hasDone(let selector, let count):
      return filter("has_done", selector.json, .object([("at_least", .integer(count))]))
    case .hasNotDone(let selector): return filter("has_not_done", selector.json)
    }
  }
}

extension QuestionValue {
  /// The value in questions and answers.
  package var json: JSONTree {
    switch self {
    case .text(let text): .text(text.text)
    case .number(let number): .number(number)
    }
  }
}

extension Selector {
  var members: [(String, JSONTree)] {
    let own: (String, JSONTree) =
      switch target {
      case .event(let name): ("event", .text(name))
      case .screen(let name): ("screen", .text(name))
      case .kind(let kind): ("kind", .text(kind.rawValue))
      case .any: ("any", .boolean(true))
      }
    return [own] + (filters.isEmpty ? [] : [("filters", .array(filters.map(\.json)))])
  }

  var json: JSONTree { .object(members) }
}

extension QueryQuestion {
  fileprivate var members: [(String, JSONTree)] {
    let groups: [JSONTree] = groups.map { group in
      let name = JSONTree.text(group.dimension.name)
      return group.bins.isEmpty ? name : .array([name, .object([("bins", .array(group.bins.map { .number($0) }))])])
    }
    let order: [JSONTree] = order.map { order in
      let name =
        switch order.column {
        case .metric(let index): metrics[index].name
        case .group(let index): self.groups[index].dimension.name
        }
      return .array([.text(name), .text(order.isDescending ? "desc" : "asc")])
    }
    let included: [(Bool, Inclusion)] = [
      (includesTotals, .totals), (includesTimeLabels, .timeLabels), (includesTotalRows, .totalRows),
    ]
    return [
      ("metrics", .array(metrics.map { .text($0.name) })), ("dimensions", .array(groups)), ("order_by", .array(order)),
      ("compare", comparesPreviousPeriod ? .text("previous_period") : .null),
      ("include", .array(included.filter(\.0).map { .text($0.1.rawValue) })),
      ("pagination", .object([("limit", .integer(limit)), ("offset", .integer(offset))])),
    ]
  }
}

extension FunnelQuestion {
  var members: [(String, JSONTree)] {
    [
      ("steps", .array(steps.map(\.json))), ("order", .text(order.rawValue)),
      ("window", .text("\(window / 60_000)m")),
      (
        "exclude",
        .array(
          exclusions.map { exclusion in
            .object(exclusion.selector.members + [("from", .integer(exclusion.from)), ("to", .integer(exclusion.to))])
          })
      ), ("breakdown", breakdown.map { .text($0.name) } ?? .null),
    ]
  }
}

extension RetentionQuestion {
  var members: [(String, JSONTree)] {
    [
      ("start", start.json), ("return", comesBack.json), ("interval", .text(interval.rawValue)),
      ("intervals", .integer(intervals)), ("cohort", .text(cohort.rawValue)), ("mode", .text(mode.rawValue)),
      ("breakdown", breakdown.map { .text($0.name) } ?? .null),
    ]
  }
}

extension PathsAnswer.Node {
  /// The node in questions and answers.
  package var json: JSONTree { .object([(isScreen ? "screen" : "event", name.json)]) }
}

extension PathsQuestion {
  var members: [(String, JSONTree)] {
    let anchors: [(String, JSONTree)] =
      switch anchor {
      case .sessionStart: []
      case .start(let selector): [("start", selector.json)]
      case .end(let selector): [("end", selector.json)]
      }
    return [("nodes", .text(nodes.rawValue))] + anchors
      + [("depth", .integer(depth)), ("limit", .integer(limit))]
  }
}
