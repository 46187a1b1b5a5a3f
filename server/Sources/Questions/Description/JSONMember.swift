/// The place of a member's value in the value that an object stands for.
typealias JSONPath<Whole, Value> = any WritableKeyPath<Whole, Value> & Sendable

/// A member of a JSON object: its name, its limits, and its place in the value that the object stands for.
package struct JSONMember<Whole>: Sendable {
  let name: String
  var isRequired = false
  /// Sets the value of the member; the members before it are set.
  var decode: @Sendable (JSONNode, inout Whole) throws(QuestionError) -> Void
  /// Returns `nil` if the member is left out.
  let encode: @Sendable (Whole) -> JSONTree?
  /// The schema, made when it is asked for: decoding needs none.
  let schema: @Sendable () -> Schema
}

extension JSONMember {
  /// A member that must be there.
  static func required<Value>(
    _ name: String, _ path: JSONPath<Whole, Value>, _ codec: JSONCodec<Value>
  ) -> JSONMember {
    var member = optional(name, path, codec)
    member.isRequired = true
    return member
  }

  /// A member that may be missing or `null`, which leaves the value as it is.
  static func optional<Value>(
    _ name: String, _ path: JSONPath<Whole, Value>, _ codec: JSONCodec<Value>
  ) -> JSONMember {
    JSONMember(name: name) { node, whole throws(QuestionError) in
      whole[keyPath: path] = try codec.decode(node)
    } encode: {
      codec.encode($0[keyPath: path])
    } schema: {
      codec.schema
    }
  }

  /// A member that may be missing or `null`, which means that there is no value.
  ///
  /// - Parameter isWritten: False to leave the member out instead of writing `null`.
  static func optional<Value>(
    _ name: String, _ path: JSONPath<Whole, Value?>, _ codec: JSONCodec<Value>,
    isWritten: Bool = true
  ) -> JSONMember {
    JSONMember(name: name) { node, whole throws(QuestionError) in
      whole[keyPath: path] = try codec.decode(node)
    } encode: { whole in
      whole[keyPath: path].map(codec.encode) ?? (isWritten ? .null : nil)
    } schema: {
      codec.schema
    }
  }

  /// A member whose limits depend on the members before it.
  ///
  /// - Parameter widest: A value with the widest limits, which the schema shows.
  static func optional<Value>(
    _ name: String, _ path: JSONPath<Whole, Value>,
    widest: @autoclosure @escaping @Sendable () -> Whole, _ codec: @escaping @Sendable (Whole) -> JSONCodec<Value>
  ) -> JSONMember {
    JSONMember(name: name) { node, whole throws(QuestionError) in
      whole[keyPath: path] = try codec(whole).decode(node)
    } encode: {
      codec($0).encode($0[keyPath: path])
    } schema: {
      codec(widest()).schema
    }
  }

  /// A member that must be there, and whose limits depend on the members before it.
  static func required<Value>(
    _ name: String, _ path: JSONPath<Whole, Value>,
    widest: @autoclosure @escaping @Sendable () -> Whole, _ codec: @escaping @Sendable (Whole) -> JSONCodec<Value>
  ) -> JSONMember {
    var member = optional(name, path, widest: widest(), codec)
    member.isRequired = true
    return member
  }

  /// An object whose members belong to the same value.
  static func nested(_ name: String, _ members: [JSONMember]) -> JSONMember {
    JSONMember(name: name) { node, whole throws(QuestionError) in
      try members.decode(node, into: &whole)
    } encode: {
      .object(members.encode($0))
    } schema: {
      members.schema(nil)
    }
  }

  /// The same member, refused if the members before it don't allow it.
  func refused(_ message: String, if isRefused: @escaping @Sendable (Whole) -> Bool) -> JSONMember {
    var member = self
    member.decode = { node, whole throws(QuestionError) in
      guard !isRefused(whole) else { throw node.fault(message) }
      try decode(node, &whole)
    }
    return member
  }

  /// The same member of a value that contains this one.
  func lifted<Outer>(_ path: JSONPath<Outer, Whole>) -> JSONMember<Outer> {
    JSONMember<Outer>(name: name, isRequired: isRequired) { node, outer throws(QuestionError) in
      try decode(node, &outer[keyPath: path])
    } encode: {
      encode($0[keyPath: path])
    } schema: {
      schema()
    }
  }
}

extension Array {
  /// Sets the members that an object has; throws a fault if it has others, or lacks a required one.
  func decode<Whole>(_ node: JSONNode, into whole: inout Whole) throws(QuestionError)
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

  func encode<Whole>(_ whole: Whole) -> [(String, JSONTree)] where Element == JSONMember<Whole> {
    compactMap { member in member.encode(whole).map { (member.name, $0) } }
  }

  /// The schema of an object with these members.
  ///
  /// - Parameter standard: The value whose members are the defaults; `nil` to name none.
  func schema<Whole>(_ standard: Whole?) -> Schema where Element == JSONMember<Whole> {
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

/// A value whose JSON form is an object with described members.
package protocol JSONDescribed: Equatable, Sendable {
  /// The value with the defaults of all members that may be missing.
  static var standard: Self { get }
  static var members: [JSONMember<Self>] { get }
}

extension JSONDescribed {
  static var codec: JSONCodec<Self> {
    JSONCodec(members.schema(standard)) { node throws(QuestionError) in
      var value = standard
      try members.decode(node, into: &value)
      return value
    } encode: {
      .object(members.encode($0))
    }
  }

  /// Sets a member to a value as in JSON; throws a fault that names the member if the value isn't allowed.
  package mutating func set(
    _ name: String, to value: JSONTree, segments: SegmentFilters = SegmentFilters()
  ) throws(QuestionError) {
    let node = JSONNode(value: value, path: "$.\(name)", segments: segments)
    guard let member = Self.members.first(where: { $0.name == name }) else {
      throw node.fault("There is no member of this name.")
    }
    try member.decode(node, &self)
  }
}
