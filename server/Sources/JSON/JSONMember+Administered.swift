// Members of what can be administered: some can be set, others are only shown.

extension JSONMember {
  /// A member that answers have and requests can't set. Requests may contain it, so that what was read can be sent back.
  package static func shown(
    _ name: String, _ schema: @autoclosure @escaping @Sendable () -> Schema,
    _ value: @escaping @Sendable (Whole) -> JSONTree
  ) -> JSONMember {
    var member = shownIfAny(name, schema(), value)
    member.isLeftOut = false
    return member
  }

  /// A member that answers have unless it is `nil`, and requests can't set.
  package static func shownIfAny(
    _ name: String, _ schema: @autoclosure @escaping @Sendable () -> Schema,
    _ value: @escaping @Sendable (Whole) -> JSONTree?
  ) -> JSONMember {
    var member = JSONMember(name: name) { _, _ throws(JSONFault) in
    } encode: {
      value($0)
    } schema: {
      schema()
    }
    (member.isSettable, member.isLeftOut) = (false, true)
    return member
  }

  /// A member of a change: left out, the value stays; `null` takes it away.
  package static func change<Value>(
    _ name: String, _ path: JSONPath<Whole, Value??>, _ codec: JSONCodec<Value>
  ) -> JSONMember {
    var member = JSONMember(name: name) { node, whole throws(JSONFault) in
      whole[keyPath: path] = .some(node.value == .null ? nil : try codec.decode(node))
    } encode: { _ in
      nil
    } schema: {
      codec.schema
    }
    member.acceptsNull = true
    return member
  }

  /// A member that `null` takes away; left out, it stays.
  package static func clearable<Value>(
    _ name: String, _ path: JSONPath<Whole, Value?>, _ codec: JSONCodec<Value>
  ) -> JSONMember {
    var member = JSONMember(name: name) { node, whole throws(JSONFault) in
      whole[keyPath: path] = node.value == .null ? nil : try codec.decode(node)
    } encode: {
      $0[keyPath: path].map(codec.encode)
    } schema: {
      codec.schema
    }
    member.acceptsNull = true
    return member
  }

  /// The same member; if it is left out or `null`, its value depends on the members before it.
  package func missing(_ set: @escaping @Sendable (inout Whole) -> Void) -> JSONMember {
    var member = self
    member.setMissing = set
    return member
  }

  /// The same member with a sentence about its value.
  package func described(_ text: String) -> JSONMember { specified { $0.described(text) } }

  /// The same member with an example.
  package func example(_ value: JSONTree) -> JSONMember { specified { $0.example(value) } }

  private func specified(_ change: @escaping @Sendable (Schema) -> Schema) -> JSONMember {
    var member = self
    member.schema = { [schema] in change(schema()) }
    return member
  }
}

extension Array {
  /// The schema of a request that sets the members. It may have those that are only shown, too.
  package func requestSchema<Whole>() -> Schema where Element == JSONMember<Whole> {
    let isNeeded = { (member: Element) in member.isSettable && member.isRequired }
    return .object(
      Schema.Members(filter(isNeeded).map { ($0.name, $0.schema()) }),
      optional: Schema.Members(
        filter { !isNeeded($0) }.map { ($0.name, $0.isSettable ? .nullable($0.schema()) : $0.schema().readOnly) }))
  }

  /// Returns a sentence that says what a request must contain.
  package func hint<Whole>() -> String where Element == JSONMember<Whole> {
    let settable = filter(\.isSettable)
    let parts = [
      settable.filter(\.isRequired).map(\.name).joined(separator: ", "),
      settable.filter { !$0.isRequired }.map(\.name).joined(separator: ", "),
    ]
    return "Send a JSON object with \(parts[0])\(parts.contains("") ? "" : ", and optionally ")\(parts[1])."
  }

  /// The schema of an answer that shows the members.
  package func answerSchema<Whole>() -> Schema where Element == JSONMember<Whole> {
    .object(
      Schema.Members(filter { !$0.isLeftOut }.map { ($0.name, $0.schema()) }),
      optional: Schema.Members(filter(\.isLeftOut).map { ($0.name, $0.schema()) }))
  }

  /// Sets the members that a request has; throws a fault if it lacks a required one, or has one that isn't known.
  package func set<Whole>(from node: JSONNode, on whole: inout Whole) throws(JSONFault)
  where Element == JSONMember<Whole> {
    let nodes = try node.members(
      filter(\.isSettable).map(\.name), ignored: filter { !$0.isSettable }.map(\.name))
    for member in self where member.isSettable {
      if member.isRequired {
        try member.decode(try nodes.required(member.name), &whole)
      } else if let node = member.acceptsNull ? nodes.nodes[member.name] : nodes.optional(member.name) {
        try member.decode(node, &whole)
      } else {
        member.setMissing?(&whole)
      }
    }
  }

  /// These members and the others of an answer, which requests may have so that what was read can be sent back.
  package func ignoring<Whole, Shown>(_ shown: [JSONMember<Shown>]) -> [JSONMember<Whole>]
  where Element == JSONMember<Whole> {
    let names = Set(map(\.name))
    return self + shown.filter { !names.contains($0.name) }.map { .shown($0.name, $0.schema()) { _ in .null } }
  }

  /// The members of a value that contains this one.
  package func lifted<Outer, Whole>(_ path: JSONPath<Outer, Whole>) -> [JSONMember<Outer>]
  where Element == JSONMember<Whole> {
    map { $0.lifted(path) }
  }
}
