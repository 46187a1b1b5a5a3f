/// A JSON schema of the API's description.
package struct Schema: Sendable {
  /// The largest whole number that every reader of JSON reads exactly: 2^53 − 1.
  package static let largestInteger = 9_007_199_254_740_991

  package let tree: JSONTree
  /// The components to which the tree refers.
  package var components = Members([])

  package static let text = plain("string")
  package static let integer = Schema(tree: .object([("type", .text("integer")), int64]))
  package static let count = limited(0...largestInteger)
  /// The number of an app, of an alert and the like.
  package static let identifier = limited(1...largestInteger)
  package static let number = plain("number")
  package static let boolean = plain("boolean")
  package static let null = plain("null")
  /// Any object.
  package static let object = plain("object")
  package static let yes = Schema(tree: .object([("const", .boolean(true))]))
  package static let any = Schema(tree: .object([JSONTree.Member]()))
  package static let date = Schema(tree: .object([("type", .text("string")), ("format", .text("date"))]))
  package static let time = Schema(tree: .object([("type", .text("string")), ("format", .text("date-time"))]))
  package static let uuid = Schema(tree: .object([("type", .text("string")), ("format", .text("uuid"))]))

  /// The format of all whole numbers. Without it, generated clients use 32 bits in some languages. Small ranges have it, too, so that
  /// a larger limit doesn't change a type in a client.
  private static let int64: (String, JSONTree) = ("format", .text("int64"))

  private static func plain(_ type: String) -> Schema { Schema(tree: .object([("type", .text(type))])) }

  /// A whole number within a range.
  package static func limited(_ range: ClosedRange<Int>) -> Schema {
    Schema(
      tree: .object([
        ("type", .text("integer")), int64, ("minimum", .number(Double(range.lowerBound))),
        ("maximum", .number(Double(range.upperBound))),
      ]))
  }

  /// A text of a limited length.
  package static func text(_ length: ClosedRange<Int>) -> Schema {
    Schema(
      tree: .object([
        ("type", .text("string")), ("minLength", .number(Double(length.lowerBound))),
        ("maxLength", .number(Double(length.upperBound))),
      ]))
  }

  /// A text that matches a regular expression.
  package static func pattern(_ expression: String) -> Schema {
    Schema(tree: .object([("type", .text("string")), ("pattern", .text(expression))]))
  }

  /// One of a set of words.
  package static func choice(_ words: [String]) -> Schema {
    Schema(tree: .object([("type", .text("string")), ("enum", .array(words.map { .text($0) }))]))
  }

  /// A word of a Swift enumeration.
  package static func choice<Word: RawRepresentable & CaseIterable>(_: Word.Type) -> Schema
  where Word.RawValue == String {
    choice(Word.allCases.map(\.rawValue))
  }

  /// A list of equal elements.
  package static func list(_ element: Schema, _ count: ClosedRange<Int>? = nil) -> Schema {
    let limits: [(String, JSONTree)] =
      count.map {
        [("minItems", .number(Double($0.lowerBound))), ("maxItems", .number(Double($0.upperBound)))]
      } ?? []
    return Schema(
      tree: .object([("type", .text("array")), ("items", element.tree)] + limits), components: element.components)
  }

  /// An array with a fixed number of elements, each with a schema of its own. The number already excludes others: some generators of
  /// clients can't read `items: false`.
  package static func tuple(_ elements: Schema...) -> Schema {
    let count = JSONTree.number(Double(elements.count))
    return Schema(
      tree: .object([
        ("type", .text("array")), ("prefixItems", .array(elements.map(\.tree))), ("minItems", count),
        ("maxItems", count),
      ]), components: Self.components(of: elements))
  }

  /// An object.
  ///
  /// - Parameters:
  ///   - required: The members that it always has.
  ///   - optional: The members that it may have.
  ///   - others: The schema of members with other names; `nil` if there are none.
  package static func object(_ required: Members, optional: Members = [:], others: Schema? = nil) -> Schema {
    Schema(
      tree: .object([
        ("type", .text("object")), ("properties", .object((required.list + optional.list).map { ($0.0, $0.1.tree) })),
        ("required", .array(required.list.map { .text($0.0) })),
        ("additionalProperties", others?.tree ?? .boolean(false)),
      ]), components: components(of: (required + optional).list.map(\.1)))
  }

  /// A value that matches at least one schema.
  package static func anyOf(_ schemas: Schema...) -> Schema { anyOf(schemas) }

  /// A value that matches at least one schema of a list.
  package static func anyOf(_ schemas: [Schema]) -> Schema {
    Schema(tree: .object([("anyOf", .array(schemas.map(\.tree)))]), components: components(of: schemas))
  }

  /// A value or `null`.
  package static func nullable(_ schema: Schema) -> Schema { anyOf(schema, .null) }

  /// A schema among the components of the document.
  package static func named(_ name: String) -> Schema {
    Schema(tree: .object([("$ref", .text("#/components/schemas/\(name)"))]))
  }

  /// A reference to this schema, which becomes a component of the documents that have the reference.
  package func named(_ name: String) -> Schema {
    var reference = Schema.named(name)
    reference.components = components + [name: self]
    return reference
  }

  private static func components(of schemas: [Schema]) -> Members { Members(schemas.flatMap(\.components.list)) }

  /// The same schema with a sentence about the value.
  package func described(_ text: String) -> Schema { with("description", .text(text)) }

  /// The same schema with an example.
  package func example(_ value: JSONTree) -> Schema { with("example", value) }

  /// The same schema with the value that a missing member has. Sentences name objects: few generators of clients can make a default
  /// of one.
  package func defaulting(to value: JSONTree) -> Schema {
    guard case .object = value else { return with("default", value) }
    return described("Without it: `\(String(decoding: value.encoded, as: UTF8.self))`.")
  }

  /// The same schema of a value that answers have, and that requests can't set.
  package var readOnly: Schema { with("readOnly", .boolean(true)) }

  private func with(_ name: String, _ value: JSONTree) -> Schema {
    guard case .object(let members) = tree else { return self }
    return Schema(tree: .object(members.map { ($0.name, $0.value) } + [(name, value)]), components: components)
  }
}

extension Schema {
  /// Named schemas in order, written as a dictionary.
  package struct Members: Sendable, ExpressibleByDictionaryLiteral {
    package var list: [(String, Schema)]

    package init(_ list: [(String, Schema)]) { self.list = list }
    package init(dictionaryLiteral members: (String, Schema)...) { list = members }

    package static func + (left: Members, right: Members) -> Members { Members(left.list + right.list) }
  }
}
