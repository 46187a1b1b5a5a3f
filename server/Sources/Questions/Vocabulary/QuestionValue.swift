package import Ingest
package import JSON

/// The value of a dimension: a text or a number. A Boolean property is the text `true` or `false`.
package enum QuestionValue: Hashable, Sendable {
  case text(ExactText)
  case number(Double)

  package static func text(_ text: String) -> QuestionValue { .text(ExactText(text)) }

  package var plainText: String {
    switch self {
    case .text(let text): text.text
    case .number(let number): JSONNumber.plain(number)
    }
  }

  /// The number, if this is one.
  package var number: Double? {
    if case .number(let number) = self { number } else { nil }
  }

  /// The text, if this is one.
  package var text: String? {
    if case .text(let text) = self { text.text } else { nil }
  }
}

extension QuestionValue: Comparable {
  /// Orders numbers before texts, numbers by value and texts by their bytes.
  package static func < (left: QuestionValue, right: QuestionValue) -> Bool {
    switch (left, right) {
    case (.number(let left), .number(let right)): left < right
    case (.number, .text): true
    case (.text, .number): false
    case (.text(let left), .text(let right)): left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
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

extension JSONCodec<QuestionValue> {
  /// A value of a dimension. Only properties can be numbers or Booleans.
  static func value(of dimension: QuestionDimension) -> JSONCodec {
    JSONCodec(dimension.isProperty ? .anyOf(.text, .number, .boolean) : .text) { node throws(JSONFault) in
      switch node.value {
      case .null: throw node.fault("Rows without a value are found by not_set.")
      case .number(let number) where dimension.isProperty: return .number(number)
      case .boolean(let flag) where dimension.isProperty: return .text(flag ? "true" : "false")
      default: return .text(dimension.canonical(try node.text()))
      }
    } encode: {
      $0.json
    }
  }
}
