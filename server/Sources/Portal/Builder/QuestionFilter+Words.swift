import Ingest
import JSON
import Questions
import Reports
import Warehouse

extension QuestionFilter {
  /// The filter in words, such as `country is DE or FR`.
  var words: String {
    func compared(_ dimension: QuestionDimension, _ comparison: String, _ values: [String]) -> String {
      // A property that may hold the number or the text has both.
      var unique: [String] = []
      for value in values where !unique.contains(value) { unique.append(value) }
      return "\(dimension.words) \(comparison) \(unique.map { dimension.words(for: $0) }.joined(separator: " or "))"
    }
    switch self {
    case .isOneOf(let dimension, let values): return compared(dimension, "is", values.map(\.plainText))
    case .isNoneOf(let dimension, let values): return compared(dimension, "is not", values.map(\.plainText))
    case .contains(let dimension, let texts): return compared(dimension, "contains", texts.map(\.text))
    case .compare(let comparison, let dimension, let number):
      let sign = FilterRow.comparisons.first { $0.0 == comparison.rawValue }?.1 ?? comparison.rawValue
      return "\(dimension.words) \(sign) \(JSONNumber.plain(number))"
    case .isSet(let dimension): return "\(dimension.words) is set"
    case .isNotSet(let dimension): return "\(dimension.words) is not set"
    case .isError(let group): return "is an error of group \(grouped(group))"
    case .all(let filters): return "(\(filters.map(\.words).joined(separator: " and ")))"
    case .any(let filters): return "(\(filters.map(\.words).joined(separator: " or ")))"
    case .not(let filter): return "not (\(filter.words))"
    case .hasDone(let selector, let count, let days):
      return "has done \(selector.words)" + (count > 1 ? " at least \(grouped(count)) times" : "") + Self.words(days)
    case .hasNotDone(let selector, let days): return "has not done \(selector.words)" + Self.words(days)
    }
  }
}

extension QuestionFilter {
  private static func words(_ days: Int?) -> String { days.map { " in the last \(counted($0, "day"))" } ?? "" }
}

extension QuestionDimension {
  fileprivate var words: String { shown(FilterRow.name(of: name)) }

  /// A value in words: countries and languages have codes.
  func words(for value: String) -> String {
    switch self {
    case .country: countryName(value, empty: "empty")
    case .model: modelName(value, empty: "empty")
    case .language where !value.isEmpty: shown(Ranking.Codes.languages.name(of: value), limit: 60)
    default: shown(value, empty: "empty")
    }
  }
}

extension Selector {
  /// The rows in words.
  fileprivate var words: String {
    let target =
      switch target {
      case .event(let name): shown(name)
      case .screen(let name): "the screen \(shown(name))"
      case .kind(let kind): kind.rawValue.replacing("_", with: " ")
      case .any: "anything"
      }
    return filters.isEmpty ? target : "\(target) with \(filters.map(\.words).joined(separator: " and "))"
  }
}
