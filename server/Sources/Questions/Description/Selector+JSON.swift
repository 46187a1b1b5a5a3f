import JSON

extension Selector {
  static let members = ["event", "screen", "kind", "any", "filters"]
  private static let kinds = JSONCodec<QuestionKind>.choice(of: [.crash, .handledError, .sessionStart])
  private static let rowFilters = JSONCodec<[QuestionFilter]>.list(
    .filter(of: .rows), 0...QuestionFilter.maximumCount)

  init(_ node: JSONNode) throws(JSONFault) { try self.init(node.members(Self.members)) }

  init(_ members: JSONMembers) throws(JSONFault) {
    let names = ["event", "screen", "kind", "any"].filter { members.optional($0) != nil }
    guard names.count == 1, let node = members.optional(names[0]) else {
      throw members.object.fault("A selector has exactly one of event, screen, kind and any.")
    }
    switch names[0] {
    case "event": target = .event(try node.text())
    case "screen": target = .screen(try node.text())
    case "kind": target = .kind(try Self.kinds.decode(node))
    default:
      guard node.value == .boolean(true) else { throw node.fault("Expected true.") }
      target = .any
    }
    filters = try members.optional("filters").map(Self.rowFilters.decode) ?? []
  }

  /// The members with their values.
  var ownMembers: [(String, JSONTree)] {
    let own: (String, JSONTree) =
      switch target {
      case .event(let name): ("event", .text(name))
      case .screen(let name): ("screen", .text(name))
      case .kind(let kind): ("kind", .text(kind.rawValue))
      case .any: ("any", .boolean(true))
      }
    return [own] + (filters.isEmpty ? [] : [("filters", Self.rowFilters.encode(filters))])
  }

  /// The schema of a selector that may have more members.
  static func schema(and more: Schema.Members = [:]) -> Schema {
    let targets: [Schema.Members] = [
      ["event": .text], ["screen": .text], ["kind": kinds.schema], ["any": .yes],
    ]
    let optional = Schema.Members((["filters": rowFilters.schema] + more).list.map { ($0.0, .nullable($0.1)) })
    return .anyOf(targets.map { .object($0, optional: optional) })
  }
}

extension JSONCodec<Selector> {
  static var selector: JSONCodec {
    JSONCodec(.named("Selector")) { node throws(JSONFault) in
      try Selector(node)
    } encode: {
      .object($0.ownMembers)
    }
  }
}
