/// The JSON form of a type of value: how it is decoded, encoded and described.
package struct JSONCodec<Value>: Sendable {
  package typealias Decode = @Sendable (JSONNode) throws(JSONFault) -> Value

  package let decode: Decode
  package let encode: @Sendable (Value) -> JSONTree
  private let makeSchema: @Sendable () -> Schema

  package init(
    _ schema: @autoclosure @escaping @Sendable () -> Schema, decode: @escaping Decode,
    encode: @escaping @Sendable (Value) -> JSONTree
  ) {
    makeSchema = schema
    self.decode = decode
    self.encode = encode
  }

  /// The schema, made when it is asked for: decoding needs none.
  package var schema: Schema { makeSchema() }
}

extension JSONCodec<String> {
  package static var text: JSONCodec { text(atMost: JSONNode.maximumTextBytes) }

  package static func text(atMost bytes: Int) -> JSONCodec {
    JSONCodec(.text) { node throws(JSONFault) in
      try node.text(atMost: bytes)
    } encode: {
      .text($0)
    }
  }
}

extension JSONCodec<Bool> {
  package static var boolean: JSONCodec {
    JSONCodec(.boolean) { node throws(JSONFault) in
      try node.boolean()
    } encode: {
      .boolean($0)
    }
  }
}

extension JSONCodec<Double> {
  package static var number: JSONCodec {
    JSONCodec(.number) { node throws(JSONFault) in
      try node.number()
    } encode: {
      .number($0)
    }
  }
}

extension JSONCodec<Int> {
  /// A whole number within limits.
  package static func integer(_ allowed: ClosedRange<Int>) -> JSONCodec {
    JSONCodec(.limited(allowed)) { node throws(JSONFault) in
      try node.integer(allowed)
    } encode: {
      .integer($0)
    }
  }
}

extension JSONCodec where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
  /// A word of an enumeration.
  package static var choice: JSONCodec { choice(of: Array(Value.allCases)) }

  /// One of some words of an enumeration.
  package static func choice(of words: [Value]) -> JSONCodec {
    let names = words.map(\.rawValue)
    return JSONCodec(.choice(names)) { node throws(JSONFault) in
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
  package static func list<Element>(_ element: JSONCodec<Element>, _ allowed: ClosedRange<Int>) -> JSONCodec
  where Value == [Element] {
    JSONCodec(.list(element.schema, allowed)) { node throws(JSONFault) in
      try node.list(allowed, element.decode)
    } encode: {
      .array($0.map(element.encode))
    }
  }
}

extension JSONCodec {
  /// The same form, or `null` for no value.
  package var orNull: JSONCodec<Value?> {
    JSONCodec<Value?>(schema) { node throws(JSONFault) in
      try decode(node)
    } encode: {
      $0.map(encode) ?? .null
    }
  }
}

extension JSONCodec {
  /// The same form with a schema that says more than decoding checks: what a rule elsewhere refuses in its own words.
  package func specified(_ schema: @autoclosure @escaping @Sendable () -> Schema) -> JSONCodec {
    JSONCodec(schema(), decode: decode, encode: encode)
  }

  /// The same form with a sentence about the value.
  package func described(_ text: String) -> JSONCodec { specified(schema.described(text)) }

  /// The form of a type whose values stand for values of this one.
  package func mapped<Other>(
    _ make: @escaping @Sendable (Value) -> Other, _ value: @escaping @Sendable (Other) -> Value
  ) -> JSONCodec<Other> {
    JSONCodec<Other>(schema) { node throws(JSONFault) in
      make(try decode(node))
    } encode: {
      encode(value($0))
    }
  }
}

extension JSONCodec<Int64> {
  /// The number of an app, of an alert and the like.
  package static var identifier: JSONCodec {
    JSONCodec<Int>.integer(1...Schema.largestInteger).mapped({ Int64($0) }, { Int($0) })
  }
}
