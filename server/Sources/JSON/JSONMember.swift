/// The place of a member's value in the value that an object stands for.
package typealias JSONPath<Whole, Value> = any WritableKeyPath<Whole, Value> & Sendable

/// A member of a JSON object: its name, its limits, and its place in the value that the object stands for.
package struct JSONMember<Whole>: Sendable {
  package let name: String
  package var isRequired: Bool
  /// Sets the value of the member; the members before it are set.
  package var decode: @Sendable (JSONNode, inout Whole) throws(JSONFault) -> Void
  /// Returns `nil` if the member is left out.
  package let encode: @Sendable (Whole) -> JSONTree?
  /// The schema, made when it is asked for: decoding needs none.
  package var schema: @Sendable () -> Schema
  /// True if requests can set the member. Others are shown in answers only.
  package var isSettable = true
  /// True if answers may lack the member.
  package var isLeftOut = false
  /// True if `null` is a value of the member instead of the same as leaving it out.
  package var acceptsNull = false
  /// Sets the value of a member that is left out; the members before it are set. `nil` to keep what it was.
  package var setMissing: (@Sendable (inout Whole) -> Void)?

  package init(
    name: String, isRequired: Bool = false,
    decode: @escaping @Sendable (JSONNode, inout Whole) throws(JSONFault) -> Void,
    encode: @escaping @Sendable (Whole) -> JSONTree?, schema: @escaping @Sendable () -> Schema
  ) {
    (self.name, self.isRequired) = (name, isRequired)
    (self.decode, self.encode, self.schema) = (decode, encode, schema)
  }
}

extension JSONMember {
  /// A member that must be there.
  package static func required<Value>(
    _ name: String, _ path: JSONPath<Whole, Value>, _ codec: JSONCodec<Value>
  ) -> JSONMember {
    var member = optional(name, path, codec)
    member.isRequired = true
    return member
  }

  /// A member that may be missing or `null`, which leaves the value as it is.
  package static func optional<Value>(
    _ name: String, _ path: JSONPath<Whole, Value>, _ codec: JSONCodec<Value>
  ) -> JSONMember {
    JSONMember(name: name) { node, whole throws(JSONFault) in
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
  package static func optional<Value>(
    _ name: String, _ path: JSONPath<Whole, Value?>, _ codec: JSONCodec<Value>,
    isWritten: Bool = true
  ) -> JSONMember {
    var member = JSONMember(name: name) { node, whole throws(JSONFault) in
      whole[keyPath: path] = try codec.decode(node)
    } encode: { whole in
      whole[keyPath: path].map(codec.encode) ?? (isWritten ? .null : nil)
    } schema: {
      codec.schema
    }
    member.isLeftOut = !isWritten
    return member
  }

  /// A member whose limits depend on the members before it.
  ///
  /// - Parameter widest: A value with the widest limits, which the schema shows.
  package static func optional<Value>(
    _ name: String, _ path: JSONPath<Whole, Value>,
    widest: @autoclosure @escaping @Sendable () -> Whole, _ codec: @escaping @Sendable (Whole) -> JSONCodec<Value>
  ) -> JSONMember {
    JSONMember(name: name) { node, whole throws(JSONFault) in
      whole[keyPath: path] = try codec(whole).decode(node)
    } encode: {
      codec($0).encode($0[keyPath: path])
    } schema: {
      codec(widest()).schema
    }
  }

  /// A member that must be there, and whose limits depend on the members before it.
  package static func required<Value>(
    _ name: String, _ path: JSONPath<Whole, Value>,
    widest: @autoclosure @escaping @Sendable () -> Whole, _ codec: @escaping @Sendable (Whole) -> JSONCodec<Value>
  ) -> JSONMember {
    var member = optional(name, path, widest: widest(), codec)
    member.isRequired = true
    return member
  }

  /// An object whose members belong to the same value.
  package static func nested(_ name: String, _ members: [JSONMember]) -> JSONMember {
    JSONMember(name: name) { node, whole throws(JSONFault) in
      try members.decode(node, into: &whole)
    } encode: {
      .object(members.encode($0))
    } schema: {
      members.schema(nil)
    }
  }

  /// The same member, refused if the members before it don't allow it.
  package func refused(_ message: String, if isRefused: @escaping @Sendable (Whole) -> Bool) -> JSONMember {
    var member = self
    member.decode = { node, whole throws(JSONFault) in
      guard !isRefused(whole) else { throw node.fault(message) }
      try decode(node, &whole)
    }
    return member
  }

  /// The same member of a value that contains this one.
  package func lifted<Outer>(_ path: JSONPath<Outer, Whole>) -> JSONMember<Outer> {
    var member = JSONMember<Outer>(name: name, isRequired: isRequired) { node, outer throws(JSONFault) in
      try decode(node, &outer[keyPath: path])
    } encode: {
      encode($0[keyPath: path])
    } schema: {
      schema()
    }
    (member.isSettable, member.isLeftOut, member.acceptsNull) = (isSettable, isLeftOut, acceptsNull)
    if let setMissing { member.setMissing = { setMissing(&$0[keyPath: path]) } }
    return member
  }
}
