package import Ingest
import JSON

/// A value that a question names, of a kind whose values are known: those that any row of the app has had.
package struct NamedValue: Hashable, Sendable {
  /// The dimensions whose values are known, and properties by name.
  package enum Kind: String, CaseIterable, Sendable {
    case event, screen, version, os, model, country, language, property
  }

  package var kind: Kind
  package var text: ExactText

  package init(_ kind: Kind, _ text: String) { (self.kind, self.text) = (kind, ExactText(text)) }

  /// The value of a dimension; `nil` for dimensions whose values aren't known.
  package init?(dimension: String, _ text: String) {
    guard let kind = Kind(rawValue: dimension), kind != .property else { return nil }
    self.init(kind, text)
  }

  /// The property that a dimension or a metric names: `property:Length`, `avg:property:Length`; `nil` for others.
  package init?(propertyOf name: String) {
    if let property = QuestionDimension(name).flatMap({ if case .property(let name) = $0 { name } else { nil } }) {
      self.init(.property, property.text)
    } else if case .property(_, let property)? = QuestionMetric(name) {
      self.init(.property, property.text)
    } else {
      return nil
    }
  }
}

extension NamedValue {
  /// Says that no row has ever had the value, and which values are like it.
  ///
  /// - Parameter shown: Prepares a text from outside for display.
  package func words(nearest: [String], shown: (String) -> String) -> String {
    let what =
      switch kind {
      case .event: "an event named"
      case .screen: "a screen named"
      case .version: "the version"
      case .os: "the system"
      case .model: "the model"
      case .country: "the country"
      case .language: "the language"
      case .property: "a property named"
      }
    let quoted = nearest.map { "“\(shown($0))”" }
    let hint =
      switch (quoted.last, kind) {
      case (let last?, _):
        " Did you mean \((quoted.dropLast().isEmpty ? "" : quoted.dropLast().joined(separator: ", ") + " or ") + last)?"
      case (nil, .country): " Countries have codes of two letters, such as DE."
      case (nil, .language): " Languages have codes, such as de."
      case (nil, _): ""
      }
    return "This app has never had \(what) “\(shown(text.text))”.\(hint)"
  }
}

extension JSONTree {
  private static let comparisons = ["is", "is_not", "contains", "gt", "gte", "lt", "lte", "set", "not_set"]

  /// The values that the question names, each with its JSON path. A segment's own values aren't among them: it was saved, and
  /// may wait for values that will come.
  package var namedValues: [(value: NamedValue, path: String)] {
    var found: [(NamedValue, String)] = []
    addNamedValues(at: "$", to: &found)
    return found.map { (value: $0, path: $1) }
  }

  private func addNamedValues(at path: String, to found: inout [(NamedValue, String)]) {
    switch self {
    case .null, .boolean, .number: break
    case .text(let text):
      if let property = NamedValue(propertyOf: text) { found.append((property, path)) }
    case .object(let members):
      for member in members {
        let place = "\(path).\(member.name)"
        if let kind = NamedValue.Kind(rawValue: member.name), kind == .event || kind == .screen,
          case .text(let name) = member.value
        {
          found.append((NamedValue(kind, name), place))
        } else {
          member.value.addNamedValues(at: place, to: &found)
        }
      }
    case .array(let elements):
      if case .text(let comparison)? = elements.first, Self.comparisons.contains(comparison), elements.count > 1,
        case .text(let dimension) = elements[1]
      {
        if let property = NamedValue(propertyOf: dimension) { found.append((property, "\(path)[1]")) }
        guard comparison.hasPrefix("is"), elements.count > 2, case .array(let values) = elements[2] else { return }
        for (index, value) in values.enumerated() {
          guard case .text(let text) = value, let named = NamedValue(dimension: dimension, text) else { continue }
          found.append((named, "\(path)[2][\(index)]"))
        }
        return
      }
      for (index, element) in elements.enumerated() { element.addNamedValues(at: "\(path)[\(index)]", to: &found) }
    }
  }
}

extension QuestionError {
  /// The first of a question's values that no row has ever had; `nil` if there is none.
  package static func unknown(
    _ values: [(value: NamedValue, path: String)], _ unknown: [NamedValue: [String]]
  ) -> QuestionError? {
    for (value, path) in values {
      guard let nearest = unknown[value] else { continue }
      return QuestionError(
        value.words(nearest: nearest) { String($0.prefix(80)) }, at: path, code: .unknownValue)
    }
    return nil
  }
}
