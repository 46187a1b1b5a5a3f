import Ingest
import JSON
package import Questions
import Reports
import TernBase

/// A filter as a row of a form: a dimension, a comparison and a value.
struct FilterRow: Equatable {
  var dimension: String
  var comparison: String
  var value: String

  /// The comparisons and their words.
  static let comparisons = [
    ("is", "is"), ("is_not", "is not"), ("contains", "contains"), ("gt", ">"), ("gte", "≥"), ("lt", "<"), ("lte", "≤"),
    ("set", "is set"), ("not_set", "is not set"), ("is_number", "is the number"), ("is_text", "is the text"),
  ]
  /// The numbers of the rows of a form.
  static let numbers = 1...20

  init(dimension: String, comparison: String, value: String) {
    self.dimension = dimension
    self.comparison = comparison
    // Lists show the names of countries, so readers type them.
    let isCountry = (Self.ofStep(dimension)?.dimension ?? dimension) == "country" && comparison != "contains"
    let country = isCountry ? Ranking.Codes.country(named: value) : nil
    self.value = country ?? value
  }

  /// The row that stands for a filter; `nil` for filters that need more than a row.
  init?(_ json: JSONTree) {
    guard case .array(let parts) = json, parts.count > 1, case .text(let comparison) = parts[0],
      case .text(let dimension) = parts[1], Self.comparisons.contains(where: { $0.0 == comparison })
    else { return nil }
    switch (parts.count, parts.last) {
    case (2, _): self.init(dimension: dimension, comparison: comparison, value: "")
    case (3, .number(let number)?): self.init(dimension: dimension, comparison: comparison, value: Self.text(number))
    case (3, .text(let text)?): self.init(dimension: dimension, comparison: comparison, value: text)
    case (3, .array(let values)?):
      switch values.first {
      case .number(let number)? where comparison == "is":
        self.init(dimension: dimension, comparison: "is_number", value: Self.text(number))
      case .text(let text)?:
        self.init(dimension: dimension, comparison: comparison, value: text)
        // A property that may hold the number or the text has both.
        if comparison == "is", values.count == 1, finite != nil, isOfProperty { self.comparison = "is_text" }
      default: return nil
      }
    default: return nil
    }
    if self.json != json { return nil }
  }

  /// The filter in the vocabulary of questions.
  var json: JSONTree {
    let start: [JSONTree] = [.text(comparison), .text(dimension)]
    switch comparison {
    case "set", "not_set": return .array(start)
    case "gt", "gte", "lt", "lte": return .array(start + [finite.map { .number($0) } ?? .text(value)])
    case "is_number", "is_text":
      var value = JSONTree.text(self.value)
      if comparison == "is_number", isOfProperty, let finite { value = .number(finite) }
      return .array([.text("is"), .text(dimension), .array([value])])
    default:
      var texts: [JSONTree] = [.text(value)]
      // A property may hold the number or the text.
      if comparison != "contains", isOfProperty, let number = finite { texts.append(.number(number)) }
      return .array(start + [.array(texts)])
    }
  }

  private var isOfProperty: Bool { dimension.hasPrefix("property:") }

  /// The value as a number that JSON can hold.
  private var finite: Double? { Double(value).flatMap { $0.isFinite ? $0 : nil } }

  /// The mistake in the filter, in words; `nil` if there is none.
  var fault: String? {
    guard let known = QuestionDimension(dimension) else { return QuestionForm.unknownDimension(dimension) }
    guard ["gt", "gte", "lt", "lte", "is_number", "is_text"].contains(comparison) else { return nil }
    guard case .property = known else {
      return "Only a property can be larger or smaller, or have a type. Choose is or contains."
    }
    guard comparison != "is_text" else { return nil }
    return Double(value).map(\.isFinite) == true ? nil : "Enter a number, such as 10."
  }

  private static func text(_ number: Double) -> String {
    Int(exactly: number).map(String.init) ?? String(number)
  }
}

extension QuestionDimension {
  /// A value as filters suggest it: a country by its name, which a filter takes for its code, and a language by its code
  /// with its name beside it.
  package func suggestion(_ value: String) -> (value: String, label: String?) {
    switch self {
    case .country:
      let name = Ranking.Codes.countries.name(of: value)
      return Ranking.Codes.country(named: name) == value ? (name, value) : (value, nil)
    case .language:
      let name = Ranking.Codes.languages.name(of: value)
      return (value, name == value ? nil : name)
    default: return (value, nil)
    }
  }
}

/// The filters of a report's page: those that fit in rows of the form, and the others.
struct FilterRows {
  var rows: [FilterRow]
  /// The filters that need more than a row, or for which the form has no row left.
  var others: [JSONTree]

  /// Reads filters from JSON; those of a text that is no array are left for the report to refuse.
  init(json: String) {
    (rows, others) = ([], [])
    for filter in Self.parsed(json) {
      if rows.count < FilterRow.numbers.count, let row = FilterRow(filter) {
        rows.append(row)
      } else {
        others.append(filter)
      }
    }
  }

  /// The filters of a JSON array; none if the text is none.
  static func parsed(_ json: String?) -> [JSONTree] { json.flatMap(array) ?? [] }

  /// The filters of a JSON array; `nil` if the text is none.
  static func array(_ json: String) -> [JSONTree]? {
    guard case .array(let filters)? = try? JSONTree(parsing: Array(json.utf8)) else { return nil }
    return filters
  }

  /// The parameters of a report's address in which the filters are JSON, as the report takes them.
  static func merged(_ parameters: [String: String]) -> [String: String] {
    var parameters = FormFields.joined(parameters)
    let rows = FilterRow.rows(parameters)
    guard !rows.isEmpty else { return parameters }
    parameters["filters"] = FilterRows(rows, others: parsed(parameters["filters"])).json
    return parameters
  }

  /// The parameters of an address: one for each filter, and JSON for those that need more than a row.
  var parameters: [(String, String)] {
    FilterRow.parameters(rows)
      + (others.isEmpty ? [] : [("filters", String(decoding: JSONTree.array(others).encoded, as: UTF8.self))])
  }
}
