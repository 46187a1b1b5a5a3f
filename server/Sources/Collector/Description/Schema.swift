import Questions

/// A JSON schema of the API's description.
struct Schema: Sendable {
  let tree: JSONTree

  static let text = plain("string")
  static let integer = plain("integer")
  static let count = limited(0...9_007_199_254_740_991)
  static let number = plain("number")
  static let boolean = plain("boolean")
  static let null = plain("null")
  /// Any object.
  static let object = plain("object")
  static let yes = Schema(tree: .object([("const", .boolean(true))]))
  static let any = Schema(tree: .object([JSONTree.Member]()))
  static let date = Schema(tree: .object([("type", .text("string")), ("format", .text("date"))]))
  static let time = Schema(tree: .object([("type", .text("string")), ("format", .text("date-time"))]))
  static let uuid = Schema(tree: .object([("type", .text("string")), ("format", .text("uuid"))]))

  private static func plain(_ type: String) -> Schema { Schema(tree: .object([("type", .text(type))])) }

  /// A whole number within a range.
  static func limited(_ range: ClosedRange<Int>) -> Schema {
    Schema(
      tree: .object([
        ("type", .text("integer")), ("minimum", .number(Double(range.lowerBound))),
        ("maximum", .number(Double(range.upperBound))),
      ]))
  }

  /// A text of a limited length.
  static func text(_ length: ClosedRange<Int>) -> Schema {
    Schema(
      tree: .object([
        ("type", .text("string")), ("minLength", .number(Double(length.lowerBound))),
        ("maxLength", .number(Double(length.upperBound))),
      ]))
  }

  /// A text that matches a regular expression.
  static func pattern(_ expression: String) -> Schema {
    Schema(tree: .object([("type", .text("string")), ("pattern", .text(expression))]))
  }

  /// One of a set of words.
  static func choice(_ words: [String]) -> Schema {
    Schema(tree: .object([("type", .text("string")), ("enum", .array(words.map { .text($0) }))]))
  }

  /// A word of a Swift enumeration.
  static func choice<Word: RawRepresentable & CaseIterable>(_: Word.Type) -> Schema where Word.RawValue == String {
    choice(Word.allCases.map(\.rawValue))
  }

  /// A list of equal elements.
  static func list(_ element: Schema, _ count: ClosedRange<Int>? = nil) -> Schema {
    let limits: [(String, JSONTree)] =
      count.map {
        [("minItems", .number(Double($0.lowerBound))), ("maxItems", .number(Double($0.upperBound)))]
      } ?? []
    return Schema(tree: .object([("type", .text("array")), ("items", element.tree)] + limits))
  }

  /// An array with a fixed number of elements, each with a schema of its own.
  static func tuple(_ elements: Schema...) -> Schema {
    let count = JSONTree.number(Double(elements.count))
    return Schema(
      tree: .object([
        ("type", .text("array")), ("prefixItems", .array(elements.map(\.tree))), ("items", .boolean(false)),
        ("minItems", count), ("maxItems", count),
      ]))
  }

  /// An object.
  ///
  /// - Parameters:
  ///   - required: The members that it always has.
  ///   - optional: The members that it may have.
  ///   - others: The schema of members with other names; `nil` if there are none.
  static func object(_ required: Members, optional: Members = [:], others: Schema? = nil) -> Schema {
    Schema(
      tree: .object([
        ("type", .text("object")), ("properties", .object((required.list + optional.list).map { ($0.0, $0.1.tree) })),
        ("required", .array(required.list.map { .text($0.0) })),
        ("additionalProperties", others?.tree ?? .boolean(false)),
      ]))
  }

  /// A value that matches at least one schema.
  static func anyOf(_ schemas: Schema...) -> Schema {
    Schema(tree: .object([("anyOf", .array(schemas.map(\.tree)))]))
  }

  /// A value or `null`.
  static func nullable(_ schema: Schema) -> Schema { anyOf(schema, .null) }

  /// A schema among the components of the document.
  static func named(_ name: String) -> Schema {
    Schema(tree: .object([("$ref", .text("#/components/schemas/\(name)"))]))
  }

  /// The same schema with a sentence about the value.
  func described(_ text: String) -> Schema { with("description", .text(text)) }

  /// The same schema with an example.
  func example(_ value: JSONTree) -> Schema { with("example", value) }

  private func with(_ name: String, _ value: JSONTree) -> Schema {
    guard case .object(let members) = tree else { return self }
    return Schema(tree: .object(members.map { ($0.name, $0.value) } + [(name, value)]))
  }
}

extension Schema {
  /// Named schemas in order, written as a dictionary.
  struct Members: Sendable, ExpressibleByDictionaryLiteral {
    var list: [(String, Schema)]

    init(_ list: [(String, Schema)]) { self.list = list }
    init(dictionaryLiteral members: (String, Schema)...) { list = members }

    static func + (left: Members, right: Members) -> Members { Members(left.list + right.list) }
  }
}
