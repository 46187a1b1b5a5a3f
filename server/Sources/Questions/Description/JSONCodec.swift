/// The JSON form of a type of value: how it is decoded, encoded and described.
struct JSONCodec<Value>: Sendable {
  typealias Decode = @Sendable (JSONNode) throws(QuestionError) -> Value

  let decode: Decode
  let encode: @Sendable (Value) -> JSONTree
  private let makeSchema: @Sendable () -> Schema

  init(
    _ schema: @autoclosure @escaping @Sendable () -> Schema, decode: @escaping Decode,
    encode: @escaping @Sendable (Value) -> JSONTree
  ) {
    makeSchema = schema
    self.decode = decode
    self.encode = encode
  }

  /// The schema, made when it is asked for: decoding needs none.
  var schema: Schema { makeSchema() }
}

extension JSONCodec<String> {
  static var text: JSONCodec {
    JSONCodec(.text) { node throws(QuestionError) in
      try node.text()
    } encode: {
      .text($0)
    }
  }
}

extension JSONCodec<Bool> {
  static var boolean: JSONCodec {
    JSONCodec(.boolean) { node throws(QuestionError) in
      try node.boolean()
    } encode: {
      .boolean($0)
    }
  }
}

extension JSONCodec<Double> {
  static var number: JSONCodec {
    JSONCodec(.number) { node throws(QuestionError) in
      try node.number()
    } encode: {
      .number($0)
    }
  }
}

extension JSONCodec<Int> {
  /// A whole number within limits.
  static func integer(_ allowed: ClosedRange<Int>) -> JSONCodec {
    JSONCodec(.limited(allowed)) { node throws(QuestionError) in
      try node.integer(allowed)
    } encode: {
      .integer($0)
    }
  }
}

extension JSONCodec where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
  /// A word of an enumeration.
  static var choice: JSONCodec { choice(of: Array(Value.allCases)) }

  /// One of some words of an enumeration.
  static func choice(of words: [Value]) -> JSONCodec {
    let names = words.map(\.rawValue)
    return JSONCodec(.choice(names)) { node throws(QuestionError) in
      guard let word = Value(rawValue: try node.text()), names.contains(word.rawValue) else {
        throw node.fault("Expected one of \(names.joined(separator: ", ")).")
      }
      return word
    } encode: {
      .text($0.rawValue)
    }
  }
}

extension JSONCodec {
  /// An array with an allowed number of elements.
  static func list<Element>(_ element: JSONCodec<Element>, _ allowed: ClosedRange<Int>) -> JSONCodec
  where Value == [Element] {
    JSONCodec(.list(element.schema, allowed)) { node throws(QuestionError) in
      try node.list(allowed, element.decode)
    } encode: {
      .array($0.map(element.encode))
    }
  }
}

extension JSONCodec {
  /// The same form, or `null` for no value.
  var orNull: JSONCodec<Value?> {
    JSONCodec<Value?>(schema) { node throws(QuestionError) in
      try decode(node)
    } encode: {
      $0.map(encode) ?? .null
    }
  }
}
