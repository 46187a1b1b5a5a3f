import Ingest
import Questions
import Reports
import Warehouse

extension FilterRows {
  /// The filters with one more, instead of another value of the same dimension; `nil` if that changes nothing.
  func adding(_ row: FilterRow) -> FilterRows? {
    var filters = self
    let single = ["is", "is_number", "is_text", "not_set"]
    if row.comparison != "not_set", single.contains(row.comparison) {
      filters.rows.removeAll { $0.dimension == row.dimension && single.contains($0.comparison) }
    }
    guard !rows.contains(row), filters.rows.count < FilterRow.numbers.count else { return nil }
    filters.rows.append(row)
    return filters
  }
}

extension FilterRow {
  /// The filter for one value of a dimension; rows without one for an empty value.
  init(_ dimension: String, value: String) {
    self.init(dimension: dimension, comparison: value.isEmpty ? "not_set" : "is", value: value)
  }

  /// The filter for one value of a breakdown; `nil` stands for rows without one. A property may hold the number 1 and the
  /// text `1`, which are two values.
  init(_ dimension: String, of value: QuestionValue?) {
    let comparison =
      switch value {
      case nil: "not_set"
      case .number: "is_number"
      case .text(let text) where dimension.hasPrefix("property:") && Double(text.text)?.isFinite ?? false: "is_text"
      case .text: "is"
      }
    self.init(dimension: dimension, comparison: comparison, value: value?.plainText ?? "")
  }
}
