/// A value whose JSON form is an object with described members.
package protocol JSONDescribed: Equatable, Sendable {
  /// The value with the defaults of all members that may be missing.
  static var standard: Self { get }
  static var members: [JSONMember<Self>] { get }
}

extension JSONDescribed {
  package static var codec: JSONCodec<Self> {
    JSONCodec(members.schema(standard)) { node throws(JSONFault) in
      var value = standard
      try members.decode(node, into: &value)
      return value
    } encode: {
      .object(members.encode($0))
    }
  }

  /// Sets a member to a value as in JSON; throws a fault that names the member if the value isn't allowed.
  package mutating func set(
    _ name: String, to value: JSONTree, context: (any Sendable)?
  ) throws(JSONFault) {
    let node = JSONNode(value: value, path: "$.\(name)", context: context)
    guard let member = Self.members.first(where: { $0.name == name }) else {
      throw node.fault("There is no member of this name.")
    }
    try member.decode(node, &self)
  }
}

extension Array {
  /// Sets the members that an object has; throws a fault if it has others, or lacks a required one.
  package func decode<Whole>(_ node: JSONNode, into whole: inout Whole) throws(JSONFault)
  where Element == JSONMember<Whole> {
    let nodes = try node.members(map(\.name))
    for member in self {
      if member.isRequired {
        try member.decode(try nodes.required(member.name), &whole)
      } else if let node = nodes.optional(member.name) {
        try member.decode(node, &whole)
      }
    }
  }

  package func encode<Whole>(_ whole: Whole) -> [(String, JSONTree)] where Element == JSONMember<Whole> {
    compactMap { member in member.encode(whole).map { (member.name, $0) } }
  }

  /// The schema of an object with these members.
  ///
  /// - Parameter standard: The value whose members are the defaults; `nil` to name none.
  package func schema<Whole>(_ standard: Whole?) -> Schema where Element == JSONMember<Whole> {
    .object(
      Schema.Members(filter(\.isRequired).map { ($0.name, $0.schema()) }),
      optional: Schema.Members(
        filter { !$0.isRequired }.map { member in
          let schema = Schema.nullable(member.schema())
          guard let standard, let value = member.encode(standard), value != .null else { return (member.name, schema) }
          return (member.name, schema.defaulting(to: value))
        }))
  }
}
