import JSON
import Questions

extension FilterRows {
  /// Creates filters from rows alone.
  init(_ rows: [FilterRow] = [], others: [JSONTree] = []) { (self.rows, self.others) = (rows, others) }

  var isEmpty: Bool { rows.isEmpty && others.isEmpty }

  /// The filters as a report takes them; empty for none.
  var json: String {
    isEmpty ? "" : String(decoding: JSONTree.array(rows.map(\.json) + others).encoded, as: UTF8.self)
  }

  var words: [String] { rows.map(\.words) + others.map(Self.words) }

  /// A filter that needs more than a row, in words.
  static func words(_ json: JSONTree) -> String {
    var scope = QuestionScope()
    guard (try? scope.set("filters", to: .array([json]))) != nil, let filter = scope.filters.first else {
      return "another filter"
    }
    return filter.words
  }

  /// The fields of a row; of an empty one without a filter.
  static func fields(_ number: Int, _ row: FilterRow?, fault: String? = nil) -> TemplateValues {
    var name = BuilderField(word: "", label: "Filter by", name: "f\(number)", value: row?.dimension ?? "")
    (name.list, name.placeholder, name.fault) = ("dimensions", "country", fault)
    let comparison = BuilderField(
      word: "", label: "Comparison", name: "o\(number)", value: row?.comparison ?? "is",
      options: FilterRow.comparisons.map { (value: $0.0, text: $0.1) }, style: "comparison")
    var value = BuilderField(word: "", label: "Value", name: "v\(number)", value: row?.value ?? "")
    (value.placeholder, value.style) = ("value", "compared")
    return ["fields": [name, comparison, value].map(\.values)]
  }
}

extension FilterRow {
  var words: String {
    let comparison = Self.comparisons.first { $0.0 == self.comparison }?.1 ?? self.comparison
    let parts = [shown(Self.name(of: dimension)), comparison]
    let value = QuestionDimension(ofStep?.row.dimension ?? dimension)?.words(for: value) ?? shown(value, empty: "empty")
    return (parts + (takesValue ? [value] : [])).joined(separator: " ")
  }

  /// The name of a dimension for readers: that of the property alone.
  static func name(of dimension: String) -> String {
    if let (step, dimension) = ofStep(dimension) { return "\(name(of: dimension)) of \(step.words)" }
    let prefix = "property:"
    return dimension.hasPrefix(prefix) ? String(dimension.dropFirst(prefix.count)) : dimension
  }
}
